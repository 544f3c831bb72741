#!/usr/bin/env python3
"""Runs the survey, or goes on with one that was cut off, and writes its results file and what it comes to.

usage: survey.py BUILD RESULTS SEED [COUNT]    RESULTS/GPU_survey.tsv gets a line a shape; prints the summary

`make survey SEED=7` calls it. A seed that something was tuned on says nothing: take another one.
"""

import datetime
import math
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import results  # noqa: E402

COLUMNS = ["index", "shape", "form", "rows", "hot_us", "hot_pedantic_us", "hot_default_us", "ratio", "low", "high",
           "cold_us", "cold_pedantic_us", "cold_default_us", "cold_ratio", "cold_low", "cold_high", "difference"]
LIBRARIES = ["90_dispatch", "00_cublas_fp32", "02_cublas_default"]
WRONG = 1e-3  # of the largest element: no order of an FP32 sum is off by that


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(rows):
    """Lines of text. A shape is behind where the far end of its interval is, after two measurements."""
    lines = []
    for name, ratio, high in (("hot", "ratio", "high"), ("cold", "cold_ratio", "cold_high")):
        far = [row[high] for row in rows]
        below = ", ".join(f"{100 * sum(end < bound for end in far) / len(far):.1f} % below {bound:.2f}x"
                          for bound in (0.90, 0.95, 1.00))
        lines.append(f"{name}: geomean {geomean([row[ratio] for row in rows]):.3f}x; {below}; least "
                     f"{min(row[ratio] for row in rows):.3f}x")
    for row in sorted(rows, key=lambda row: row["ratio"])[:15]:
        if row["high"] < 1:
            lines.append(f"  behind: {row['shape']} {row['form']} {row['rows']}: {row['ratio']:.3f} "
                         f"[{row['low']:.3f}, {row['high']:.3f}], cold {row['cold_ratio']:.3f}")
    for row in rows:
        if not row["difference"] < WRONG:
            lines.append(f"  WRONG: {row['shape']} {row['form']} {row['rows']}: off by {row['difference']:.2g}")
    return lines


def read_rows(text):
    kinds = [int, str, str, str] + [float] * 13
    cells = [line.split("\t") for line in text.splitlines()]
    return [{name: kind(cell) for name, kind, cell in zip(COLUMNS, kinds, line)} for line in cells]


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    build, folder, seed = sys.argv[1:4]
    count = sys.argv[4] if len(sys.argv) == 5 else "300"
    device, driver = results.gpu()
    partial = os.path.join(build, f"survey_{results.short_name(device)}_{seed}.txt")
    command = [f"{build}/survey", seed, count, partial, *(f"{build}/plugins/cuda/{name}.so" for name in LIBRARIES)]
    if subprocess.run(command).returncode != 0:
        sys.exit(f"survey.py: cut off; what there is stands in {partial}, and the same command goes on with it")
    text = "".join(pathlib.Path(partial).read_text().splitlines(keepends=True)[:int(count)])
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    head = {"device": device, "driver": driver, "date": datetime.date.today(), "commit": commit or "unknown",
            "command": f"make survey SEED={seed}", "libraries": " against the faster of ".join(
                [LIBRARIES[0], " and ".join(LIBRARIES[1:])])}
    found = summary(read_rows(text))
    with open(os.path.join(folder, f"{results.short_name(device)}_survey.tsv"), "w", encoding="utf-8") as file:
        for key, value in [*head.items(), *(("summary", line) for line in found[:2])]:
            file.write(f"# {key}: {value}\n")
        file.write("\t".join(COLUMNS) + "\n" + text)
    print(*found, sep="\n")


if __name__ == "__main__":
    main()
