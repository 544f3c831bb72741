#!/usr/bin/env python3
"""Races 90_dispatch against cuBLAS where operands are transposed, in batches, and at shapes where it was once behind.

usage: operations.py BUILD RESULTS SEED    RESULTS/GPU_operations.md gets the tables; prints them

`make operations SEED=7` calls it. Times are GPU times of calls back to back in CUDA graphs, ratios those to the faster of
cuBLAS's pedantic and default FP32 modes at the same call; cold, single calls behind a kernel that fills L2. Six of the
shapes with transposed operands are drawn from the seed, each side from 1024 to 8192; "over NN" is of a race of the four
forms with each other, without cuBLAS. The host's time is that from a call to its return, ten calls one after the other.
`must` is what is asked: of NT, TN and TT 4 % more time than NN at most and 1.05x, of batches 1.1x, of the host 3.5 us and
2 for each kernel after the first. Exit status 1 if a must is not met, or C is off.
"""

import datetime
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import results  # noqa: E402
import survey  # noqa: E402

FORMS = ["NN", "NT", "TN", "TT"]
SHAPES = ["1024x1024x1024", "1536x1536x1536", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "4096x1024x4096"]
BATCHES = ["512x64x512:NN:even:96", "1024x1024x64:NN:even:12", "64x64x64:NN:even:1000", "16x16x16:NN:even:4096"]
ONCE_BEHIND = ["1000000x3x3", "9x67x8864", "100352x147x64", "4331x146x1263", "1175x96x623", "261x60x3444", "1x768x50257",
               "10x457x454", "886x170x59", "3885x130x324", "5588x138x176", "8461x294x700", "2094x66x80"]
HOST = ["512x512x512", "1024x1024x1024", "2048x2048x2048", "333x333x333", "700x900x1111", "128x8192x8192"]
MOST_OVER_NN, LEAST_RATIO, LEAST_OF_BATCH, HOST_US, HOST_US_MORE = 1.04, 1.05, 1.1, 3.5, 2.0


def race(build, name, shapes):
    """A row of the survey for each of the shapes, as they are named."""
    lines = build / f"operations_{name}.txt"
    lines.unlink(missing_ok=True)
    libraries = [build / "plugins/cuda" / f"{library}.so" for library in survey.LIBRARIES]
    subprocess.run([build / "survey", ",".join(shapes), lines, *libraries], check=True)
    return survey.read_rows(lines.read_text())


def times_of_forms(build, shapes):
    """Of each of the shapes the times of FORMS, in us, which were raced with each other."""
    lines = build / "operations_over_nn.txt"
    lines.unlink(missing_ok=True)
    plugin = build / "plugins/cuda" / f"{survey.LIBRARIES[0]}.so"
    subprocess.run([build / "survey", ",".join(shapes), lines, plugin], check=True)
    return [[float(us) for us in line.split("\t")[1:]] for line in lines.read_text().splitlines()]


def rate(row, batch=1):
    """TFLOP/s."""
    M, N, K = map(int, row["shape"].split("x"))
    return 2e-6 * M * N * K * batch / row["hot_us"]


def ratio(row):
    return f"{row['ratio']:.3f} [{row['low']:.3f}, {row['high']:.3f}] | {row['cold_ratio']:.3f}"


def met(is_met):
    return "yes" if is_met else "NO"


def of_forms(build, seed):
    drawn = random.Random(seed)
    shapes = SHAPES + ["x".join(str(drawn.randint(1024, 8192)) for _ in range(3)) for _ in range(6)]
    rows = race(build, "forms", [f"{shape}:{form}" for shape in shapes for form in FORMS])
    over_nn = [us / times[0] for times in times_of_forms(build, shapes) for us in times]
    lines = ["| MxNxK | form | us | TFLOP/s | over NN | x cuBLAS [95 %] | cold | met |", "|---|---|--:|--:|--:|---|--:|---|"]
    for row, over in zip(rows, over_nn):
        is_met = row["form"] == "NN" or (over <= MOST_OVER_NN and row["high"] >= LEAST_RATIO)
        lines.append(f"| {row['shape']} | {row['form']} | {row['hot_us']:.1f} | {rate(row):.1f} | {over:.3f} | {ratio(row)} | "
                     f"{met(is_met)} |")
    return lines, rows


def of_batches(build):
    rows = race(build, "batches", BATCHES)
    lines = ["| batch of | us | TFLOP/s | x cuBLAS [95 %] | cold | met |", "|---|--:|--:|---|--:|---|"]
    for row, name in zip(rows, BATCHES):
        batch = int(name.split(":")[3])
        lines.append(f"| {batch} of {row['shape']} | {row['hot_us']:.1f} | {rate(row, batch):.1f} | {ratio(row)} | "
                     f"{met(row['high'] >= LEAST_OF_BATCH)} |")
    return lines, rows


def of_once_behind(build):
    rows = race(build, "once_behind", ONCE_BEHIND)
    lines = ["| MxNxK | us | x cuBLAS [95 %] | cold |", "|---|--:|---|--:|"]
    lines += [f"| {row['shape']} | {row['hot_us']:.1f} | {ratio(row)} |" for row in rows]
    return lines, rows


def of_host(build):
    libraries = [build / "plugins/cuda" / f"{library}.so" for library in survey.LIBRARIES[:2]]
    found = subprocess.run([build / "host_time", ",".join(HOST), *libraries], check=True, capture_output=True, text=True)
    lines = ["| MxNxK | kernels | us of the host | cuBLAS | an empty kernel | met |", "|---|--:|--:|--:|--:|---|"]
    for line in found.stdout.splitlines():
        shape, kernels, us, cublas, empty = line.split("\t")
        most = HOST_US + HOST_US_MORE * (int(kernels) - 1)
        lines.append(f"| {shape} | {kernels} | {us} | {cublas} | {empty} | {met(float(us) <= most)} |")
    return lines


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    build, folder, seed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    device, driver = results.gpu()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    forms, form_rows = of_forms(build, seed)
    batches, batch_rows = of_batches(build)
    behind, behind_rows = of_once_behind(build)
    lines = ["# 90_dispatch where operands are transposed, in batches, and where it was once behind", "",
             f"- device: {device}", f"- driver: {driver}", f"- date: {datetime.date.today()}",
             f"- commit: {commit or 'unknown'}", f"- command: make operations SEED={seed}", "",
             "## Transposed operands", "", *forms, "", "## Batches", "", *batches, "", "## Once behind", "", *behind, "",
             "## The host's time for a call", "", *of_host(build)]
    text = "\n".join(lines) + "\n"
    (folder / f"{results.short_name(device)}_operations.md").write_text(text)
    print(text)
    wrong = [row["shape"] for row in form_rows + batch_rows + behind_rows if not row["difference"] < survey.WRONG]
    if wrong:
        print("WRONG:", *wrong)
    sys.exit(bool(wrong) or "| NO |" in text)


if __name__ == "__main__":
    main()
