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

# The last is of the shapes that `compare` takes by default, the first of others. Rows of a later file replace those of an
# earlier one: the second is what was measured again after it had changed.
RESULTS = [pathlib.Path(__file__).parent.parent / "results" / name for name in ("h100_more.json", "h100_newer.json", "h100.json")]
DISPATCH = pathlib.Path(__file__).parent.parent / "results" / "h100_dispatch.json"  # 90_dispatch at many shapes
DISPATCH_MARKS = "<!-- 90_dispatch: made by host/tools/table.py -->", "<!-- end of 90_dispatch -->"
FIGURES = "<!-- figures: made by host/tools/table.py -->", "<!-- end of figures -->"
LADDER = "<!-- ladder: made by host/tools/table.py from compare --list -->", "<!-- end of ladder -->"


def cell(row):
    if row is None:
        return ""
    if row["status"] != "ok":
        return row["status"]
    return f'{row["tflops"]:.1f} ({row["ratio"]:.2f}x)' if row["ratio"] else f'{row["tflops"]:.1f}'


def size(shape):
    m, n, k = map(int, shape.split("x"))
    return not m == n == k, m * n * k  # squares first


def table(runs):
    rows = [row for run in runs for row in run["rows"]]
    environment = runs[0]["environment"]
    plugins = list(dict.fromkeys(row["plugin"] for row in rows))
    shapes = sorted({row["shape"] for row in rows}, key=size)
    found = {(row["plugin"], row["shape"]): row for row in rows}
    baseline = next(row["baseline"] for row in rows if row["baseline"])
    lines = [
        "| plugin | class | " + " | ".join(shapes) + " |",
        "|---|---|" + "--:|" * len(shapes),
    ]
    for plugin in plugins:
        measured = next(row["class"] for row in rows if row["plugin"] == plugin)
        lines.append(f"| {plugin} | {measured} | " + " | ".join(cell(found.get((plugin, s))) for s in shapes) + " |")
    lines.append("")
    commands = ", ".join(f'`{run["environment"]["command"]}`' for run in runs)
    files = ", ".join(f"[{path.name}](host/results/{path.name})" for path in RESULTS)
    lines.append(
        f'TFLOP/s (2MNK over the median time of hot calls), in brackets against `{baseline}` in the same process. '
        f'{environment["device"]}, driver {environment["driver"]}, CUDA {environment["cuda"]}, {environment["date"][:10]}, '
        f'{commands}; all samples in {files}.'
    )
    return "\n".join(lines)


def microseconds(milliseconds):
    return f"{1000 * milliseconds:.1f} us" if milliseconds < 1 else f"{milliseconds:.2f} ms"


def dispatch_table(run):
    environment, rows = run["environment"], run["rows"]
    lines = [f'| MxNxK | TFLOP/s | x {rows[0]["baseline"]} [95 %] | hot | cold | first call |', "|---|--:|--:|--:|--:|--:|"]
    for row in rows:
        interval = "" if row["ratio_interval"] is None else " [{:.3f}, {:.3f}]".format(*row["ratio_interval"])
        lines.append(f'| {row["shape"]} | {row["tflops"]:.1f} | {row["ratio"]:.3f}{interval} '
                     f'| {microseconds(row["median_ms"])} | {microseconds(row["cold_median_ms"])} '
                     f'| {microseconds(row["first_ms"])} |')
    lines += ["", f'{environment["device"]}, driver {environment["driver"]}, CUDA {environment["cuda"]}, '
              f'{environment["date"][:10]}, `build/compare build/plugins/cuda --filter 90_dispatch --shape ...`; the '
              f'command and all samples are in [{DISPATCH.name}](host/results/{DISPATCH.name}).']
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
    new = replace(old, FIGURES, table([json.loads(path.read_text()) for path in RESULTS]))
    new = replace(new, DISPATCH_MARKS, dispatch_table(json.loads(DISPATCH.read_text())))
    new = replace(new, LADDER, ladder(build))
    if mode == "--write":
        path.write_text(new)
        return 0
    if old != new:
        print(f"{path}: a table is out of date: run host/tools/table.py {build} --write {path}")
    return old != new


if __name__ == "__main__":
    sys.exit(main())
