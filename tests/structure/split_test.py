#!/usr/bin/env python3
"""host/tools/split.py and what stands on it: each version still finds the text of its rung that it changes, and a table
says so where a row is missing."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "host/tools"))
import accuracy  # noqa: E402
import odd  # noqa: E402
import split  # noqa: E402


class Split(unittest.TestCase):

    def test_every_version_changes_what_its_rung_has(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in split.VERSIONS:
                written = split.write_version(name, pathlib.Path(folder)).read_text()
                rung = (ROOT / f"plugins/cuda/{split.VERSIONS[name][0]}.cu").read_text()
                self.assertEqual(written == rung, not split.VERSIONS[name][2], name)

    def test_a_neighbour_is_aligned_and_near(self):
        for shape in odd.drawn(5):
            self.assertTrue(any(side % 2 for side in shape))
            for side, of_neighbour in zip(shape, odd.aligned(shape)):
                self.assertEqual(of_neighbour % 8, 0)
                self.assertLessEqual(abs(side - of_neighbour), 4)

    def test_errors_that_are_too_large_or_missing_are_told(self):
        def row(rho, normwise):
            return {"status": "ok", "rho": rho, "normwise": normwise}

        rows = {"85": row(5.0, 2e-7), "85_bf16": row(5.0, 2e-7), "83": row(4.0, 1e-7), accuracy.CUBLAS: row(6.0, 1e-7)}
        self.assertEqual(accuracy.line("wide40", 512, rows), "| 512 | 6.00 | 4.00 | 5.00 | 2.00e-07 | 2.00 | BF16 | yes |")
        self.assertTrue(accuracy.line("normal", 512, rows).endswith(" no |"))
        self.assertTrue(accuracy.line("positive", 512, rows).endswith(" yes |"))
        rows["85"] = row(6.5, 2e-7)
        self.assertTrue(accuracy.line("wide40", 512, rows).endswith("|  | no |"))
        self.assertEqual(accuracy.missing("wide40", 2048, {"85": row(1, 1)}, True), ["85_bf16", accuracy.CUBLAS])


if __name__ == "__main__":
    unittest.main(verbosity=0)
