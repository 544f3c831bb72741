#!/usr/bin/env python3
"""Which fixtures `make test` takes, as names on one line: of each fault every eighth, the first among them, and the
controls. `make test-all` takes every one.

usage: in_make_test.py judged cpp|cu     those that it judges; of .cu files those that run in the emulator
       in_make_test.py left cpp|cu       those that it leaves to `make test-all`, and the controls
       in_make_test.py built cpp|cu      those that it builds: beside these the ones that a test names
"""

import pathlib
import re
import sys

from write_readme import HERE, fields

EVERY = 8


def by_fault(extension):
    """The names in their order; a fixture of two faults stands for the first of them."""
    of_fault = {}
    for source in sorted(HERE.glob(f"*.{extension}")):
        found = fields(source)
        if extension == "cpp" or "emulated" in found:
            of_fault.setdefault(re.match(r"\w+", found["fault"])[0], []).append(source.stem)
    return of_fault


def judged(extension):
    return sorted(name for fault, names in by_fault(extension).items()
                  for name in names[:: 1 if fault == "control" else EVERY])


def left(extension):
    here = set(judged(extension))
    return sorted(name for fault, names in by_fault(extension).items()
                  for name in names if fault == "control" or name not in here)


def built(extension):
    sources = [*HERE.parent.glob("*/*.cpp"), *HERE.parent.glob("*/*.py"), *HERE.parent.glob("unit/*/*.cpp")]
    words = set()
    for source in sources:
        if source.parent != HERE:
            words.update(re.findall(r"\w+", source.read_text()))
    fixtures = {source.stem for source in HERE.glob(f"*.{extension}")}
    return sorted({*judged(extension), *(words & fixtures)})


def main():
    functions = {"judged": judged, "left": left, "built": built}
    if len(sys.argv) != 3 or sys.argv[1] not in functions or sys.argv[2] not in ("cpp", "cu"):
        sys.exit(__doc__)
    print(*functions[sys.argv[1]](sys.argv[2]))


if __name__ == "__main__":
    main()
