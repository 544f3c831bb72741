#!/usr/bin/env python3
"""How far off 83 and 85 are, beside cuBLAS's FP32, by compare: numbers of all ranges, at many sizes.

usage: accuracy.py BUILD OUTPUT [SIZE...]     e.g. accuracy.py build build/accuracy.md 512 4096

OUTPUT gets a table for each kind of numbers (--data of compare), a line a size; 128 to 16384, if none is named. Its
first lines say on which device, by which driver, of which commit and by which command.

  rho        largest |C - C64| / (u |A||B|) of an element, u = 2^-24; of 85 at most cuBLAS's is asked for, of positive
             numbers at most that or 4
  normwise   ||C - C64|| / ||C64||; of normal numbers at most cuBLAS's is asked for, of positive ones at most that or
             4 u
  way        by which numbers 85 has multiplied: BF16, if its rho is to the last digit that of version 85_bf16 of
             split.py, which packs in BF16 whatever the numbers are; FP16, if it is that of 83

Where no GPU answers, the emulator judges one size, and there is no cuBLAS beside it. Exit status 1 if a row is not ok,
or an error is larger than is asked for.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import split

DATA = {"normal": "normal", "positive": "uniform on [0, 1)", "wide20": "normal, each times 2^-20 to 2^20",
        "wide40": "normal, each times 2^-40 to 2^40",
        "uneven": "normal, rows of A and columns of B times 2^-50 to 2^50",
        "tiny": "normal, A times 2^-140, B times 2^100", "huge": "normal, A times 2^125, B times 2^-100"}
SIZES = [128, 200, 256, 384, 512, 640, 768, 777, 896, 1024, 1281, 1537, 2048, 2051, 3001, 4096, 4097, 8192, 16384]
IN_EMULATOR = [96]
VERSIONS = ["83", "85", "85_bf16"]
CUBLAS = "00_cublas_fp32"
# 83 computes what FP16 cannot hold in FP32, a fiftieth as fast: above this size it is asked for tame numbers only.
MOST_OF_83 = 1024
TAME = ["normal", "positive", "uneven"]


def judge(build, data, sizes, names, on_gpu):
    """compare's rows of these versions and of cuBLAS on the same matrices, by size, and its environment."""
    libraries = [str(build / f"split/v_{name}.so") for name in names]
    libraries += [str(build / f"plugins/cuda/{CUBLAS}.so")] if on_gpu else []
    saved = build / "accuracy.json"
    saved.unlink(missing_ok=True)
    command = [str(build / "compare"), *libraries, "--data", data, "--seed", "7", "--quick", "--check-only"]
    command += [word for size in sizes for word in ("--shape", str(size))] + ["--json", str(saved)]
    subprocess.run(command, stdout=subprocess.DEVNULL)
    run = json.loads(saved.read_text()) if saved.exists() else {"rows": [], "environment": {}}
    found = {size: {} for size in sizes}
    for row in run["rows"]:
        found[int(row["shape"].split("x")[0])][row["plugin"].removeprefix("v_")] = row
    return found, run["environment"]


def errors(row):
    return (row["rho"], row["normwise"]) if row and row["status"] == "ok" else None


def way(rows):
    own, of_bf16, of_83 = (errors(rows.get(name)) for name in ("85", "85_bf16", "83"))
    if own and of_bf16 and own[0] == of_bf16[0]:
        return "BF16"
    return "FP16" if own and of_83 and own[0] == of_83[0] else ""


def is_enough(data, own, base):
    """Whether 85's errors are as small as is asked for."""
    least = 4.0 if data == "positive" else 0.0
    normwise = own[1] <= max(base[1], least * 2.0 ** -24) or data not in ("normal", "positive")
    return normwise and own[0] <= max(base[0], least)


def line(data, size, rows):
    cells = [split.number(errors(rows[name])[0], 2) if errors(rows.get(name)) else "" for name in (CUBLAS, "83", "85")]
    own, base = errors(rows.get("85")), errors(rows.get(CUBLAS))
    met = "" if not (own and base) else "yes" if is_enough(data, own, base) else "no"
    normwise = [f"{own[1]:.2e}" if own else "", split.number(own[1] / base[1], 2) if own and base and base[1] else ""]
    return f"| {size} | {' | '.join(cells)} | {' | '.join(normwise)} | {way(rows)} | {met} |"


def versions_at(data, size):
    return [name for name in VERSIONS if name != "83" or data in TAME or size <= MOST_OF_83]


def missing(data, size, rows, on_gpu):
    """What should have a row and has none."""
    return [name for name in versions_at(data, size) + ([CUBLAS] if on_gpu else []) if name not in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("sizes", type=int, nargs="*", metavar="SIZE", help=f"{SIZES}, if none is named")
    arguments = parser.parse_args()
    on_gpu = split.has_gpu()
    split.build_versions(arguments.build, VERSIONS)
    tables, bad, count, environment = [], [], 0, {}
    for data, what in DATA.items():
        tables += ["", f"## --data {data}: {what}", ""]
        tables.append("| n | rho of cuBLAS | of 83 | of 85 | normwise of 85 | x cuBLAS | way of 85 | met |")
        tables.append("|--:|--:|--:|--:|--:|--:|---|---|")
        sizes = arguments.sizes or (SIZES if on_gpu else IN_EMULATOR)
        found = {}
        for names in dict.fromkeys(tuple(versions_at(data, size)) for size in sizes):
            of_names = [size for size in sizes if tuple(versions_at(data, size)) == names]
            more, of_run = judge(arguments.build, data, of_names, names, on_gpu)
            found, environment = found | more, of_run or environment
        for size in sizes:
            rows = found[size]
            count += len(rows)
            bad += [f"{name} at {size}, {data}: compare has no row" for name in missing(data, size, rows, on_gpu)]
            tables.append(line(data, size, rows))
            print(data, tables[-1], flush=True)
            bad += [f"{name} at {size}, {data}: {row['status']}: {row['message']}"
                    for name, row in rows.items() if row["status"] != "ok"]
            bad += [f"85 at {size}, {data}: less accurate than is asked for"] if tables[-1].endswith(" no |") else []
    head = ["# The errors of the rungs for Hopper's tensor cores, beside cuBLAS's", "", split.head(environment)]
    arguments.output.write_text("\n".join(head + tables) + "\n")
    print("\n".join(bad) or f"{count} rows, all ok")
    return bool(bad) or not count


if __name__ == "__main__":
    sys.exit(main())
