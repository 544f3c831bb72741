#!/usr/bin/env python3
"""Whether 90_dispatch takes the fastest of its ways: times each of them at shapes drawn from a seed.

usage: ways.py BUILD SEED [COUNT]    BUILD/ways_SEED.tsv gets a line for each way of each shape; prints what it comes to

`make ways SEED=7` calls it, for 60 shapes. A way is a kernel of one of the rungs, or two with an operand turned before.
What is printed: the share of shapes at which 90 is within 3 % of the fastest way, where it lost most, and of each way
how its time compares with its model's (1 would be a model in cycles of 1.755 GHz that is right).
"""

import pathlib
import statistics
import subprocess
import sys

NEAR = 1.03
COLUMNS = ["index", "M", "N", "K", "form", "odd", "way", "us", "cycles", "difference"]
WRONG = 1e-3  # of the largest element: no order of an FP32 sum is off by that


def read(path):
    """{index: [row...]} of a file that ways has written."""
    shapes = {}
    for line in path.read_text().splitlines():
        row = dict(zip(COLUMNS, line.split("\t")))
        shapes.setdefault(row["index"], []).append(row)
    return shapes


def summary(shapes):
    losses, quotients, lines = [], {}, []
    for rows in shapes.values():
        chosen = next(row for row in rows if row["way"] == "90")
        best = min(rows, key=lambda row: float(row["us"]))
        losses.append((float(chosen["us"]) / float(best["us"]), chosen, best))
        for row in rows:
            quotients.setdefault(row["way"], []).append(1755 * float(row["us"]) / float(row["cycles"]))
            if not float(row["difference"]) < WRONG:
                lines.append(f"WRONG: {row['way']} at {row['M']}x{row['N']}x{row['K']} {row['form']}: {row['difference']}")
    near = sum(loss <= NEAR for loss, *_ in losses)
    lines.append(f"{100 * near / len(losses):.1f} % of {len(losses)} shapes within 3 % of the fastest way")
    for loss, chosen, best in sorted(losses, key=lambda each: -each[0])[:10]:
        lines.append(f"  {chosen['M']}x{chosen['N']}x{chosen['K']} {chosen['form']}{' odd' * int(chosen['odd'])}: "
                     f"{chosen['us']} us, {best['way']} {best['us']} us, {loss:.2f}x")
    for way, found in sorted(quotients.items()):
        found.sort()
        lines.append(f"  {way:20} time over model: {found[0]:.2f} to {found[-1]:.2f}, median "
                     f"{statistics.median(found):.2f} of {len(found)}")
    return lines


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    build, seed = pathlib.Path(sys.argv[1]), sys.argv[2]
    count = sys.argv[3] if len(sys.argv) == 4 else "60"
    path = build / f"ways_{seed}.tsv"
    subprocess.run([build / "ways", seed, count, path], check=True)
    found = summary(read(path))
    print(*found, sep="\n")
    return any(line.startswith("WRONG") for line in found)


if __name__ == "__main__":
    sys.exit(main())
