#!/usr/bin/env python3
"""What the first lines of somebody's own .cu or .cpp file ask of `make plugin`.

usage: own_plugin.py flags KIND FILE       KIND: cuda, emulated or cpu
       own_plugin.py adapt FILE ADAPTER

flags prints, as the shell reads them, the flags of

    // compile: -maxrregcount=128 -I include "-DTEXT=a b"

which stands in one of the first 20 lines, or in several. Folders are looked for from the file's own. A flag that only
nvcc knows is left out for the emulator, and that is said.

adapt prints the name of the file to compile, as the shell reads it: FILE or, where one of its first 20 lines is

    // solve: sgemm(M, K, N, alpha, A, B, beta, C)

ADAPTER, which it writes: FILE, and a `solve` that makes this call. A kernel is launched:

    // solve: sgemm<<<dim3((K + 31) / 32, (M + 31) / 32), dim3(32, 32)>>>(M, K, N, alpha, A, B, beta, C)

What stands between the parentheses and commas are numbers and the WORDS below.
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


# What a call may be made of, beside numbers and 'N' or 'T', and what the words stand for that abi/solve.h has not.
WORDS = {"A": None, "B": None, "C": None, "M": None, "N": None, "K": None, "lda": "N", "ldb": "K", "ldc": "K",
         "alpha": "1", "beta": "0", "stream": "0", "nullptr": None, "dim3": None}
TOKEN = re.compile(r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)|(?P<word>[A-Za-z_]\w*)"
                   r"|(?P<sign>'[A-Za-z]'|<<<|>>>|[-+*/%&(),])|(?P<other>\S))")
CALL = re.compile(r"(?P<name>(?:::)?[A-Za-z_]\w*(?:::\w+)*)\s*(?P<template><(?!<)[^<>()]*>)?\s*(?P<rest>(?:<<<|\().*)$")
LETTERS = ("write the call in the letters of abi/solve.h, C[M x K] = A[M x N] * B[N x K], as in "
           "`// solve: sgemm(M, K, N, alpha, A, B, beta, C)`; the words are A B C M N K, lda ldb ldc (N K K), alpha (1), "
           "beta (0), stream, nullptr, dim3 and numbers")


def call_of(line, is_cuda):
    """The parts of a call, (name, template, rest); raises ValueError, which says what is wrong with it."""
    match = CALL.match(line.rstrip(";"))
    if not match:
        raise ValueError(f"`{line}` is no call: {LETTERS}")
    words, depth = set(), 0
    for token in TOKEN.finditer(match["rest"]):
        if token["other"]:
            raise ValueError(f"`{token['other']}` has no place in a call: {LETTERS}")
        if token["word"] and token["word"] not in WORDS:
            raise ValueError(f"knows no word `{token['word']}`: {LETTERS}")
        if token["sign"] == "<<<" and not is_cuda:
            raise ValueError("<<<...>>> launches a kernel, and a .cpp file has none")
        depth += {"(": 1, ")": -1}.get(token["sign"], 0)
        words.add(token["word"])
    if depth != 0 or not match["rest"].rstrip().endswith(")"):
        raise ValueError(f"`{line}` is not closed by a `)`")
    if missing := [letter for letter in "ABC" if letter not in words]:
        raise ValueError(f"`{line}` does not pass {' and '.join(missing)}: {LETTERS}")
    return match["name"], match["template"] or "", match["rest"]


def adapter(file, number, name, template, rest):
    """A source: the file, and a `solve` that makes the call. What the compiler says of the call names its line."""
    path = os.path.abspath(file)
    # A function of the file may be called solve, too, and its macros as the letters are.
    own = re.sub(r"\bsolve$", "own_solve", name)
    rename = ("#define solve own_solve\n", "#undef solve\n") if own != name else ("", "")
    free = "".join(f"#undef {word}\n" for word in WORDS if word not in ("nullptr", "dim3"))
    given = "".join(f"    [[maybe_unused]] {'float' if word in ('alpha', 'beta') else 'int'} {word} = {value};\n"
                    for word, value in WORDS.items() if value and word != "stream")
    call = re.sub(r"\bstream\b", "0", rest)
    return f"""{rename[0]}#include "{path}"
{rename[1]}{free}
extern "C" void solve(const float* own_a, const float* own_b, float* C, int M, int N, int K) {{
    float *A = const_cast<float*>(own_a), *B = const_cast<float*>(own_b);
    (void)M, (void)N, (void)K;
{given}#line {number} "{path}"
    {own}{template}{call};
}}
"""


def adapt(file, text, into):
    """The file to compile; raises ValueError, whose text names the place."""
    calls = list(directives(text, "solve"))
    if not calls:
        return file
    number, line = calls[-1]
    try:
        if len(calls) > 1:
            raise ValueError("one call, not two")
        if '"' in file or "\\" in file:
            raise ValueError("give the file a name without a quote and a backslash")
        source = adapter(file, number, *call_of(line, file.endswith(".cu")))
    except ValueError as error:
        raise ValueError(f"{file}:{number}: error: // solve: {error}") from None
    os.makedirs(os.path.dirname(into) or ".", exist_ok=True)
    with open(into, "w", encoding="utf-8", errors="surrogateescape") as output:
        output.write(source)
    return into


def main():
    command, *arguments = sys.argv[1:]
    file = arguments[1] if command == "flags" else arguments[0]
    with open(file, encoding="utf-8", errors="surrogateescape") as source:
        text = source.read()
    try:
        if command == "adapt":
            print(shlex.quote(adapt(file, text, arguments[1])))
            return 0
        flags, notes = flags_of(file, text, arguments[0])
    except ValueError as error:
        sys.exit(str(error))
    for note in notes:
        print(note, file=sys.stderr)
    print(shlex.join(flags))
    return 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="surrogateescape")
    sys.exit(main())
