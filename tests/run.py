#!/usr/bin/env python3
"""Runs the test programs and adds up their counts; the last line is "N passed, N failed, N skipped".

usage: run.py BUILD     the build directory, after `make test-programs`

A test that cannot run on this machine prints "SKIPPED: name: reason" and is counted as skipped, not as passed.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor


# AddressSanitizer of g++ 13 keeps frames away from the stack to find uses after return, by default. A fiber's are gone when
# the fiber ends, while its last function still returns through one.
ASAN = {"ASAN_OPTIONS": "detect_stack_use_after_return=0"}


class Counts:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = []


def run_catch(suite):
    """Runs a program of Catch2 (2 or 3) or of unittest: its output, exit status (None if it is not built) and seconds."""
    name, program, *environment = suite
    if not os.path.exists(program):
        return [], None, 0
    start = time.monotonic()
    result = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                            env={**os.environ, **ASAN, **dict(environment)})
    return result.stdout.splitlines(keepends=True), result.returncode, time.monotonic() - start


def count_cases(suite, result, counts):
    """Prints what a program came to, and counts its test cases."""
    output, code, seconds = result
    if code is None:
        print(f"   not built: {suite[1]}: make test-programs", flush=True)
        counts.failed += 1
        return
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
    if code != 0 and failed == 0:
        failed = 1  # it died
    if code == 0 and passed == 0:
        failed += 1  # it ran nothing
    skipped = [line.strip() for line in output if line.startswith("SKIPPED: ")]
    print(text if failed else "".join(line for line in output if line.startswith(("SKIPPED: ", "FAULTS: "))), end="")
    print(f"   {passed - len(skipped)} passed, {failed} failed, {len(skipped)} skipped, {seconds:.1f} s", flush=True)
    counts.passed += passed - len(skipped)
    counts.failed += failed
    counts.skipped += skipped


def run_suites(suites, counts, at_a_time=1):
    """Runs (name, program, (variable, value)...), each announced before it starts or, if others run beside it, after."""
    with ThreadPoolExecutor(at_a_time) as pool:
        results = map(run_catch, suites) if at_a_time == 1 else pool.map(run_catch, suites)
        for suite in suites:
            print(f"== {suite[0]}", flush=True)
            count_cases(suite, next(results), counts)


def check_format(counts):
    """The sources are as clang-format 14 leaves them. Other versions format differently, so they decide nothing."""
    print("== format")
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout if program else ""
    if " 14." not in version:
        counts.skipped.append("SKIPPED: format: clang-format 14 is not installed (make format needs it)")
        print(counts.skipped[-1])
        return
    sources = [os.path.join(folder, file) for top in ("abi", "plugins", "host", "tests")
               for folder, _, files in os.walk(top) for file in files if file.endswith((".h", ".cpp", ".cu"))]
    result = subprocess.run([program, "--dry-run", "--Werror", *sources], capture_output=True, text=True)
    if result.returncode == 0:
        counts.passed += 1
        print(f"   {len(sources)} files are formatted")
    else:
        counts.failed += 1
        bad = sorted({line.split(":")[0] for line in result.stderr.splitlines() if ": error: " in line})
        print(f"   not formatted, run `make format`: {' '.join(bad)}")


def has_gpu():
    return shutil.which("nvidia-smi") is not None and subprocess.run(["nvidia-smi"], capture_output=True).returncode == 0


def main():
    build = sys.argv[1]
    counts = Counts()
    check_format(counts)
    def plain(name):
        return name, f"{build}/tests/{name}_test"

    run_suites([("structure", "tests/structure/house_test.py"), plain("unit"), plain("abi")], counts)
    # These time nothing, so they may run beside each other: some 75 s instead of 195 on 16 cores and an H100.
    untimed = [
        plain("emulator"),
        ("emulator, AddressSanitizer", f"{build}/asan/tests/emulator_test"),
        ("every plugin, emulator and CPU, AddressSanitizer", f"{build}/asan/tests/every_plugin_test",
         ("PLUGIN_DIRECTORY", f"{build}/asan/plugins")),
    ]
    gpu = has_gpu()
    if gpu:
        untimed.append(("every plugin, GPU", f"{build}/tests/every_plugin_test",
                        ("PLUGIN_DIRECTORY", f"{build}/plugins/cuda")))
    run_suites(untimed, counts, at_a_time=4 if os.cpu_count() >= 8 else 1)
    if not gpu:
        counts.skipped.append("SKIPPED: every plugin, GPU: no GPU answers")
        print(f"== every plugin, GPU\n{counts.skipped[-1]}")
    run_suites([plain("cli"), plain("clients"), plain("readme")], counts)

    if counts.skipped:
        print("\nskipped:", *counts.skipped, sep="\n  ")
    print(f"\n{counts.passed} passed, {counts.failed} failed, {len(counts.skipped)} skipped")
    return counts.failed > 0


if __name__ == "__main__":
    sys.exit(main())
