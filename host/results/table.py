#!/usr/bin/env python3
"""Makes the README's table of figures from a results file of `compare --json`, between the two marks in the README.

usage: table.py --write README.md     puts the table in
       table.py --check README.md     exit status 1 if the README has another one
       table.py                       prints it
"""

import json
import pathlib
import sys

RESULTS = pathlib.Path(__file__).parent / "h100.json"
BEGIN, END = "<!-- figures: made by host/results/table.py -->", "<!-- end of figures -->"


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


def main():
    text = table(json.loads(RESULTS.read_text()))
    if len(sys.argv) == 1:
        print(text)
        return 0
    readme = pathlib.Path(sys.argv[2])
    before, rest = readme.read_text().split(BEGIN)
    old, after = rest.split(END)
    new = f"\n{text}\n"
    if sys.argv[1] == "--write":
        readme.write_text(before + BEGIN + new + END + after)
        return 0
    if old != new:
        print(f"{readme}: the table is not the one of {RESULTS}: run host/results/table.py --write {readme}")
    return old != new


if __name__ == "__main__":
    sys.exit(main())
