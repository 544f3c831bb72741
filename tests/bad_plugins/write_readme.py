#!/usr/bin/env python3
"""Makes the table of tests/bad_plugins/README.md from the first comments of the fixtures beside it.

usage: write_readme.py --write     puts it in
       write_readme.py --check     exit status 1 if the README has another
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
MARKS = "<!-- fixtures: made by write_readme.py -->", "<!-- end of fixtures -->"
KINDS = {"T": "Times that are not true", "W": "Results that are wrong and might pass", "F": "What breaks a harness",
         "c": "What the interface forbids, and two controls"}
FIELD = re.compile(r"^// (expect|fault|emulated|options|class|note|launch): (.*)$")


def fields(source):
    """The fields of a fixture's first comment."""
    found = {}
    for line in source.read_text().splitlines():
        match = FIELD.match(line)
        if match is None:
            break
        found[match[1]] = match[2]
    return found


def outcome(found):
    """Caught or not, and by what the reader of the row sees it."""
    if found["fault"].startswith("control"):
        return "the control"
    if found["expect"] == "limited":
        return "told where it is right"
    if found["expect"] != "ok":
        return "caught"
    if "note" in found:
        return "noted in the row"
    emulated, _, note = found.get("emulated", "ok").partition(":")
    if emulated != "ok":
        return "caught in the emulator"
    if note:
        return "noted in the emulator"
    if found.get("class", "FP32") != "FP32":
        return "told by its class, " + found["class"]
    return "does no harm"


def table():
    rows = {kind: [] for kind in KINDS}
    for source in sorted([*HERE.glob("*.cpp"), *HERE.glob("*.cu")]):
        found = fields(source)
        faults, text = found["fault"].split(": ", 1)
        number = int(re.search(r"\d+", faults)[0]) if faults[0] in "TWF" else 0
        if "options" in found:
            text += f" Judged with `{found['options']}`."
        status = found["expect"]
        if "emulated" in found:
            status += f" (emulated: {found['emulated'].split(':')[0]})"
        rows[faults[0]].append((number, f"| {source.name} | {faults if number else ''} | {text} | {status} "
                                        f"| {outcome(found)} |"))
    lines = []
    for kind, title in KINDS.items():
        lines += [f"## {title}", "", "| fixture | fault | what it does | status | |", "|---|---|---|---|---|"]
        lines += [row for _, row in sorted(rows[kind])] + [""]
    return "\n".join(lines[:-1])


def main():
    if sys.argv[1:] not in (["--write"], ["--check"]):
        sys.exit(__doc__)
    readme = HERE / "README.md"
    old = readme.read_text()
    before, rest = old.split(MARKS[0])
    new = f"{before}{MARKS[0]}\n{table()}\n{MARKS[1]}{rest.split(MARKS[1])[1]}"
    if sys.argv[1] == "--write":
        readme.write_text(new)
    elif new != old:
        sys.exit("tests/bad_plugins/README.md is out of date: run tests/bad_plugins/write_readme.py --write")


if __name__ == "__main__":
    main()
