"""Where a test of Python's clients finds the sources and the build, whose plugins sgemm_ladder then loads; the first
argument of a test is the build directory."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build").resolve()
os.environ["SGEMM_LADDER_PATH"] = str(BUILD / "plugins")
sys.path.insert(0, str(ROOT / "abi" / "python"))
