#!/usr/bin/env python3
"""abi/python/examples: each notebook has been executed, and with --all does so again, cell after cell, without Jupyter.

usage: notebook_test.py BUILD
"""

import json
import os
import re
import time
import unittest

from tree import BUILD, ROOT

NOTEBOOKS = sorted((ROOT / "abi/python/examples").glob("*.ipynb"))
LARGEST = 64 << 10  # bytes: text, and one small picture

try:
    import numpy
except ImportError:
    numpy = None
try:
    import matplotlib
except ImportError:
    matplotlib = None


def code_cells(notebook):
    return [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def as_python(source):
    """Without what is IPython's: "%timeit -r 3 -n 2 f()" becomes a call of timeit."""
    return re.sub(r"^(\s*)%timeit(?: -\w+ \d+)* (.*)$", r"\1timeit(lambda: \2)", source, flags=re.MULTILINE)


def timeit(body):
    begin = time.perf_counter()
    body()
    print(f"{1e3 * (time.perf_counter() - begin):.1f} ms")


class Notebooks(unittest.TestCase):
    def test_they_were_executed_from_top_to_bottom_without_an_error_and_are_small(self):
        self.assertGreater(len(NOTEBOOKS), 0)
        for notebook in NOTEBOOKS:
            with self.subTest(notebook.name):
                self.assertLess(notebook.stat().st_size, LARGEST)
                cells = code_cells(notebook)
                self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)))
                outputs = [output for cell in cells for output in cell["outputs"]]
                self.assertNotIn("error", [output["output_type"] for output in outputs])
                self.assertLessEqual(sum("image/png" in output.get("data", {}) for output in outputs), 1)
                self.assertNotIn(str(ROOT), json.dumps(outputs))

    def test_timeit_is_understood(self):
        self.assertEqual(as_python("for x in y:\n    %timeit -r 3 -n 2 f(x)\nz"),
                         "for x in y:\n    timeit(lambda: f(x))\nz")

    @unittest.skipUnless(numpy, "no numpy")
    def do_what_they_say(self):
        os.environ["SGEMM_LADDER_COMPARE"] = str(BUILD / "compare")
        os.environ["MAKEFLAGS"] = f"-- BUILD={BUILD}"
        for notebook in NOTEBOOKS:
            os.chdir(notebook.parent)
            names = {"timeit": timeit}
            for number, cell in enumerate(code_cells(notebook), 1):
                source = as_python("".join(cell["source"]))
                if ".staircase(" in source and matplotlib is None:
                    print(f"SKIPPED: {notebook.name}: cell {number} draws: matplotlib is not installed")
                    continue
                with self.subTest(notebook=notebook.name, cell=number):
                    exec(compile(source, f"{notebook.name}, cell {number}", "exec"), names)
            self.assertEqual({row["status"] for row in names["rows"]}, {"ok"})


if "TEST_ALL" in os.environ:  # some 20 s
    Notebooks.test_they_do_what_they_say = Notebooks.do_what_they_say


if __name__ == "__main__":
    if matplotlib:
        matplotlib.use("agg")
    if "TEST_ALL" in os.environ and numpy is None:
        print("SKIPPED: abi/python/examples: they do what they say: numpy is not installed")
    unittest.main()
