#!/usr/bin/env python3
"""Makes an exercise of a rung: its file without the bodies of its kernels, for the learner to write.

usage: exercise.py RUNG [FILE]    RUNG is a number (34) or a name (34_register_4x4); FILE is my_RUNG.cu if it is not given

What stays is all that is not the step itself: the comment that says what changes against the rung below, the constants,
the functions beside the kernels, the launch. A first line says which step of the ladder it is, for `compare --watch` to
tell how much of it has been won. In place of each body stand the comments between its lines, as hints. The file
compiles, and is judged as `not-written` until C is written.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RUNGS = sorted((ROOT / "plugins/cuda").glob("*.cu"))

# A comment or a literal is one token: a brace in it is no brace.
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|__global__|[{}();]", re.DOTALL)


def find_rung(name):
    for rung in RUNGS:
        if name in (rung.stem, rung.stem.split("_")[0]):
            return rung
    numbers = ", ".join(rung.stem.split("_")[0] for rung in RUNGS)
    sys.exit(f"exercise: no rung '{name}' in plugins/cuda; there are {numbers}")


def bodies(text):
    """The (begin, end) of what stands within the braces of each kernel."""
    found = []
    parentheses = braces = 0
    begin = None  # of a body
    in_head = False  # of a kernel, after __global__
    for token in TOKEN.finditer(text):
        symbol = token[0]
        if symbol == "__global__":
            in_head, parentheses = True, 0
        elif symbol in "()":
            parentheses += 1 if symbol == "(" else -1
        elif symbol == ";" and in_head and parentheses == 0:
            in_head = False  # declared only
        elif symbol == "{":
            if in_head and parentheses == 0:
                begin, braces, in_head = token.end(), 0, False
            braces += 1
        elif symbol == "}":
            braces -= 1
            if begin is not None and braces == 0:
                found.append((begin, token.start()))
                begin = None
    return found


def emptied(body):
    """What is left of a body: its comments, as hints."""
    hints = []  # each a list of lines; a comment behind code says nothing without the code
    alone = False  # whether the line before was a comment too
    for line in body.splitlines():
        is_comment = line.lstrip().startswith("//")
        if is_comment:
            if not alone:
                hints.append([])
            hints[-1].append(line.strip().removeprefix("//").strip())
        alone = is_comment
    lines = ["", "    // Yours to write. What the headers above hold may help, and so may the rung below."]
    for hint in hints:
        lines.append("    //")
        lines += [f"    // {'Hint: ' if i == 0 else ''}{text}" for i, text in enumerate(hint)]
    return "\n".join(lines) + "\n"


def exercise(rung, target):
    text = rung.read_text()
    found = bodies(text)
    if not found:
        sys.exit(f"exercise: {rung.stem} has no kernel of its own to write: choose another rung")
    for begin, end in reversed(found):
        text = text[:begin] + emptied(text[begin:end]) + text[end:]
    # Headers that the rung finds beside itself are found from where the exercise lies.
    def moved(match):
        header = (rung.parent / match[2]).resolve()
        return f'{match[1]}"{os.path.relpath(header, target.resolve().parent)}"' if header.exists() else match[0]

    text = re.sub(r'^(#include )"([^"]+)"', moved, text, flags=re.MULTILINE)
    against = re.search(r"^// Against (\d\d)[:,]", text, re.MULTILINE)
    return f"// step: from {find_rung(against[1]).stem} to {rung.stem}\n{text}" if against else text


def main():
    if len(sys.argv) not in (2, 3) or not sys.argv[1]:
        sys.exit("exercise: say which rung: make exercise RUNG=34")
    rung = find_rung(sys.argv[1])
    target = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else f"my_{rung.stem.split('_')[0]}.cu")
    text = exercise(rung, target)
    try:
        with open(target, "x") as file:
            file.write(text)
    except FileExistsError:
        sys.exit(f"exercise: {target} exists, and may hold your work: move it away, or name another file")
    except OSError as error:
        sys.exit(f"exercise: {target} cannot be written: {error.strerror}")
    print(f"{target}: {rung.stem} without its kernel, for you to write. To have it judged after every save:\n"
          f"  build/compare --watch {target}")
    if not (ROOT / "build/compare").exists():
        print("`make run` builds that first.")


if __name__ == "__main__":
    main()
