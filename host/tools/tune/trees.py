"""Trees of questions that correct what a sum of costs says of a time (plugins/common/gemm/cost_trees.h), and their learning.

A tree is (questions, leaves): QUESTIONS pairs of a count's number and what it must be above, in eighths of its
logarithm, and for each combination of answers thousandths of the logarithm of a factor. Trees are learned one after the
other, each of what those before have left.
"""

import re
import struct

TREES, QUESTIONS = 24, 3
RATE = 0.3      # what a tree takes of what is left
PRIOR = 10      # times that say nothing is wrong, beside those of each leaf
THRESHOLDS = 16  # of a count, at most, that are tried


def eighths(count):
    """As in cost_trees.h."""
    return (struct.unpack("<I", struct.pack("<f", count))[0] >> 20) - (127 << 3) if count > 0 else -1000


def thresholds_of(values):
    """Values of a count between which questions may divide it: so that equally many are between two of them."""
    ordered = sorted(values)
    found = {ordered[(2 * i + 1) * len(ordered) // (2 * THRESHOLDS)] for i in range(THRESHOLDS)}
    return sorted(found - {ordered[-1]})


def best_question(bins, thresholds, leaf_of, leaves, left, weights):
    """(count, number of the threshold) that explains most of what is left, if asked in every leaf."""
    best = (0.0, None)
    for count, limits in enumerate(thresholds):
        if not limits:
            continue
        width = len(limits) + 1
        sums, sizes = [0.0] * (leaves * width), [0.0] * (leaves * width)
        for row, leaf, value, weight in zip(bins[count], leaf_of, left, weights):
            sums[leaf * width + row] += value
            sizes[leaf * width + row] += weight
        for number in range(len(limits)):
            gain = 0.0
            for first in range(0, leaves * width, width):
                below, above = slice(first, first + number + 1), slice(first + number + 1, first + width)
                gain += sum(sums[below]) ** 2 / (sum(sizes[below]) + PRIOR) + sum(sums[above]) ** 2 / (sum(sizes[above]) + PRIOR)
            if gain > best[0]:
                best = (gain, (count, number))
    return best[1]


def grow(work, logarithms, weights):
    """TREES trees of a way, from the work of its calls and what is missing of the logarithm of their times."""
    counts = list(zip(*([eighths(each) for each in row] for row in work)))
    thresholds = [thresholds_of(values) for values in counts]
    bins = [[sum(value > limit for limit in limits) for value in values] for values, limits in zip(counts, thresholds)]
    left = [value * weight for value, weight in zip(logarithms, weights)]
    trees = []
    for _ in range(TREES):
        leaf_of, questions = [0] * len(work), []
        for depth in range(QUESTIONS):
            asked = best_question(bins, thresholds, leaf_of, 1 << depth, left, weights)
            if not asked:
                return trees
            count, number = asked
            questions.append((count, thresholds[count][number]))
            leaf_of = [2 * leaf + (row > number) for leaf, row in zip(leaf_of, bins[count])]
        sums, sizes = [0.0] * (1 << QUESTIONS), [0.0] * (1 << QUESTIONS)
        for leaf, value, weight in zip(leaf_of, left, weights):
            sums[leaf] += value
            sizes[leaf] += weight
        leaves = [round(1000 * RATE * each / (size + PRIOR)) for each, size in zip(sums, sizes)]
        left = [value - weight * leaves[leaf] / 1000 for leaf, value, weight in zip(leaf_of, left, weights)]
        trees.append((questions, leaves))
    return trees


def correction(trees, work):
    """The logarithm of the factor of a call."""
    counts = [eighths(each) for each in work]
    thousandths = 0
    for questions, leaves in trees:
        leaf = 0
        for count, above in questions:
            leaf = 2 * leaf + (counts[count] > above)
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
