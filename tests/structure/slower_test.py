#!/usr/bin/env python3
"""host/tools/survey/slower.py: what it reads of abi/cublas/slower_trees.h is what slower.cpp asks, and what it learns."""

import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/tools/survey"))
import slower  # noqa: E402

HEADER = (ROOT / "abi/cublas/slower_trees.h").read_text()


def surveyed():
    """The calls of tests/cublas/survey.tsv, with what the rule needs of them."""
    lines = [line for line in (ROOT / "tests/cublas/survey.tsv").read_text().splitlines() if not line.startswith("#")]
    rows = [dict(zip(["shape", "form", "rows", "high"], line.split("\t"))) for line in lines]
    return [{**row, "high": float(row["high"])} for row in rows]


class Slower(unittest.TestCase):

    def test_says_what_slower_cpp_says(self):
        self.assertEqual(slower.check(surveyed(), slower.written(HEADER)),
                         "3000 calls, 53 behind; said of 8, of which 3 are: right for 98.2 %")

    def test_what_is_written_is_read_again(self):
        trees = ([(3, 17, 1, -16400), (0, -5, -16350, -16384)], [0, -16390])
        text = slower.with_trees(HEADER, trees)
        self.assertEqual(slower.written(text), trees)
        self.assertEqual(slower.with_trees(text, slower.written(HEADER)), HEADER)

    def test_learns_what_is_plain(self):
        try:
            slower.trees.libraries()
        except SystemExit:
            print("\nSKIPPED: the trees of what the drop-in leaves to cuBLAS are learned: LightGBM is not installed", flush=True)
            return
        draw = random.Random(1)
        rows = []
        for _ in range(600):
            M, N, K = (draw.randint(1, 4000) for _ in range(3))
            ratio = 0.9 if K < 1000 else 1.2
            rows.append({"shape": f"{M}x{N}x{K}", "form": "NN", "rows": "aligned", "ratio": ratio, "high": ratio})
        learned = slower.learn(rows)
        right = sum(slower.is_said_to_be_behind(learned, row) == slower.is_behind(row) for row in rows)
        self.assertGreater(right, 570)


if __name__ == "__main__":
    unittest.main()
