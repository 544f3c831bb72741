#!/usr/bin/env python3
"""Measures what the work of 90_dispatch's ways costs on this GPU, and writes it into way_costs.h.

usage: tune.py BUILD FOLDER RESULTS SEED [COUNT]    times all ways at COUNT shapes (4000) of a seed, fits their costs and
                                                    trees, and holds them against 300 shapes of the seed after it

`make tune` calls it. A way's time is a sum, of what its work is counted as (plugins/common/gemm/work.h) times what one
of each costs. The costs are those, none of them negative, with which the sum is nearest to the times: errors count by
their share of the time, less where they are large, and less where a way takes far longer than the fastest one. What the
sums miss, trees are learned of (trees.py; it needs LightGBM). FOLDER's way_costs.h and way_trees.h get them in place of
those of GPUs of the same compute capability; RESULTS/GPU_tune.md says how well they fit.
"""

import datetime
import math
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ways  # noqa: E402
import results  # noqa: E402
import trees  # noqa: E402

CYCLES_OF_US = 1755  # of the clock that costs are given in
FAR = 0.15           # an error of that share counts half
SLOWER = 1.0         # a way that takes as much longer than the fastest one counts half
LEAST_ROWS = 20      # with fewer times of a way its costs stay as they are
MOST_MISSED = 0.6    # of the logarithm of a time: more was a mistake of measuring


def nonnegative(rows, wanted, weights):
    """The x >= 0 for which the weighted squares of rows * x - wanted are the least: one coordinate after the other."""
    count = len(rows[0])
    scale = [max(max(row[i] for row in rows), 1e-9) for i in range(count)]
    square = [[0.0] * count for _ in range(count)]
    right = [0.0] * count
    for row, value, weight in zip(rows, wanted, weights):
        scaled = [each / largest for each, largest in zip(row, scale)]
        filled = [i for i in range(count) if scaled[i]]
        for i in filled:
            right[i] += weight * scaled[i] * value
            for j in filled:
                square[i][j] += weight * scaled[i] * scaled[j]
    x = [0.0] * count
    for _ in range(3000):
        change = 0.0
        for i in range(count):
            if square[i][i] <= 0:
                continue
            better = max(0.0, x[i] + (right[i] - sum(map(float.__mul__, square[i], x))) / square[i][i])
            change = max(change, abs(better - x[i]))
            x[i] = better
        if change < 1e-3:
            break
    return [each / largest for each, largest in zip(x, scale)]


def expected(costs, work):
    return sum(map(float.__mul__, costs, work))


def fit(work, cycles, nearness):
    """The costs of a way from what its times were."""
    costs = None
    for _ in range(8):
        weights = []
        for counts, each, near in zip(work, cycles, nearness):
            found = max(expected(costs, counts), 1.0) if costs else each
            far = (math.log(found / each) / FAR) ** 2
            weights.append(near / (each * found) / math.sqrt(1 + far))
        costs = nonnegative(work, cycles, weights)
    return costs


def nearness_of(row, best):
    """How much a time counts, of a shape whose fastest way takes `best`."""
    return 1 / (1 + ((row["us"] / best - 1) / SLOWER) ** 2) if row["way"] != "copied" else 1


def times_of(shapes):
    """{way: (work, cycles, nearness)} of what ways has measured, a list each."""
    found = {}
    for rows in shapes.values():
        best = ways.best_of(rows)["us"]
        for row in rows:
            if any(row["work"]):
                work, cycles, nearness = found.setdefault(row["way"], ([], [], []))
                work.append(row["work"])
                cycles.append(CYCLES_OF_US * row["us"])
                nearness.append(nearness_of(row, best))
    return found


def digits_of(cost):
    """As it is written: few digits, so that those of a way are a line of the header."""
    return f"{cost:.3g}" if 1e-3 < cost < 20 else f"{cost:.0f}"


def fit_all(shapes):
    """{way: costs} from what ways has measured, as they are written."""
    return {way: [float(digits_of(cost)) for cost in fit(*rows)]
            for way, rows in times_of(shapes).items() if len(rows[0]) >= LEAST_ROWS}


def features_of(row, costs, names):
    sizes = [row[size] for size in ("M", "N", "K", "batch", "memory")]
    return trees.features(costs[row["way"]], row["work"], sizes, names.index(row["way"]))


def learn_all(shapes, costs, names):
    """Trees from the same, and the costs that they correct."""
    calls, missed, weights = [], [], []
    for rows in shapes.values():
        best = ways.best_of(rows)["us"]
        for row in rows:
            if row["way"] in costs:
                off = math.log(CYCLES_OF_US * row["us"] / max(expected(costs[row["way"]], row["work"]), 1))
                calls.append(features_of(row, costs, names))
                missed.append(max(-MOST_MISSED, min(MOST_MISSED, off)))
                weights.append(nearness_of(row, best))
    return trees.learn(calls, missed, weights)


def model(costs, learned, names):
    """What a row of ways is expected to take, in cycles."""
    return lambda row: max(expected(costs[row["way"]], row["work"]), 1) * math.exp(
        trees.correction(learned, features_of(row, costs, names)))


def errors(shapes, cycles, costs):
    """{way: [the logarithm of the expected time, that cycles(row) is, over the measured one]}."""
    found = {}
    for rows in shapes.values():
        for row in rows:
            if row["way"] in costs:
                found.setdefault(row["way"], []).append(math.log(cycles(row) / CYCLES_OF_US / row["us"]))
    return found


def losses(shapes, cycles, costs):
    """How much longer the way takes that is expected to be the fastest, of each shape; turning is left out."""
    found = []
    for rows in shapes.values():
        single = [row for row in rows if row["way"] in costs and row["way"] != "copied"]
        if single:
            found.append(min(single, key=cycles)["us"] / min(row["us"] for row in single))
    return found


def names_in(header):
    """The ways that have costs, in the order of enum WayId."""
    names = re.findall(r'"(\w+)"', header.split("kWayNames[] = {")[1].split("}")[0])
    return names[: names.index("one_by_one")]


def with_costs(header, capability, gpu, costs):
    """The text of way_costs.h with these costs; those of ways that were not measured stay."""
    start, table, end = re.match(r"(.*kCostsOfGpus\[\] = \{\n)(.*?)(\n\};.*)", header, re.DOTALL).groups()
    groups = {int(group[0]): group for group in
              re.findall(r"\{(\d+),\s*\{\s*// ([^\n]*)\n(.*?)\n\s*\},\s*\{kQuestionsOf", table, re.DOTALL)}
    names = names_in(header)
    before = re.findall(r"(\{[^}]*\}),\s*// \w+", groups.get(capability, next(iter(groups.values())))[2])
    lines = []
    for name, text in zip(names, before, strict=True):
        if name in costs:
            text = "{" + ", ".join(map(digits_of, costs[name])) + "}"
        lines.append(f"         {text},  // {name}")
    groups[capability] = (capability, gpu, "\n".join(lines))
    written = [f"    {{{key},\n     {{\n         // {groups[key][1]}\n{groups[key][2]}\n     }},\n     {{kQuestionsOf{key}, kTreesOf{key}}}}},"
               for key in sorted(groups)]
    return start + "\n".join(written) + end


def report(shapes, costs, learned, names):
    """Lines of Markdown: how well costs and trees fit these shapes."""
    lines = ["| at shapes that nothing was fitted to | longer than the fastest way, in the mean | within 3 % of it | over 10 % |",
             "|---|--:|--:|--:|"]
    for name, with_trees in (("sums of costs", ([], [])), ("and trees", learned)):
        found = losses(shapes, model(costs, with_trees, names), costs)
        mean = math.exp(statistics.fmean(map(math.log, found)))
        near, far = (100 * sum(map(test, found)) / len(found) for test in ((1.03).__gt__, (1.10).__lt__))
        lines.append(f"| {name}, {len(found)} | {100 * (mean - 1):.1f} % | {near:.0f} % | {far:.0f} % |")
    lines += ["", "| way | times | expected over measured | standard deviation of its logarithm |", "|---|--:|--:|--:|"]
    for way, each in sorted(errors(shapes, model(costs, learned, names), costs).items()):
        lines.append(f"| {way} | {len(each)} | {math.exp(statistics.fmean(each)):.2f} | {statistics.pstdev(each):.2f} |")
    return lines


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    trees.libraries()  # before minutes of measuring
    build, folder, figures = map(pathlib.Path, sys.argv[1:4])
    seed, count = int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) == 6 else 4000
    shapes = ways.measure(build, seed, count)
    costs = fit_all(shapes)
    header, forest = folder / "way_costs.h", folder / "way_trees.h"
    names = names_in(header.read_text())
    learned = learn_all(shapes, costs, names)
    others = ways.measure(build, seed + 1, 300)
    gpu, driver = results.gpu()
    capability = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"],
                                capture_output=True, text=True, check=True).stdout.splitlines()[0].replace(".", "")
    header.write_text(with_costs(header.read_text(), int(capability), gpu, costs))
    forest.write_text(trees.with_trees(forest.read_text(), capability, gpu, learned))
    lines = report(others, costs, learned, names)
    (figures / f"{results.short_name(gpu)}_tune.md").write_text(
        f"# What 90_dispatch's ways are expected to take\n\n{gpu}, {driver}, {datetime.date.today()}, "
        f"`make tune SEED={seed}`, {count} shapes\n\n" + "\n".join(lines) + "\n")
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
