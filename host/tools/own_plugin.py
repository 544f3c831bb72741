#!/usr/bin/env python3
"""What the first lines of somebody's own .cu or .cpp file ask of `make plugin`.

usage: own_plugin.py flags KIND FILE       KIND: cuda, emulated or cpu

flags prints, as the shell reads them, the flags of

    // compile: -maxrregcount=128 -I include "-DTEXT=a b"

which stands in one of the first 20 lines, or in several. Folders are looked for from the file's own. A flag that only
nvcc knows is left out for the emulator, and that is said.
"""

import os
import re
import shlex
import sys

LINES = 20

# Flags whose value is the next word: they are written as one word, by which the Makefile knows them.
JOINED = {**{flag: flag for flag in ("-I", "-D", "-U", "-L", "-l", "-O")},
          **{flag: flag + "=" for flag in ("-std", "-arch", "-code", "-gencode", "-maxrregcount", "-Xptxas",
                                           "-Xcompiler", "-Xlinker", "-Xnvlink", "-Xcudafe", "-diag-suppress", "-ftz",
                                           "-fmad", "-prec-div", "-prec-sqrt", "-rdc", "-default-stream")}}
LONG = {"--gpu-architecture": "-arch", "--gpu-code": "-code", "--generate-code": "-gencode", "--std": "-std",
        "--compiler-options": "-Xcompiler", "--ptxas-options": "-Xptxas", "--linker-options": "-Xlinker",
        "--include-path": "-I", "--define-macro": "-D", "--undefine-macro": "-U", "--library-path": "-L",
        "--library": "-l", "--optimize": "-O", "--maxrregcount": "-maxrregcount"}
PATHS = ("-I", "-L")
SEPARATE_PATHS = ("-include", "-isystem", "-iquote")

# What g++ knows beside nvcc, and with the same meaning; but not -fmad=false, which is nvcc's.
OF_GXX = re.compile(r"-[IDULlOWgmf]|-std=|-include$|-isystem$|-iquote$|-pthread$|-w$|-x")
OF_NVCC = re.compile(r"-(fmad|ftz|maxrregcount|lineinfo|gencode|use_fast_math|default-stream|minimal)\b|-G$")


def directives(text, word):
    """The (line, rest) of each `// word: rest` in the first lines."""
    for number, line in enumerate(text.splitlines()[:LINES], 1):
        if match := re.match(rf"//\s*{word}:\s*(.*?)\s*$", line):
            yield number, match[1]


def normal(words):
    """The flags as one word each, but for those of SEPARATE_PATHS and what they name."""
    flags = []
    words = iter(words)
    for word in words:
        name, equals, value = word.partition("=")
        if name in LONG:
            short = LONG[name]
            word = JOINED[short] + value if equals else short
        if word in JOINED:
            value = next(words, None)
            word = word if value is None else JOINED[word] + value
        flags.append(word)
    return flags


def for_gxx(flags):
    """(what g++ can make use of, what not)."""
    kept, left_out = [], []
    words = iter(flags)
    for flag in words:
        if flag.startswith("-Xcompiler="):
            kept += flag.removeprefix("-Xcompiler=").split(",")
        elif OF_NVCC.match(flag) or not OF_GXX.match(flag):
            left_out.append(flag)
        else:
            kept.append(flag)
            if flag in SEPARATE_PATHS:
                kept += [word for word in [next(words, None)] if word is not None]
    return kept, left_out


def from_folder(folder, flags):
    """The flags with their relative folders made absolute."""
    found, separate = [], False
    for flag in flags:
        short = next((path for path in PATHS if flag.startswith(path)), None)
        if separate and (flag.startswith(".") or os.path.exists(os.path.join(folder, flag))):
            flag = os.path.join(folder, flag)
        elif short and len(flag) > len(short):
            flag = short + os.path.normpath(os.path.join(folder, flag.removeprefix(short)))
        found.append(flag)
        separate = flag in SEPARATE_PATHS
    return found


def flags_of(file, text, kind):
    """(flags, notes); raises ValueError, whose text names the place."""
    flags, notes = [], []
    for number, line in directives(text, "compile"):
        try:
            words = normal(shlex.split(line))
        except ValueError as error:
            raise ValueError(f"{file}:{number}: error: // compile: {error}: {line}") from None
        if words and not words[0].startswith("-"):
            raise ValueError(f"{file}:{number}: error: // compile: takes flags of the compiler, which begin with -: "
                             + words[0])
        if kind == "emulated":
            words, left_out = for_gxx(words)
            if left_out:
                notes.append(f"{file}:{number}: note: left out for the emulator, since only nvcc knows it: "
                             + " ".join(left_out))
        flags += from_folder(os.path.dirname(os.path.abspath(file)), words)
    return flags, notes


def main():
    command, *arguments = sys.argv[1:]
    file = arguments[-1]
    with open(file, encoding="utf-8", errors="surrogateescape") as source:
        text = source.read()
    try:
        flags, notes = flags_of(file, text, arguments[0])
    except ValueError as error:
        sys.exit(str(error))
    for note in notes:
        print(note, file=sys.stderr)
    print(shlex.join(flags))
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="surrogateescape")
    sys.exit(main())
