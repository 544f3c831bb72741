#!/usr/bin/env python3
"""Races 85 at odd shapes beside their aligned neighbours.

usage: odd.py BUILD OUTPUT [SEED [VERSION...]]     e.g. odd.py build build/odd.md 7 85 85_bf16

The shapes: squares next to 2048 and 4096; and, drawn from the seed, some whose sides are all odd, and some of which
one side is. All sides are 2047 to 4605. A shape's aligned neighbour has each side at the nearest multiple of 8, so that
every row begins at a multiple of 32 bytes, as 85 wants it of C. VERSION is one of split.py's; if none is named, 85 and
85_bf16, which is 85 as wild numbers have it. The first lines of OUTPUT say on which device, by which driver, of which
commit and by which command.

  TFLOP/s   2MNK over the median of calls back to back: splitting, packing and every launch included
  share     of the neighbour's TFLOP/s; at least 0.90 is asked for

Where no GPU answers, the emulator judges one shape and its neighbour, and there are no times. Exit status 1 if a row is
not ok.
"""

import argparse
import pathlib
import random
import sys

import split

MUST = 0.9
SQUARES = [2047, 2049, 2050, 2051, 2053, 4095, 4097]
IN_EMULATOR = (97, 79, 161)


def drawn(seed):
    draw = random.Random(seed)
    odd = lambda: 2 * draw.randrange(1024, 2304) - 1
    even = lambda: 8 * draw.randrange(256, 576)
    all_odd = [(odd(), odd(), odd()) for _ in range(8)]
    return all_odd + [tuple(odd() if side == at else even() for side in range(3)) for at in (0, 1, 2) for _ in range(2)]


def aligned(shape):
    return tuple((side + 4) // 8 * 8 for side in shape)


def text(shape):
    return "x".join(map(str, shape))


def table(rows, shapes, names, environment):
    """A line a shape and its neighbour, and per version both speeds and the share; then the least share of each."""
    speeds = {(row["plugin"].removeprefix("v_"), row["shape"]): row["tflops"] for row in rows if row["status"] == "ok"}
    lines = ["# 85 at odd shapes, beside their aligned neighbours", "", split.head(environment), ""]
    lines.append("| MxNxK | neighbour |" + "".join(f" {name} | neighbour | share |" for name in names))
    lines.append("|---|---|" + "--:|--:|--:|" * len(names))
    shares = {name: [] for name in names}
    for shape in shapes:
        cells = []
        for name in names:
            one, other = (speeds.get((name, text(each))) for each in (shape, aligned(shape)))
            share = one / other if one and other else None
            shares[name] += [share] if share else []
            cells += [split.number(one, 1), split.number(other, 1), split.number(share, 3)]
        lines.append(f"| {text(shape)} | {text(aligned(shape))} | " + " | ".join(cells) + " |")
    lines.append("")
    for name, found in shares.items():
        if found:
            enough = sum(each >= MUST for each in found)
            lines.append(f"{name}: {enough} of {len(shapes)} at least {MUST:.2f}, the least {min(found):.3f}.")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=["85", "85_bf16"])
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.versions if name not in split.VERSIONS]:
        parser.error(f"no such version: {', '.join(unknown)}; split.py has {', '.join(split.VERSIONS)}")
    split.build_versions(arguments.build, arguments.versions)
    on_gpu = split.has_gpu()
    shapes = [(side,) * 3 for side in SQUARES] + drawn(arguments.seed) if on_gpu else [IN_EMULATOR]
    raced = [text(each) for shape in shapes for each in (aligned(shape), shape)]
    rows, environment = split.race(arguments.build, arguments.versions, list(dict.fromkeys(raced)), on_gpu)
    arguments.output.write_text(table(rows, shapes, arguments.versions, environment))
    print(arguments.output.read_text())
    return split.say_wrong(rows)


if __name__ == "__main__":
    sys.exit(main())
