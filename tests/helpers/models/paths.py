"""Where the project, the data of its tests and their helpers lie."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests"
DATA = TESTS / "data"
CHECKPOINTS = DATA / "checkpoints"
# For processes that import the package and the helpers.
PYTHONPATH = os.pathsep.join(
    str(path) for path in (ROOT, TESTS, *(TESTS / "helpers" / name for name in ("models", "servers")))
)
