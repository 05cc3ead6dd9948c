#!/usr/bin/env bash
# reticulate (R's bridge to Python) converts whatever a call returns, unless the module was imported with convert = FALSE. NumPy's
# structured arrays have no counterpart in R, so a method that returns one cannot be called at all: the error is raised before the
# next method of a chain (here $tolist(), which would have made something that R can take) gets its turn. A pandas table of the same
# values converts. Debian 12: r-cran-reticulate 1.28, python3-numpy 1.24.2.
set -euo pipefail
if ! Rscript -e 'library(reticulate)' >/dev/null 2>&1; then apt-get install -y -qq --no-install-recommends r-cran-reticulate >/dev/null; fi
python3=/usr/bin/python3
$python3 -c 'import numpy' 2>/dev/null || apt-get install -y -qq python3-numpy >/dev/null
dpkg-query -W -f '${Package} ${Version}\n' r-cran-reticulate python3-numpy
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/table.py" <<'PYTHON'
import numpy
class Maker:
    def make(self):
        return numpy.array([(1.5, "rain")], dtype=[("onset", "f8"), ("label", "U8")])
PYTHON
run() {
    PYTHONPATH=$folder RETICULATE_PYTHON=$python3 Rscript -e "library(reticulate); $1" 2>&1 | grep -v "Execution halted"
}
converted=$(run 'cat(length(import("table")$Maker()$make()$tolist()))' || true)
kept=$(run 'cat(length(py_to_r(import("table", convert = FALSE)$Maker()$make()$tolist())))')
echo "import(\"table\"):                   $converted"
echo "import(\"table\", convert = FALSE):  $kept row"
[[ $converted == *"Conversion from numpy array type 20 is not supported"* ]] && [ "$kept" = 1 ]
