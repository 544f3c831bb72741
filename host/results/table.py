#!/usr/bin/env python3
"""Makes the README's tables, each between its two marks: the figures, from the results file of `compare --json`, and the
ladder, from `compare --list --markdown`.

usage: table.py BUILD --write README.md     puts them in
       table.py BUILD --check README.md     exit status 1 if the README has others
"""

import json
import pathlib
import subprocess
import sys

RESULTS = pathlib.Path(__file__).parent / "h100.json"
FIGURES = "<!-- figures: made by host/results/table.py -->", "<!-- end of figures -->"
LADDER = "<!-- ladder: made by host/results/table.py from compare --list -->", "<!-- end of ladder -->"


def cell(row):
    if row is None:
        return ""
    if row["status"] != "ok":
        return row["status"]
    return f'{row["tflops"]:.1f} ({row["ratio"]:.2f}x)' if row["ratio"] else f'{row["tflops"]:.1f}'


def table(results):
    rows, environment = results["rows"], results["environment"]
    plugins = list(dict.fromkeys(row["plugin"] for row in rows))
    shapes = list(dict.fromkeys(row["shape"] for row in rows))
    found = {(row["plugin"], row["shape"]): row for row in rows}
    baseline = next(row["baseline"] for row in rows if row["baseline"])
    lines = [
        "| plugin | arithmetic | " + " | ".join(shapes) + " |",
        "|---|---|" + "--:|" * len(shapes),
    ]
    for plugin in plugins:
        arithmetic = next(row["arithmetic"] for row in rows if row["plugin"] == plugin)
        lines.append(f"| {plugin} | {arithmetic} | " + " | ".join(cell(found.get((plugin, s))) for s in shapes) + " |")
    lines.append("")
    lines.append(
        f'TFLOP/s (2MNK over the median of 7 runs), in brackets against `{baseline}` in the same process. '
        f'{environment["device"]}, driver {environment["driver"]}, CUDA {environment["cuda"]}, {environment["date"][:10]}, '
        f'`{environment["command"]}`; all samples in [{RESULTS.name}](host/results/{RESULTS.name}).'
    )
    return "\n".join(lines)


def ladder(build):
    def rows(device):
        command = [f"{build}/compare", "--list", "--markdown", "--device", device, f"{build}/plugins/{device}"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    return "\n".join(rows("cuda") + rows("cpu")[2:])


def replace(readme, marks, text):
    before, rest = readme.split(marks[0])
    after = rest.split(marks[1])[1]
    return f"{before}{marks[0]}\n{text}\n{marks[1]}{after}"


def main():
    build, mode, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    old = path.read_text()
    new = replace(replace(old, FIGURES, table(json.loads(RESULTS.read_text()))), LADDER, ladder(build))
    if mode == "--write":
        path.write_text(new)
        return 0
    if old != new:
        print(f"{path}: a table is out of date: run host/results/table.py {build} --write {path}")
    return old != new


if __name__ == "__main__":
    sys.exit(main())
