#!/usr/bin/env python3
"""Runs every CUDA plugin under compute-sanitizer's memcheck and racecheck at ragged shapes.

usage: sanitize.py BUILD OUTPUT [STEM...]     e.g. sanitize.py build host/results; needs a GPU

What was found of all plugins is written to a table that is named after the GPU, OUTPUT/h200_sanitize.md; where STEMs are
named, only the lines are printed. The last line is "N passed, N failed, N skipped".

cuBLAS is the vendor's to check: plugins that call it are left out. Kernels in which one lane arrives at an mbarrier for
its warp are skipped by racecheck as long as it calls elected_arrival.cu a race, which is right by construction.
"""

import datetime
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOOLS_FOLDER = pathlib.Path(__file__).parents[2] / "host/tools"
sys.path.insert(0, str(TOOLS_FOLDER))
import results

TOOLS = ("memcheck", "racecheck")
SHAPES = {"gemm": ["131x67x77", "70x129x260"], "chain": ["67x35x131x29", "5x130x33x70", "68x36x132x28"]}
# For 82, 84 and 86: pieces long enough to fill their whole ring, where they read past the last column of B. Not for
# racecheck, which takes more than a minute for it with some rungs.
LONG = {"gemm": ["5x20000x130"], "chain": []}
AT_A_TIME = 8  # most of a run is the start of the tool


def calls_cublas(library):
    return b"libcublas.so" in library.read_bytes()


def uses_mbarriers(library):
    """By the files that it was compiled from: a rung may have them from another one."""
    return "/mbarrier.h" in library.with_suffix(".d").read_text()


def operation_of(library):
    return "chain" if "chain" in library.stem else "gemm"


def shapes_of(operation, tool):
    return SHAPES[operation] + (LONG[operation] if tool == "memcheck" else [])


def run_under(tool, command):
    """The number of errors that the tool counts, and its output."""
    result = subprocess.run(["compute-sanitizer", "--tool", tool, *command],
                            capture_output=True, text=True)
    text = result.stdout + result.stderr
    found = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", text)
    errors = sum(map(int, found)) if found else 1  # no summary: the tool did not run
    return (errors if result.returncode == 0 else max(errors, 1)), text


def check(build, library, tool):
    calls = [f"{library.stem}:{shape}" for shape in shapes_of(operation_of(library), tool)]
    return run_under(tool, [sys.executable, str(TOOLS_FOLDER / "call.py"), str(build), *calls])


def follows_elected_arrivals(build):
    program = build / "elected_arrival"
    subprocess.run(["nvcc", "-arch=native", "-o", str(program), "tests/sanitize/elected_arrival.cu"], check=True)
    return run_under("racecheck", [str(program)])[0] == 0


def write_table(output, found):
    """found: stem -> tool -> what the tool said."""
    gpu, driver = results.gpu()
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True).stdout
    version = (re.findall(r"Version (\S+)", version) or ["of unknown version"])[0]
    lines = ["# What compute-sanitizer finds", "",
             f"{gpu}, {driver}, compute-sanitizer {version}, {datetime.date.today()}, `make sanitize`; all that a call",
             "launches at each shape. Plugins that call cuBLAS are left out.", ""]
    lines += [f"- {tool}, {operation}: {', '.join(shapes_of(operation, tool))}" for tool in TOOLS for operation in SHAPES]
    lines += ["", "Not followed: a lane that arrives at an mbarrier for its warp. racecheck calls it a race in",
              "[elected_arrival.cu](../../tests/sanitize/elected_arrival.cu) too, which is right by construction.", "",
              "| plugin | " + " | ".join(TOOLS) + " |", "|---|" + "---|" * len(TOOLS)]
    lines += [f"| {stem} | " + " | ".join(tools[tool] for tool in TOOLS) + " |" for stem, tools in sorted(found.items())]
    (output / f"{results.short_name(gpu)}_sanitize.md").write_text("\n".join(lines) + "\n")


def main():
    build, output, stems = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    of_host_memory = {path.stem for path in pathlib.Path(__file__).parents[2].glob("plugins/multi/*.cu")}
    libraries = [path for path in sorted((build / "plugins/cuda").glob("*.so"))
                 if path.stem not in of_host_memory and not calls_cublas(path) and (not stems or path.stem in stems)]
    jobs = [(library, tool) for library in libraries for tool in TOOLS]
    skipped = []
    if any(uses_mbarriers(library) for library in libraries) and not follows_elected_arrivals(build):
        skipped = [job for job in jobs if job[1] == "racecheck" and uses_mbarriers(job[0])]
        jobs = [job for job in jobs if job not in skipped]
    failed, found = 0, {library.stem: {} for library in libraries}
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        outcomes = pool.map(lambda job: check(build, *job), jobs)
        for (library, tool), (errors, text) in zip(jobs, outcomes):
            found[library.stem][tool] = f"{errors} errors" if errors else "clean"
            print(f"{library.stem}: {tool}: {found[library.stem][tool]}", flush=True)
            if errors:
                print("\n".join(text.splitlines()[:40]))
            failed += errors > 0
    for library, tool in skipped:
        found[library.stem][tool] = "not followed"
        print(f"SKIPPED: {library.stem}: {tool}: it calls tests/sanitize/elected_arrival.cu a race, which is none")
    if not stems:
        write_table(output, found)
    print(f"\n{len(jobs) - failed} passed, {failed} failed, {len(skipped)} skipped")
    return failed > 0 or not jobs


if __name__ == "__main__":
    sys.exit(main())
