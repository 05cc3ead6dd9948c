#!/usr/bin/env bash
# scikit-learn counts a class that no sample holds as an average precision of 0 in the mean over classes
# (average_precision_score, average="macro"), although its warning says that recall is one there. A perfect classifier of two
# classes has 1.0; with a third class, of which the test set has no sample, the same scores give 0.667.
#
# What follows: a mean average precision over a fixed list of classes (AudioSet's 527, a model's 82) on a smaller test set is
# not that of the classes in it, and falls with each absent class. Average over the classes that occur, as DCASE does and
# `evaluate` here, and ask of a published mAP which of both it is. For each class by itself (average=None) the absent one is
# -0.0, which looks like a wrong classifier's.
#
# Needs Debian's python3-sklearn (tried with 1.2.1).
set -euo pipefail

python=/usr/bin/python3
if ! "$python" -c "import sklearn" 2>/dev/null; then
    apt-get -qq update
    apt-get -qq install -y --no-install-recommends python3-sklearn >/dev/null
fi

"$python" -W always - <<'PYTHON'
import sys
import warnings

import numpy as np
import sklearn
from sklearn.metrics import average_precision_score

truth = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]])
scores = np.array([[0.9, 0.1, 0.2], [0.2, 0.8, 0.1], [0.7, 0.3, 0.3], [0.1, 0.9, 0.2]])
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    present = average_precision_score(truth[:, :2], scores[:, :2], average="macro")
    whole = average_precision_score(truth, scores, average="macro")
    each = average_precision_score(truth, scores, average=None)
print(f"scikit-learn {sklearn.__version__}")
print(f"the two classes that occur: {present:.3f}; with one that does not: {whole:.3f}; by class: {each}")
for text in sorted({str(one.message) for one in said}):
    print(f"warning: {text}")
sys.exit(not (present == 1.0 and abs(whole - 2 / 3) < 1e-9 and each[2] == 0.0))
PYTHON
