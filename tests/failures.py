"""Which tests failed, read from what a program of Catch2 (2 or 3) or of unittest prints."""

import re

# Catch2 puts the name of a test case, its sections indented below it, between two lines of dashes; the lines of a name
# that is wrapped are indented too, and further.
HEADER = re.compile(r"^-{79}\n((?:.+\n)+?)-{79}\n.+:\d+\n\.{79}\n", re.MULTILINE)
CATCH_FAILURE = re.compile(r"^(.+:\d+): FAILED:\n((?:.+\n)*)", re.MULTILINE)
# Of what it prints of a failure: what was compared, and the last of the messages, which says of what.
COMPARED, MESSAGES = (re.compile(rf"^with {of}:\n((?:  .*\n)+)", re.MULTILINE) for of in ("expansion", "messages?"))
UNITTEST_FAILURE = re.compile(r"^(?:FAIL|ERROR): (\S+).*\n(?:(?!-{70}\n).*\n)*-{70}\n((?:(?!={70}\n|-{70}\n).*\n)*)",
                              re.MULTILINE)


def reason(of_one):
    """What Catch2 says of a failure, at most some 250 characters: of the messages their end."""
    compared, messages = (" ".join(match[1].split()) if match else ""
                          for match in (COMPARED.search(of_one), MESSAGES.search(of_one)))
    parts = compared[:90] + "..." * (len(compared) > 90), "..." * (len(messages) > 150) + messages[-150:]
    return ", ".join(part for part in parts if part)


def of_catch(text):
    headers = list(HEADER.finditer(text))
    for failure in CATCH_FAILURE.finditer(text):
        name = [header[1] for header in headers if header.end() <= failure.start()][-1:]
        yield " ".join(name[0].split()) if name else "?", failure[1], reason(failure[2])


def of_unittest(text):
    for failure in UNITTEST_FAILURE.finditer(text):
        frames = re.findall(r'^  File "(.+)", line (\d+)', failure[2], re.MULTILINE)  # the test's own comes first
        yield failure[1], ":".join(frames[0]) if frames else "?", ""


def failures(text):
    """A line "test: file:line" for each place that failed, in their order, with how often it did if more than once, and
    why the first time."""
    found = {}
    for name, place, why in [*of_catch(text), *of_unittest(text)]:
        line = f"{name}: {place}"
        times, first = found.get(line, (0, why))
        found[line] = times + 1, first
    return [line + (f" ({times} times)" if times > 1 else "") + (f": {why}" if why else "")
            for line, (times, why) in found.items()]
