#!/usr/bin/env python3
"""Runs the test programs and adds up their counts; the last line is "N passed, N failed, N skipped".

usage: run.py BUILD           the build directory, after `make test-programs`
       run.py BUILD --all     with what is heavy: each CUDA plugin for every architecture, each source by
                              itself, and the tests at the sizes that TEST_ALL stands for
       run.py BUILD --heavy   of that what the first leaves out, or does at smaller sizes: for those who ran it already

A test that cannot run on this machine prints "SKIPPED: name: reason" and is counted as skipped, not as passed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from failures import failures

# AddressSanitizer of g++ 13 keeps frames away from the stack to find uses after return, by default. A fiber's are gone
# when the fiber ends, while its last function still returns through one.
ASAN = {"ASAN_OPTIONS": "detect_stack_use_after_return=0"}


COLUMNS = 120
# Lines that clang-format leaves alone; the two that say so stay.
OFF = re.compile(r"(?<=// clang-format off\n).*?(?=^ *// clang-format on$)", re.DOTALL | re.MULTILINE)

# Test cases of these tags have something to themselves in `make test-all`: those that only it runs, and those that try
# more there. All else was done by `make test`.
HEAVY, LARGER = "[heavy]", "[larger]"


class Counts:
    def __init__(self):
        self.passed = self.failed = 0
        self.failures = []  # suite: test: place, which may be more than one of a test
        self.skipped = []
        self.seconds = []  # (seconds, suite: test case)


def run_catch(suite):
    """Runs a program of Catch2 (2 or 3) or of unittest: its output, exit status (None: it is not built), seconds, and
    those that the CPUs worked for it and for what it started."""
    name, program, *environment = suite
    program, *selection = program.split(" ", 1)
    if not os.path.exists(program):
        return [], None, 0, 0
    start = time.monotonic()
    # With -# a test case has its file's name as a tag: [#watch_test].
    options = [] if program.endswith(".py") else ["-#", "--durations", "yes"]
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen([program, *selection, *options], stdout=output, stderr=subprocess.STDOUT,
                                   env={**os.environ, **ASAN, **dict(environment)})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return (output.readlines(), process.returncode, time.monotonic() - start, used.ru_utime + used.ru_stime)


def count_cases(suite, result, counts):
    """Prints what a program came to, and counts its test cases."""
    output, code, seconds, worked = result
    if code is None:
        print(f"   not built: {suite[1]}: make test-programs", flush=True)
        counts.failed += 1
        counts.failures.append(f"{suite[0]}: {suite[1]} is not built")
        return
    durations = [re.match(r"(\d+\.\d+) s: (.*)", line) for line in output]
    counts.seconds += [(float(match[1]), f"{suite[0]}: {match[2]}") for match in durations if match]
    output = [line for line, match in zip(output, durations) if not match]
    text = "".join(output)
    passed = failed = 0
    if match := re.search(r"All tests passed \(.* in (\d+) test cases?\)", text):
        passed = int(match[1])
    elif match := re.search(r"test cases:\s*(\d+) \|(.*)", text):
        found = {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed)", match[2])}
        passed, failed = found.get("passed", 0), found.get("failed", 0)
    elif match := re.search(r"^Ran (\d+) tests? in .*$", text, re.MULTILINE):
        failed = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", text))
        passed = int(match[1]) - failed
    found = failures(text) or ["which of them, it did not say"] * (failed > 0)
    counts.failures += [f"{suite[0]}: {failure}" for failure in found]
    if code != 0 and failed == 0:
        failed = 1  # it died
        last = next((line.strip() for line in reversed(output) if line.strip()), "nothing")
        counts.failures.append(f"{suite[0]}: it ended with status {code}; the last that it printed: {last}")
    if code == 0 and passed == 0:
        failed += 1
        counts.failures.append(f"{suite[0]}: it ran no test")
    skipped = [line.strip() for line in output if line.startswith("SKIPPED: ")]
    print(text if failed else "".join(line for line in output if line.startswith(("SKIPPED: ", "FAULTS: "))), end="")
    print(f"   {passed - len(skipped)} passed, {failed} failed, {len(skipped)} skipped, {seconds:.1f} s, {worked:.1f} s of CPU",
          flush=True)
    counts.passed += passed - len(skipped)
    counts.failed += failed
    counts.skipped += skipped


def run_suites(suites, counts, at_a_time=1):
    """Runs (name, program, (variable, value)...), each announced before it starts; if others run beside it, after."""
    with ThreadPoolExecutor(at_a_time) as pool:
        results = map(run_catch, suites) if at_a_time == 1 else pool.map(run_catch, suites)
        for suite in suites:
            print(f"== {suite[0]}", flush=True)
            count_cases(suite, next(results), counts)


def read(file):
    with open(file, encoding="utf-8") as opened:
        return opened.read()


def sources():
    return sorted(os.path.join(folder, file) for top in ("abi", "plugins", "host", "tests")
                  for folder, _, files in os.walk(top) for file in files
                  if file.endswith((".h", ".hpp", ".cuh", ".cpp", ".cu")))


def count(name, problem, counts):
    """Counts and prints a check of the sources, which has a problem or none."""
    counts.failed += bool(problem)
    counts.passed += not problem
    if problem:
        counts.failures.append(f"{name}: {problem}")
    print(f"   {name}: {problem or 'yes'}")


def check_format(counts):
    """The sources are as clang-format 14 leaves them. Other versions format differently, so they decide nothing."""
    print("== format")
    long = [f"{file}:{number}" for file in sources() for number, line in enumerate(open(file, encoding="utf-8"), 1)
            if len(line.rstrip("\n")) > COLUMNS]  # clang-format lets comments be longer
    count(f"no line has more than {COLUMNS} columns", " ".join(long), counts)
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout if program else ""
    if " 14." not in version:
        counts.skipped.append("SKIPPED: format: clang-format 14 is not installed (make format needs it)")
        print(counts.skipped[-1])
        return
    # Of what stands between "clang-format off" and "on" it would say nothing, after 13 s of CPU for the 1.5 MB of
    # way_trees.h: of such a file it gets the rest.
    texts = {file: read(file) for file in sources()}
    cut = {file: OFF.sub("", text) for file, text in texts.items() if OFF.search(text)}
    whole = [file for file in texts if file not in cut]
    cores = os.cpu_count()
    parts = [subprocess.Popen([program, "--dry-run", "--Werror", *whole[part::cores]], stderr=subprocess.PIPE, text=True)
             for part in range(cores)]
    said = "".join(part.communicate()[1] for part in parts)
    for file, text in cut.items():
        result = subprocess.run([program, "--dry-run", "--Werror", f"--assume-filename={file}"], input=text,
                                stderr=subprocess.PIPE, text=True)
        said += result.stderr.replace("<stdin>:", f"{file}:")
    bad = sorted({line.split(":")[0] for line in said.splitlines() if ": error: " in line})
    count("clang-format leaves them as they are", f"no: run `make format`: {' '.join(bad)}" if bad else "", counts)


def check_build(name, goal, counts):
    """Whether make can build a goal."""
    print(f"== {name}", flush=True)
    result = subprocess.run(["make", f"-j{os.cpu_count()}", *goal], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)
    if result.returncode != 0:
        print(result.stdout)
    count(f"{name}: all of it compiles", "no" if result.returncode else "", counts)


def check_builds(build, counts):
    if subprocess.run(["make", "-s", "have-nvcc"], stderr=subprocess.DEVNULL).returncode == 0:
        # What plugins/multi has for a GPU is 90_dispatch's, which is compiled for each.
        check_build("CUDA, every architecture",
                    ["cuda", "FAST=yes", "CUDA_ARCHS=75 80 86 89 90", "MULTI_ARCHS=90", f"BUILD={build}/all"], counts)
    else:
        counts.skipped.append("SKIPPED: CUDA, every architecture: no nvcc")
        print(f"== CUDA, every architecture\n{counts.skipped[-1]}")
    # What g++ warns of it has said where they were compiled together; of the headers that are precompiled
    # tests/structure/includes_test.py says who lacks one.
    check_build("every source by itself", ["objects", "APART=yes", "OPT=-fsyntax-only", "WARNINGS=-w",
                                           f"BUILD={build}/alone"], counts)


def has_gpu():
    program = shutil.which("nvidia-smi")
    return program is not None and subprocess.run([program], capture_output=True).returncode == 0


def main():
    build = sys.argv[1]
    counts = Counts()
    everything = sys.argv[2:] in (["--all"], ["--heavy"])
    heavy_only = sys.argv[2:] == ["--heavy"]
    if everything:
        os.environ["TEST_ALL"] = "1"
        if heavy_only:
            os.environ["AFTER_TEST"] = "1"
        check_builds(build, counts)
    if not heavy_only:
        check_format(counts)

    def plain(name):
        return name, f"{build}/tests/{name}_test"

    rungs = "every plugin, emulator and CPU"
    # Three parts, which are equally long: most of each waits for processes.
    cli = f"{build}/tests/cli_test"
    runs = ("command_line", "files", "streams", "terminal", "completion", "chain", "precision")

    def cli_parts(*tags):
        """Those test cases that have one of these tags."""
        named = ",".join(f"[#{file}_test]{tag}~every bad*" for tag in tags for file in runs)
        others = ",".join("".join(f"~[#{file}_test]" for file in runs) + f"{tag}~every bad*" for tag in tags)
        return [("cli, bad plugins", f"{cli} every bad*"), ("cli, runs of compare", f"{cli} {named}"),
                ("cli, the others", f"{cli} {others}")]

    races = [*cli_parts("" if everything else f"~{HEAVY}"), plain("readme")]
    every_rung = (rungs, f"{build}/tests/every_plugin_test",
                  ("PLUGIN_DIRECTORIES", f"{build}/plugins/cpu:{build}/plugins/emulator"))
    others = [
        every_rung,
        plain("unit") if everything else ("unit", f"{build}/tests/unit_test ~{HEAVY}"),
        plain("emulator"),
        plain("abi"),
        plain("clients"),
        ("the drop-in for cuBLAS", f"{build}/tests/cublas_test"),
        ("Python", f"tests/clients/python_test.py {build}"),
        ("the notebook", f"tests/clients/notebook_test.py {build}"),
        ("PyTorch", f"tests/clients/torch_test.py {build}"),
        ("structure", "tests/structure/house_test.py"),
        ("headers", "tests/structure/includes_test.py"),
        ("the list of what failed", "tests/structure/failures_test.py"),
        ("what 90_dispatch chooses by", "tests/structure/tune_test.py"),
        ("what the drop-in leaves to cuBLAS", "tests/structure/slower_test.py"),
        ("versions of the split rungs", "tests/structure/split_test.py"),
    ]
    if heavy_only:
        races = [*cli_parts(HEAVY, LARGER), ("readme", f"{build}/tests/readme_test {LARGER}")]
        name, program, *environment = every_rung
        others = [(name, f"{program} {LARGER}", *environment), ("abi", f"{build}/tests/abi_test {LARGER}"),
                  ("unit", f"{build}/tests/unit_test {HEAVY}")]
    first = []
    if everything:
        # The longest of all, of which one would run alone at the end.
        first = [(f"{rungs}, AddressSanitizer", f"{build}/asan/tests/every_plugin_test",
                  ("PLUGIN_DIRECTORIES", f"{build}/asan/plugins/cpu:{build}/asan/plugins/emulator"), ("SANITIZED", "1")),
                 ("emulated_rungs, AddressSanitizer", f"{build}/asan/tests/emulated_rungs_test")]
        others += [
            ("emulator, AddressSanitizer", f"{build}/asan/tests/emulator_test"),
            ("the page in a browser", f"tests/browser/page_test.py {build}"),
        ]
    at_a_time = min(4, os.cpu_count() + 2)  # some of them wait
    if has_gpu():
        if not heavy_only:
            others.insert(0, ("every plugin, GPU", f"{build}/tests/every_plugin_test",
                              ("PLUGIN_DIRECTORIES", f"{build}/plugins/cuda")))
        run_suites(first + others, counts, at_a_time)
        run_suites(races, counts)  # a GPU that others use too makes times that cannot be true
    else:
        counts.skipped.append("SKIPPED: every plugin, GPU: no GPU answers")
        print(f"== every plugin, GPU\n{counts.skipped[-1]}")
        run_suites(first + races + others, counts, at_a_time)

    longest = sorted(counts.seconds)[:-6:-1]
    print("\nthe longest:", *(f"{seconds:6.1f} s  {name}" for seconds, name in longest), sep="\n  ")
    if counts.skipped:
        print("\nskipped:", *counts.skipped, sep="\n  ")
    if counts.failures:
        print("", *(f"FAILED: {failure}" for failure in counts.failures), sep="\n")
    print(f"\n{counts.passed} passed, {counts.failed} failed, {len(counts.skipped)} skipped")
    return counts.failed > 0


if __name__ == "__main__":
    sys.exit(main())
