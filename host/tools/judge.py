#!/usr/bin/env python3
"""Puts what is claimed of the judge's own figures to the test on a GPU, and writes what came out as Markdown.

usage: judge.py BUILD OUTPUT [CHECK...]     e.g. judge.py build host/results itself

Checks: classes, waiting, duration, quick, itself; all of them if none is named. The file is named after the GPU:
OUTPUT/h200_judge.md; what it has of other claims stays. The exit code is 1 if a claim fails.

The claims: a library raced against itself is about equal in 19 of 20 runs; each product has its class; a
plugin that waits for its work and one that does not get the same ratio; the whole ladder takes no longer than promised.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import time

import results

NVCC = ["nvcc", "-std=c++20", "-O3", "-arch=native", "-shared", "-Xcompiler", "-fPIC,-fno-gnu-unique",
        '-DPLUGIN_NAME="waits"']
RUNS = 20
SQUARE = {size: f"{size}x{size}x{size}" for size in (512, 1024, 2048, 4096)}
CLASSES = {"00_cublas_fp32": "FP32", "01_cublas_tf32": "TF32-grade", "64_cp_async": "FP32", "74_mma_tf32": "TF32-grade"}


class Judge:
    def __init__(self, build):
        self.build, self.lines, self.failed = build, [], False

    def rows(self, *arguments):
        """What compare finds with these arguments: its rows, and the seconds that it took."""
        file = self.build / "judge.json"
        start = time.monotonic()
        subprocess.run([str(self.build / "compare"), "--json", str(file), *map(str, arguments)], stdout=subprocess.DEVNULL)
        return json.loads(file.read_text())["rows"], time.monotonic() - start

    def claim(self, text, holds, found):
        self.failed |= not holds
        self.lines.append(f"| {text} | {found} | {'yes' if holds else '**no**'} |")
        print(self.lines[-1], flush=True)

    def plugin(self, name):
        return self.build / "plugins/cuda" / f"{name}.so"


def check_against_itself(judge):
    shapes = [argument for size in (512, 1024, 4096) for argument in ("--shape", SQUARE[size])]
    equal = {}
    for _ in range(RUNS):
        for row in judge.rows(judge.plugin("00_cublas_fp32"), *shapes)[0]:
            low, high = row["ratio_interval"] or (2, 2)
            equal[row["shape"]] = equal.get(row["shape"], 0) + (low <= 1 <= high)
    for shape, count in equal.items():
        judge.claim(f"cuBLAS against itself at {shape}: the interval holds 1", count >= 0.95 * RUNS, f"{count} of {RUNS}")


def check_classes(judge):
    for name, expected in CLASSES.items():
        row = judge.rows(judge.plugin(name), "--shape", SQUARE[1024], "--check-only")[0][0]
        judge.claim(f"{name} is {expected}", row["class"] == expected, row["class"])


def check_waiting(judge):
    waits = judge.build / "waits.so"
    subprocess.run([*NVCC, "-o", str(waits), "tests/foreign/waits.cu"], check=True)
    row, waiting = (judge.rows(path, judge.plugin("00_cublas_fp32"), "--filter", path.stem, "--shape", SQUARE[2048])[0][0]
                    for path in (judge.plugin("64_cp_async"), waits))
    apart = abs(waiting["ratio"] / row["ratio"] - 1)
    judge.claim("64 and 64 with a wait have ratios within 2 % at 2048", waiting["waits"] and apart <= 0.02,
                f"{row['ratio']:.3f} and {waiting['ratio']:.3f}")


def check_duration(judge, seconds=180, options=""):
    file = judge.build / f"race{options.replace('--', '_')}.json"
    start = time.monotonic()
    code = subprocess.run(["make", f"BUILD={judge.build}", "run", f"ARGS={options} --json {file}"],
                          stdout=subprocess.DEVNULL).returncode
    taken = time.monotonic() - start
    rows = json.loads(file.read_text())["rows"]
    wrong = [f"{row['plugin']} {row['shape']} {row['status']}" for row in rows if row["status"] != "ok"]
    judge.claim(f"make run{options and f' ARGS={options}'} races the whole ladder in {seconds} s",
                code == 0 and taken <= seconds and not wrong,
                f"{taken:.0f} s, {len(rows)} rows, {', '.join(wrong) or 'all ok'}")


def check_quick_duration(judge):
    check_duration(judge, 40, "--quick")


CHECKS = {"classes": check_classes, "waiting": check_waiting, "duration": check_duration, "quick": check_quick_duration,
          "itself": check_against_itself}


def main():
    judge, names = Judge(pathlib.Path(sys.argv[1])), sys.argv[3:] or list(CHECKS)
    gpu, driver = results.gpu()
    output = pathlib.Path(sys.argv[2]) / f"{results.short_name(gpu)}_judge.md"
    heading = ["# What is claimed of the judge", "",
               f"{gpu}, {driver}, {datetime.date.today()}, `make judge`; what is measured: host/tools/judge.py.", "",
               "| claim | found | holds |", "|---|---|---|"]
    before = output.read_text().splitlines()[len(heading):] if output.exists() else []
    for name in names:
        CHECKS[name](judge)
        found = {line.split("|")[1] for line in judge.lines}
        others = [line for line in before if line.split("|")[1] not in found]
        output.write_text("\n".join(heading + others + judge.lines) + "\n")  # after each: what was found is kept
    return judge.failed


if __name__ == "__main__":
    sys.exit(main())
