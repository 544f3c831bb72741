#!/usr/bin/env python3
"""host/tools/tune/tune.py, by which 90_dispatch's costs are fitted: times that are made of costs give these costs back."""

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
HEADER = (ROOT / "plugins/common/gemm/way_costs.h").read_text()
TREES = (ROOT / "plugins/common/gemm/way_trees.h").read_text()


def measured(costs, shapes, noise=0.0):
    """What ways would measure of ways with those costs, at random work."""
    draw = random.Random(1)
    return {i: [{"way": way, "us": tune.expected(row, work) / tune.CYCLES_OF_US * (1 + noise * draw.uniform(-1, 1)),
                 "work": work} for way, row in costs.items()
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
        self.assertEqual(max(tune.losses(shapes, self.costs, {})), 1)
        worse = dict(self.costs, walk_64x128=[0.0] * COUNTS)  # which makes it the choice everywhere
        self.assertGreater(max(tune.losses(shapes, worse, {})), 2)

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
        names = tune.names_in(HEADER)
        text = trees.with_trees(TREES, 80, "Another GPU", names, {"few_rows": [([(0, 1), (2, -3), (4, 5)], list(range(8)))]})
        self.assertIn("constexpr CostTree kTreesOf80[][kTreesOfWay] = {\n    // Another GPU\n", text)
        self.assertIn("    {  // few_rows\n      {0,1,2,-3,4,5,0,1,2,3,4,5,6,7},\n    },\n", text)
        self.assertEqual(text.count("// clusters_32x32\n"), 2)
        self.assertEqual(trees.with_trees(text, 80, "Another GPU", names, {}).count("// clusters_32x32\n"), 2)


class Trees(unittest.TestCase):
    def test_a_factor_that_depends_on_counts_is_learned(self):
        draw = random.Random(2)
        work = [[1.0, 2.0 ** draw.uniform(0, 10), 2.0 ** draw.uniform(0, 10), 0.0] for _ in range(600)]
        missing = [0.3 * (row[1] > 64) - 0.2 * (row[2] > 32 and row[1] < 8) for row in work]
        calls = [trees.features([1.0, 0.0, 0.0, 1.0], row) for row in work]
        found = trees.grow(calls, missing, [1.0] * len(work))
        self.assertEqual({feature for questions, _ in found for feature, _ in questions}, {1, 2})
        off = [abs(trees.correction(found, call) - wanted) for call, wanted in zip(calls, missing)]
        self.assertLess(sum(off) / len(off), 0.02)

    def test_a_factor_that_depends_on_a_share_of_the_sum_is_learned(self):
        draw = random.Random(3)
        work = [[2.0 ** draw.uniform(0, 10), 2.0 ** draw.uniform(0, 10)] for _ in range(600)]
        missing = [0.4 * (row[0] > row[1]) for row in work]
        calls = [trees.features([3.0, 3.0], row) for row in work]
        found = trees.grow(calls, missing, [1.0] * len(work))
        off = [abs(trees.correction(found, call) - wanted) for call, wanted in zip(calls, missing)]
        self.assertLess(sum(off) / len(off), 0.02)

    def test_where_nothing_is_missing_nothing_is_corrected(self):
        calls = [trees.features([1.0, 1.0], [1.0, float(i)]) for i in range(100)]
        self.assertEqual(trees.correction(trees.grow(calls, [0.0] * 100, [1.0] * 100), calls[3]), 0)

    def test_features_are_those_of_the_header(self):
        """Of which tests/emulator/cost_trees_test.cu has the same values."""
        self.assertEqual(trees.features([100.0, 7.0, 0.0], [1.0, 3.0, 2.0]), [0, 12, 8, 52, 11, 0, 55])

    def test_eighths_are_those_of_the_header(self):
        """Of which tests/emulator/cost_trees_test.cu has the same values."""
        self.assertEqual([trees.eighths(each) for each in (0, 1, 1.124, 1.125, 2, 3, 1e-3, 1e6)],
                         [-1000, 0, 0, 1, 8, 12, -80, 159])


if __name__ == "__main__":
    unittest.main()
