#!/usr/bin/env python3
"""Whether 90_dispatch takes the fastest of its ways: times each of them at shapes drawn from a seed.

usage: ways.py BUILD SEED [COUNT]    BUILD/ways_SEED.tsv gets a line for each way of each shape; prints what it comes to
       ways.py BUILD SHAPES          the same at 643x495x1576:NT,1024x64x512:NN:odd:96; prints each shape's ways

`make ways SEED=7` calls it, for 60 shapes, and `make ways SHAPES=...`. A way is a kernel of one of the rungs, or two with an operand copied before.
What is printed: the share of shapes at which 90 is within 3 % of the fastest way, where it lost most, and of each way
how its time compares with what is expected (1 would be a model in cycles of 1.755 GHz that is right).
"""

import math
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

NEAR = 1.03
KINDS = {"index": int, "M": int, "N": int, "K": int, "form": str, "odd": int, "batch": int, "way": str, "blocks": int,
         "us": float, "cycles": float, "difference": float, "memory": int,
         "work": lambda text: [float(each) for each in text.split()]}
WRONG = 1e-3  # of the largest element: no order of an FP32 sum is off by that


def read(path):
    """{index: [row...]} of a file that ways has written."""
    shapes = {}
    for line in path.read_text().splitlines():
        row = {name: kind(cell) for (name, kind), cell in zip(KINDS.items(), line.split("\t"))}
        shapes.setdefault(row["index"], []).append(row)
    return shapes


def measure(build, seed, count):
    """What ways says of shapes drawn from a seed, or of those listed."""
    listed = not str(seed).isdigit()
    path = build / f"ways_{'listed' if listed else seed}.tsv"
    if subprocess.run([build / "ways", str(seed), *([] if listed else [str(count)]), path]).returncode != 0:
        sys.exit("ways.py: nothing was measured; ways has said why")
    return read(path)


def best_of(rows):
    """The fastest way of a shape. `copied` is no way: it is the copies without their product."""
    return min((row for row in rows if row["way"] != "copied"), key=lambda row: row["us"])


def name(row):
    return (f"{row['M']}x{row['N']}x{row['K']} {row['form']}" + " odd" * row["odd"] +
            f" batch {row['batch']}" * (row["batch"] > 1))


def summary(shapes):
    losses, quotients, lines = [], {}, []
    for rows in shapes.values():
        chosen, best = next(row for row in rows if row["way"] == "90"), best_of(rows)
        losses.append((chosen["us"] / best["us"], chosen, best))
        for row in rows:
            quotients.setdefault(row["way"], []).append(1755 * row["us"] / row["cycles"])
            if not row["difference"] < WRONG:
                lines.append(f"WRONG: {row['way']} at {name(row)}: {row['difference']}")
    near = sum(loss <= NEAR for loss, *_ in losses)
    mean = math.exp(statistics.fmean(math.log(loss) for loss, *_ in losses))
    lines.append(f"{100 * near / len(losses):.1f} % of {len(losses)} shapes within 3 % of the fastest way; it takes "
                 f"{mean:.3f} times as long in the geometric mean")
    for loss, chosen, best in sorted(losses, key=lambda each: -each[0])[:10]:
        lines.append(f"  {name(chosen)}: {chosen['us']} us, {best['way']}/{best['blocks']} {best['us']} us, {loss:.2f}x")
    for way, found in sorted(quotients.items()):
        found.sort()
        lines.append(f"  {way:20} time over model: {found[0]:.2f} to {found[-1]:.2f}, median "
                     f"{statistics.median(found):.2f} of {len(found)}")
    return lines


def every_way(shapes):
    """Lines of text: the ways of each shape, the fastest first, with the times measured and expected."""
    lines = []
    for rows in shapes.values():
        lines.append(name(rows[0]))
        lines += [f"  {row['way'] + '/' + str(row['blocks']):20} {row['us']:10.3f} us, expected {row['cycles'] / 1755:10.3f}"
                  for row in sorted(rows, key=lambda row: row["us"])]
    return lines


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    shapes = measure(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 60)
    found = (every_way(shapes) if not sys.argv[2].isdigit() else []) + summary(shapes)
    print(*found, sep="\n")
    return any(line.startswith("WRONG") for line in found)


if __name__ == "__main__":
    sys.exit(main())
