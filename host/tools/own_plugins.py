#!/usr/bin/env python3
"""Builds every .cu and .cpp file of a folder with `make plugin`; says which failed, and goes on with the others.

usage: own_plugins.py FOLDER MAKE     the variables that make was given come with MAKEFLAGS

The exit status is 1 if one failed, or none was there.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def sources_in(folder):
    """The files to build, the .cu files first: the first of them builds the emulator, if that is needed."""
    files = [file for file in os.listdir(folder) if file.endswith((".cu", ".cpp")) and not file.startswith(".")]
    return [os.path.join(folder, file) for file in sorted(files, key=lambda file: (file.endswith(".cpp"), file))]


def library_of(file):
    """The library's stem, as `make plugin` names it."""
    return re.sub(r"[^\w.+-]", "_", os.path.splitext(os.path.basename(file))[0], flags=re.ASCII)


def build(make, file):
    """The exit status of `make plugin`, and what it said."""
    result = subprocess.run([make, "--no-print-directory", "plugin", "FILE=" + file.replace("$", "$$")],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=False)
    return result.returncode, result.stdout.decode(errors="surrogateescape")


def main():
    folder, make = sys.argv[1:]
    sys.stdout.reconfigure(errors="surrogateescape")
    if not os.path.isdir(folder):
        sys.exit(f"make plugins DIR=: no such folder: {folder}")
    files = sources_in(folder)
    if not files:
        sys.exit(f"make plugins DIR=: no .cu or .cpp file in {folder}")

    failed, stems = {}, {}
    for file in files:
        first = stems.setdefault(library_of(file), file)
        if first != file:
            failed[file] = f"would make the same library as {first}: give it another name"
    files = [file for file in files if file not in failed]

    def show(file, result):
        status, text = result
        print(text, end="", flush=True)
        if status != 0:
            failed[file] = "see its messages above"

    show(files[0], build(make, files[0]))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, result in zip(files[1:], pool.map(lambda file: build(make, file), files[1:])):
            show(file, result)

    print(f"{len(files) - sum(file in failed for file in files)} built, {len(failed)} not" + ":" * bool(failed))
    for file, why in failed.items():
        print(f"  {file}: {why}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
