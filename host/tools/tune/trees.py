"""Trees of questions that correct what a sum of costs says of a time (plugins/common/gemm/cost_trees.h), and their learning.

A tree is (questions, leaves): QUESTIONS pairs of a feature's number and what it must be above, and for each combination
of answers thousandths of the logarithm of a factor. The features are the counts, in eighths of their logarithms, the
share that each has in the sum of costs, in 64ths, and the sum. Trees are learned one after the other, each of what those
before have left.
"""

import bisect
import re
import struct

TREES, QUESTIONS = 48, 4
RATE = 0.3      # what a tree takes of what is left
PRIOR = 10      # times that say nothing is wrong, beside those of each leaf
THRESHOLDS = 16  # of a count, at most, that are tried


def eighths(count):
    """As in cost_trees.h."""
    return (struct.unpack("<I", struct.pack("<f", count))[0] >> 20) - (127 << 3) if count > 0 else -1000


def features(costs, work):
    """What the trees of a way are asked about, of one call."""
    parts = list(map(float.__mul__, costs, work))
    total = max(sum(parts), 1.0)
    return [*map(eighths, work), *(int(64 * part / total) for part in parts), eighths(total)]


def thresholds_of(values):
    """Values of a count between which questions may divide it: so that equally many are between two of them."""
    ordered = sorted(values)
    found = {ordered[(2 * i + 1) * len(ordered) // (2 * THRESHOLDS)] for i in range(THRESHOLDS)}
    return sorted(found - {ordered[-1]})


def best_question(bins, thresholds, leaf_of, leaves, left, weights):
    """(feature, number of the threshold) that explains most of what is left, if asked in every leaf."""
    best = (0.0, None)
    for feature, limits in enumerate(thresholds):
        if not limits:
            continue
        width = len(limits) + 1
        sums, sizes = [0.0] * (leaves * width), [0.0] * (leaves * width)
        for row, leaf, value, weight in zip(bins[feature], leaf_of, left, weights):
            sums[leaf * width + row] += value
            sizes[leaf * width + row] += weight
        for number in range(len(limits)):
            gain = 0.0
            for first in range(0, leaves * width, width):
                below, above = slice(first, first + number + 1), slice(first + number + 1, first + width)
                gain += sum(sums[below]) ** 2 / (sum(sizes[below]) + PRIOR) + sum(sums[above]) ** 2 / (sum(sizes[above]) + PRIOR)
            if gain > best[0]:
                best = (gain, (feature, number))
    return best[1]


def grow(calls, logarithms, weights):
    """TREES trees of a way, from the features of its calls and what is missing of the logarithm of their times."""
    columns = list(zip(*calls))
    thresholds = [thresholds_of(values) for values in columns]
    bins = [[bisect.bisect_left(limits, value) for value in values] for values, limits in zip(columns, thresholds)]
    left = [value * weight for value, weight in zip(logarithms, weights)]
    trees = []
    for _ in range(TREES):
        leaf_of, questions = [0] * len(calls), []
        for depth in range(QUESTIONS):
            asked = best_question(bins, thresholds, leaf_of, 1 << depth, left, weights)
            if not asked:
                return trees
            feature, number = asked
            questions.append((feature, thresholds[feature][number]))
            leaf_of = [2 * leaf + (row > number) for leaf, row in zip(leaf_of, bins[feature])]
        sums, sizes = [0.0] * (1 << QUESTIONS), [0.0] * (1 << QUESTIONS)
        for leaf, value, weight in zip(leaf_of, left, weights):
            sums[leaf] += value
            sizes[leaf] += weight
        leaves = [round(1000 * RATE * each / (size + PRIOR)) for each, size in zip(sums, sizes)]
        left = [value - weight * leaves[leaf] / 1000 for leaf, value, weight in zip(leaf_of, left, weights)]
        trees.append((questions, leaves))
    return trees


def correction(trees, features_of_call):
    """The logarithm of the factor of a call."""
    thousandths = 0
    for questions, leaves in trees:
        leaf = 0
        for feature, above in questions:
            leaf = 2 * leaf + (features_of_call[feature] > above)
        thousandths += leaves[leaf]
    return thousandths / 1000


def with_trees(header, capability, gpu, names, trees):
    """The text of way_trees.h with a way's trees each, in place of those of GPUs of the same compute capability."""
    start, table, end = re.match(r"(.*clang-format off\n)(.*)(// clang-format on\n.*)", header, re.DOTALL).groups()
    groups = dict(re.findall(r"(constexpr CostTree kTreesOf(?:\d+)\[\].*?\n)(.*?\n\};\n)", table, re.DOTALL))
    lines = [f"    // {gpu}"]
    for name in names:
        rows = ["{" + ",".join(map(str, [each for question in questions for each in question] + leaves)) + "}"
                for questions, leaves in trees.get(name, [])]
        lines.append(f"    {{  // {name}")
        while rows:
            line = "     "
            while rows and len(line) + len(rows[0]) < 118:
                line += " " + rows.pop(0) + ","
            lines.append(line)
        lines.append("    },")
    groups[f"constexpr CostTree kTreesOf{capability}[][kTreesOfWay] = {{\n"] = "\n".join(lines) + "\n};\n"
    return start + "\n".join(name + groups[name] for name in sorted(groups)) + end
