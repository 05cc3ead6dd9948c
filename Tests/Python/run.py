"""run.py TESTS: runs them with pytest. Exits with 4, for skipped, where what they need is not installed."""

import importlib.util
import os
import pathlib
import subprocess
import sys

missing = [name for name in ("pytest", "numpy") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {sys.executable} has no {' and no '.join(missing)}")
    sys.exit(4)
package = pathlib.Path(os.environ["PYTHONPATH"]) / "earshot"
if not list(package.glob("_native*")):
    print(f"skipped: {package} is not built")
    sys.exit(4)
status = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *sys.argv[1:]]).returncode
sys.exit(1 if status else 0)
