"""Hardware counters of the kernels that calls of CUDA plugins launch, read with Nsight Compute.

All calls are made in one process (call.py), since ncu takes seconds to start. Before each call 10_naive makes a 1x1x1
product, whose grid of one block tells the calls apart.
"""

import csv
import pathlib
import subprocess
import sys

BLOCKS = "launch__grid_size"
MARK = "10_naive"


def is_mark(row):
    return row["Kernel Name"].split("(")[0].endswith("naive") and row[BLOCKS] == "1"


def counters(build, calls, metrics):
    """For each call (stem, shape), the kernels that it launched, in order: a list of (name, {metric: number})."""
    asked = sorted({*metrics, BLOCKS})
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--kernel-name-base",
               "demangled", "--metrics", ",".join(asked), sys.executable, str(pathlib.Path(__file__).with_name("call.py")),
               str(build)]
    for stem, shape in calls:
        command += [f"{MARK}:1x1x1", f"{stem}:{shape}"]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = result.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None or result.returncode:
        sys.exit(f"ncu gave no counters:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    found = []
    for row in csv.DictReader(lines[start:]):
        if not row["ID"]:
            continue  # the units
        row[BLOCKS] = row[BLOCKS].replace(",", "")
        if is_mark(row):
            found.append([])
        else:
            found[-1].append((row["Kernel Name"], {metric: number(row.get(metric, "")) for metric in metrics}))
    if len(found) != len(calls):
        sys.exit(f"ncu saw {len(found)} calls, not {len(calls)}")
    return found


def number(text):
    """None where this GPU does not have the counter."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
