"""Trees of questions that correct what a sum of costs says of a time (plugins/common/gemm/cost_trees.h), and their learning.

Trees are (questions, first): a question is (feature, above, no, yes), where no and yes are the numbers of the questions
that follow, or a leaf, thousandths of the logarithm of a factor, less LEAF; `first` has each tree's first question, or
its only leaf. LightGBM learns them, one after the other, each of what those before have left.
"""

import math
import re
import struct
import sys

TREES, LEAVES = 64, 1023
RATE = 0.2               # what a tree takes of what is left
LEAST_TIMES = 6          # of a leaf
BINS = 511               # of the values of a feature, between which a question may draw its line
LEAF = 16384


def sixteenths(count):
    """As in cost_trees.h."""
    return (struct.unpack("<I", struct.pack("<f", count))[0] >> 19) - (127 << 4) if count > 0 else -2000


def features(costs, work, sizes, way):
    """What trees are asked about, of one call: sizes are M, N, K, the batch and the GB/s of the GPU's memory, and way is
    the number of the way."""
    parts = list(map(float.__mul__, costs, work))
    total = max(sum(parts), 1.0)
    return [*map(sixteenths, work), *(int(64 * part / total) for part in parts), sixteenths(total),
            *map(sixteenths, map(float, sizes)), way]


def flattened(model):
    """Trees, as they are written, from those that LightGBM has learned."""
    questions, first = [], []

    def number_of(node):
        if "leaf_value" in node:
            return round(1000 * node["leaf_value"]) - LEAF
        number = len(questions)
        questions.append(None)
        no, yes = number_of(node["left_child"]), number_of(node["right_child"])
        questions[number] = (node["split_feature"], math.floor(node["threshold"]), no, yes)
        return number

    for tree in model["tree_info"]:
        first.append(number_of(tree["tree_structure"]))
    return questions, first


def libraries():
    """LightGBM and NumPy."""
    try:
        import lightgbm
        import numpy
    except ImportError:
        sys.exit("tune.py: LightGBM, which learns the trees, is not installed: pip install lightgbm")
    return lightgbm, numpy


def learn(calls, logarithms, weights):
    """Trees from the features of calls and what is missing of the logarithms of their times."""
    lightgbm, numpy = libraries()
    data = lightgbm.Dataset(numpy.array(calls, float), numpy.array(logarithms), weight=numpy.array(weights))
    given = {"objective": "l2", "num_leaves": LEAVES, "learning_rate": RATE, "min_data_in_leaf": LEAST_TIMES, "max_bin": BINS,
             "verbosity": -1, "deterministic": True, "seed": 1}
    return flattened(lightgbm.train(given, data, TREES).dump_model())


def correction(trees, features_of_call):
    """The logarithm of the factor of a call."""
    questions, first = trees
    thousandths = 0
    for at in first:
        while at >= 0:
            feature, above, no, yes = questions[at]
            at = yes if features_of_call[feature] > above else no
        thousandths += at + LEAF
    return thousandths / 1000


def lines_of(values):
    lines = ["   "]
    for value in values:
        if len(lines[-1]) + len(value) > 117:
            lines.append("   ")
        lines[-1] += f" {value},"
    return "\n".join(lines)


def with_trees(header, capability, gpu, trees):
    """The text of way_trees.h with these trees, in place of those of GPUs of the same compute capability."""
    start, table, end = re.match(r"(.*clang-format off\n)(.*)(// clang-format on\n.*)", header, re.DOTALL).groups()
    groups = {int(group[1]): group[0] for group in
              re.findall(r"(// [^\n]*\nconstexpr CostQuestion kQuestionsOf(\d+)\[\].*?\n\};\nconstexpr .*?\n\};\n)", table,
                         re.DOTALL)}
    questions = lines_of("{" + ",".join(map(str, question)) + "}" for question in trees[0])
    groups[int(capability)] = (f"// {gpu}\nconstexpr CostQuestion kQuestionsOf{capability}[] = {{\n{questions}\n}};\n"
                               f"constexpr int32_t kTreesOf{capability}[] = {{\n{lines_of(map(str, trees[1]))}\n}};\n")
    return start + "\n".join(groups[each] for each in sorted(groups)) + end
