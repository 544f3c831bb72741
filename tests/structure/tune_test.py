#!/usr/bin/env python3
"""host/tools/tune/tune.py, by which 90_dispatch's costs are fitted: times that are made of costs give these costs back."""

import importlib.util
import math
import pathlib
import random
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/tools/tune"))
import trees  # noqa: E402
import tune  # noqa: E402

COUNTS = 13
NO_TREES = ([], [])
HEADER = (ROOT / "plugins/common/gemm/way_costs.h").read_text()
TREES = (ROOT / "plugins/common/gemm/way_trees.h").read_text()


def measured(costs, shapes, noise=0.0):
    """What ways would measure of ways with those costs, at random work."""
    draw = random.Random(1)
    return {i: [{"way": way, "us": tune.expected(row, work) / tune.CYCLES_OF_US * (1 + noise * draw.uniform(-1, 1)),
                 "work": work, "M": 1 + i, "N": 1, "K": 1, "batch": 1, "memory": 3352} for way, row in costs.items()
                for work in [[1.0] + [draw.expovariate(1) * 20 for _ in range(COUNTS - 1)]]] for i in range(shapes)}


class Tune(unittest.TestCase):
    costs = {"walk_64x128": [4000.0, 0.0, 2000.0] + [0.0] * (COUNTS - 3),
             "few_rows": [2500.0] + [0.0] * 6 + [30.0, 0.0, 0.0, 12.0, 0.0, 0.0]}

    def test_costs_are_found_again(self):
        found = tune.fit_all(measured(self.costs, 200))
        for way, row in self.costs.items():
            for wanted, each in zip(row, found[way]):
                self.assertAlmostEqual(each, wanted, delta=1 + 0.01 * wanted)

    def test_costs_of_times_that_scatter_are_near_and_not_negative(self):
        found = tune.fit_all(measured(self.costs, 400, noise=0.1))
        self.assertAlmostEqual(found["walk_64x128"][2], 2000, delta=60)
        self.assertGreaterEqual(min(map(min, found.values())), 0)

    def test_a_way_with_few_times_has_no_costs(self):
        self.assertEqual(tune.fit_all(measured(self.costs, tune.LEAST_ROWS - 1)), {})

    def test_what_is_lost_by_costs_that_are_wrong(self):
        shapes = measured(self.costs, 50)
        right = tune.model(self.costs, NO_TREES, list(self.costs))
        self.assertEqual(max(tune.losses(shapes, right, self.costs)), 1)
        worse = dict(self.costs, walk_64x128=[0.0] * COUNTS)  # which makes it the choice everywhere
        self.assertGreater(max(tune.losses(shapes, tune.model(worse, NO_TREES, list(worse)), worse)), 2)

    def test_trees_correct_what_is_expected_of_the_calls_they_ask_for(self):
        rows = measured(self.costs, 2)
        names = ["few_rows", "walk_64x128"]
        way = len(trees.features([0.0] * COUNTS, [0.0] * COUNTS, [1] * 5, 0)) - 1
        forest = ([(way, 0, 100 - trees.LEAF, -300 - trees.LEAF)], [0, 50 - trees.LEAF])
        cycles = tune.model(self.costs, forest, names)
        for row in rows[0]:
            expected = tune.expected(self.costs[row["way"]], row["work"])
            factor = math.exp(0.15 if row["way"] == "few_rows" else -0.25)
            self.assertAlmostEqual(cycles(row) / expected, factor)

    def test_costs_of_a_gpu_are_put_in_place_and_beside_those_of_another(self):
        again = tune.with_costs(HEADER, 90, "Some GPU", self.costs)
        self.assertRegex(again, r"\{4000, 0, 2000, 0, [0, ]*\},  // walk_64x128\n")
        self.assertEqual(again.count("// clusters_32x32\n"), 1)
        other = tune.with_costs(HEADER, 80, "Another GPU", self.costs)
        self.assertLess(other.index("// Another GPU"), other.index("// NVIDIA H100"))
        self.assertEqual(other.count("// clusters_32x32\n"), 2)
        self.assertEqual(len(re.findall(r"^ *\{[0-9., ]*\},? +// few_rows$", other, re.MULTILINE)), 2)

    def test_a_gpu_of_the_costs_has_its_trees(self):
        self.assertEqual(tune.with_costs(HEADER, 80, "Another GPU", self.costs).count("kTreesOf80}"), 1)
        text = trees.with_trees(TREES, 80, "Another GPU", ([(0, 1, 1, -16000), (2, -3, -16384, -17000)], [0, -16380]))
        self.assertIn("// Another GPU\nconstexpr CostQuestion kQuestionsOf80[] = {\n    {0,1,1,-16000}, {2,-3,-16384,-17000},"
                      "\n};\nconstexpr int32_t kTreesOf80[] = {\n    0, -16380,\n};\n", text)
        self.assertIn("kQuestionsOf90[]", text)
        again = trees.with_trees(text, 80, "The same GPU", ([(0, 1, -16000, -16000)], [0]))
        self.assertEqual(again.count("kQuestionsOf80[]"), 1)
        self.assertNotIn("Another GPU", again)


class Trees(unittest.TestCase):
    def test_trees_that_were_learned_are_flattened(self):
        leaf = [{"leaf_value": value} for value in (0.1, -0.25, 0.3)]
        inner = {"split_feature": 3, "threshold": -2.5, "left_child": leaf[1], "right_child": leaf[2]}
        root = {"split_feature": 7, "threshold": 4.5, "left_child": leaf[0], "right_child": inner}
        found = trees.flattened({"tree_info": [{"tree_structure": root}, {"tree_structure": {"leaf_value": 0.007}}]})
        self.assertEqual(found, ([(7, 4, 100 - trees.LEAF, 1), (3, -3, -250 - trees.LEAF, 300 - trees.LEAF)],
                                 [0, 7 - trees.LEAF]))
        self.assertAlmostEqual(trees.correction(found, [0] * 3 + [-2] + [0] * 3 + [5]), 0.307)
        self.assertAlmostEqual(trees.correction(found, [0] * 3 + [-3] + [0] * 3 + [5]), -0.243)
        self.assertAlmostEqual(trees.correction(found, [0] * 7 + [4]), 0.107)

    def test_a_factor_that_depends_on_counts_and_on_the_way_is_learned(self):
        if not importlib.util.find_spec("lightgbm"):
            print("\nSKIPPED: 90_dispatch's trees are learned: LightGBM is not installed", flush=True)
            return
        draw = random.Random(2)
        work = [[1.0, 2.0 ** draw.uniform(0, 10), 2.0 ** draw.uniform(0, 10), 0.0] for _ in range(3000)]
        calls = [trees.features([1.0, 0.0, 0.0, 1.0], row, [1] * 5, i % 3) for i, row in enumerate(work)]
        missing = [0.3 * (row[1] > 64) - 0.2 * (row[2] > 32 and i % 3 == 1) for i, row in enumerate(work)]
        found = trees.learn(calls, missing, [1.0] * len(work))
        off = [abs(trees.correction(found, call) - wanted) for call, wanted in zip(calls, missing)]
        self.assertLess(sum(off) / len(off), 0.02)

    def test_features_are_those_of_the_header(self):
        """Of which tests/emulator/cost_trees_test.cu has the same values."""
        self.assertEqual(trees.features([100.0, 7.0, 0.0], [1.0, 3.0, 2.0], [64, 96, 1, 3, 3352], 7),
                         [0, 24, 16, 52, 11, 0, 110, 96, 104, 0, 24, 186, 7])

    def test_sixteenths_are_those_of_the_header(self):
        """Of which tests/emulator/cost_trees_test.cu has the same values."""
        self.assertEqual([trees.sixteenths(each) for each in (0, 1, 1.062, 1.0625, 2, 3, 1e-3, 1e6)],
                         [-2000, 0, 0, 1, 16, 24, -160, 318])


if __name__ == "__main__":
    unittest.main()
