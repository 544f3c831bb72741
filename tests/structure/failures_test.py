#!/usr/bin/env python3
"""tests/failures.py finds what failed in the words of Catch2 and of unittest."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import failures  # noqa: E402

DASHES, DOTS = "-" * 79, "." * 79

CATCH = f"""
{DASHES}
a name that is so long that it is wrapped: by whoever prints it,
                                           over two lines
  a section
{DASHES}
tests/a_test.cpp:5
{DOTS}

tests/a_test.cpp:6: FAILED:
  CHECK( i == 5 )
with expansion:
  0 == 5

tests/a_test.cpp:6: FAILED:
  CHECK( i == 5 )
with expansion:
  1 == 5

0.000 s: a section
{DASHES}
a note
{DASHES}
tests/a_test.cpp:9
{DOTS}

tests/a_test.cpp:9: warning:
  nothing failed here

{DASHES}
throws
{DASHES}
tests/a_test.cpp:11
{DOTS}

tests/a_test.cpp:11: FAILED:
due to unexpected exception with message:
  no

===============================================================================
test cases: 3 | 1 passed | 2 failed
"""

UNITTEST = """import unittest
class Example(unittest.TestCase):
    def helper(self, a):
        self.assertEqual(a, 1)
    def test_fails(self):
        self.helper(2)
    def test_raises(self):
        '''Has a description.'''
        {}["no"]
    def test_passes(self):
        self.helper(1)
unittest.main()
"""


class Failures(unittest.TestCase):
    def test_those_of_catch(self):
        self.assertEqual(failures(CATCH), [
            "a name that is so long that it is wrapped: by whoever prints it, over two lines a section: "
            "tests/a_test.cpp:6 (2 times): 0 == 5",
            "throws: tests/a_test.cpp:11"])

    def test_a_reason_is_what_was_compared_and_the_end_of_the_messages(self):
        header = f"{DASHES}\na test\n{DASHES}\ntests/a_test.cpp:1\n{DOTS}\n\n"
        said = failures(f"{header}tests/a_test.cpp:2: FAILED:\n  CHECK( a == b )\nwith expansion:\n  \"wrong\"\n  ==\n"
                        f"  \"ok\"\nwith messages:\n  {'long ' * 60}\n  nonzero: 3 of 4\n\n{DASHES}\n")
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], r'^a test: tests/a_test\.cpp:2: "wrong" == "ok", \.\.\..*long nonzero: 3 of 4$')
        self.assertLess(len(said[0]), 300)

    def test_those_of_unittest(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "example.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write(UNITTEST)
            said = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False).stderr
            self.assertEqual(failures(said), [f"test_raises: {program}:9", f"test_fails: {program}:6"])

    def test_what_passed_has_none(self):
        self.assertEqual(failures("All tests passed (3 assertions in 2 test cases)\n"), [])


if __name__ == "__main__":
    unittest.main()
