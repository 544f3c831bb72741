"""Which tests failed, read from what a program of Catch2 (2 or 3) or of unittest prints."""

import re

# Catch2 puts the name of a test case, its sections indented below it, between two lines of dashes; the lines of a name
# that is wrapped are indented too, and further.
HEADER = re.compile(r"^-{79}\n((?:.+\n)+?)-{79}\n.+:\d+\n\.{79}\n", re.MULTILINE)
CATCH_FAILURE = re.compile(r"^(.+:\d+): FAILED:$", re.MULTILINE)
UNITTEST_FAILURE = re.compile(r"^(?:FAIL|ERROR): (\S+).*\n(?:(?!-{70}\n).*\n)*-{70}\n((?:(?!={70}\n|-{70}\n).*\n)*)",
                              re.MULTILINE)


def of_catch(text):
    headers = list(HEADER.finditer(text))
    for failure in CATCH_FAILURE.finditer(text):
        name = [header[1] for header in headers if header.end() <= failure.start()][-1:]
        yield " ".join(name[0].split()) if name else "?", failure[1]


def of_unittest(text):
    for failure in UNITTEST_FAILURE.finditer(text):
        frames = re.findall(r'^  File "(.+)", line (\d+)', failure[2], re.MULTILINE)  # the test's own comes first
        yield failure[1], ":".join(frames[0]) if frames else "?"


def failures(text):
    """A line "test: file:line" for each place that failed, in their order, with how often it did if more than once."""
    found = {}
    for name, place in [*of_catch(text), *of_unittest(text)]:
        line = f"{name}: {place}"
        found[line] = found.get(line, 0) + 1
    return [line + (f" ({times} times)" if times > 1 else "") for line, times in found.items()]
