#!/usr/bin/env python3
"""Runs every CUDA plugin under compute-sanitizer's memcheck and racecheck at two ragged shapes.

usage: sanitize.py BUILD     needs a GPU; the last line is "N passed, N failed"

cuBLAS is the vendor's to check: plugins that call it are left out.
"""

import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SHAPES = {"gemm": ["131x67x77", "70x129x260"], "chain": ["67x35x131x29", "5x130x33x70"]}


def calls_cublas(library):
    return b"libcublas.so" in library.read_bytes()


def check(build, library, tool):
    """The number of errors that the tool counts, and its output."""
    operation = "chain" if "chain" in library.stem else "gemm"
    shapes = [argument for shape in SHAPES[operation] for argument in ("--shape", shape)]
    command = ["compute-sanitizer", "--target-processes", "all", "--tool", tool, f"{build}/compare", str(library),
               "--op", operation, "--check-only", "--timeout", "600", *shapes]
    result = subprocess.run(command, capture_output=True, text=True)
    text = result.stdout + result.stderr
    found = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", text)
    errors = sum(map(int, found)) if found else 1  # no summary: the tool did not run
    return (errors if result.returncode == 0 else max(errors, 1)), text


def main():
    build = pathlib.Path(sys.argv[1])
    libraries = [path for path in sorted((build / "plugins/cuda").glob("*.so")) if not calls_cublas(path)]
    jobs = [(library, tool) for library in libraries for tool in ("memcheck", "racecheck")]
    failed = 0
    with ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda job: check(build, *job), jobs)
        for (library, tool), (errors, text) in zip(jobs, results):
            print(f"{library.stem}: {tool}: {'clean' if errors == 0 else f'{errors} errors'}", flush=True)
            if errors:
                print("\n".join(text.splitlines()[:40]))
            failed += errors > 0
    print(f"\n{len(jobs) - failed} passed, {failed} failed")
    return failed > 0 or not jobs


if __name__ == "__main__":
    sys.exit(main())
