#!/usr/bin/env python3
"""Turns what `compare --json` saved of one run into a results file: a line a row, without the samples.

usage: results.py RUN.json OUTPUT.tsv [KEY=VALUE...]     e.g. results.py build/race.json h200_ladder.tsv commit=2ee1ef5

A results file begins with what was measured where, one "# key: value" a line; then come the names of the columns and
the rows, separated by tabs. Times are in milliseconds. A cell that does not apply is empty. KEY=VALUE adds to the first
part.

  hot_ms, cold_ms       medians of calls back to back, and of single calls that find nothing in the caches
  first_ms              the first call at this shape, with what it loads and allocates
  tflops                2MNK over hot_ms
  ratio, low, high      the baseline's time over the plugin's, hot, and its 95 % interval; cold_ratio: the same, cold
  rho                   largest |C - C64| / (u |A||B|), u = 2^-24
  error_ratio           ||C - C64|| over the baseline's on the same matrices
  clock_mhz, slowed_by  of the multiprocessors over the hot calls, and what held the clock down
  one_gpu_ms, pcie_ms   where several GPUs were raced: a call on one of them, and the least time that PCIe needs
"""

import ctypes
import json
import pathlib
import subprocess
import sys

ENVIRONMENT = [
    "operation",
    "device",
    "gpus",
    "links",
    "nccl",
    "compute_capability",
    "driver",
    "cuda",
    "processor",
    "date",
    "data",
    "seed",
    "command",
]
COLUMNS = [
    "plugin",
    "class",
    "shape",
    "status",
    "hot_ms",
    "cold_ms",
    "first_ms",
    "tflops",
    "ratio",
    "low",
    "high",
    "cold_ratio",
    "rho",
    "error_ratio",
    "clock_mhz",
    "slowed_by",
]
OF_SEVERAL_GPUS = ["one_gpu_ms", "pcie_ms"]
JSON_KEYS = {"hot_ms": "median_ms", "cold_ms": "cold_median_ms"}  # where they differ
DIGITS = {"rho": 3, "error_ratio": 3}  # six elsewhere


def ffma_limit():
    """TFLOP/s if every FP32 lane of GPU 0 did an FFMA in every cycle at its highest clock; None without a driver."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device = ctypes.c_int()
    if cuda.cuInit(0) or cuda.cuDeviceGet(ctypes.byref(device), 0):
        return None

    def attribute(number):
        value = ctypes.c_int()
        cuda.cuDeviceGetAttribute(ctypes.byref(value), number, device)
        return value.value

    # The numbers are those of CUdevice_attribute: the clock in kHz, multiprocessors, the compute capability.
    kilohertz, multiprocessors, capability = attribute(13), attribute(16), 10 * attribute(75) + attribute(76)
    lanes = 64 if 70 <= capability <= 80 else 128
    return 2e-9 * lanes * multiprocessors * kilohertz


def gpu():
    """The name and the driver of the GPU that answers first."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    text = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    if not text:
        sys.exit("no GPU answers")
    return text[0].split(", ")


def short_name(device):
    """What a file is called by: "NVIDIA H100 80GB HBM3" is h100, "NVIDIA H200" is h200."""
    return next((word for word in device.lower().replace("-", " ").split() if any(c.isdigit() for c in word)), "gpu")


def size(shape):
    """Orders shapes: squares and cubes first, then by their volume."""
    sides = list(map(int, shape.split("x")))
    volume = 1
    for side in sides:
        volume *= side
    return len(set(sides)) > 1, volume


def cell(column, value):
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:.{DIGITS.get(column, 6)}g}" if isinstance(value, float) else str(value)


def to_line(columns, row):
    low, high = row.get("ratio_interval") or (None, None)
    values = {**row, "low": low, "high": high}
    return "\t".join(cell(column, values.get(JSON_KEYS.get(column, column))) for column in columns)


def convert(run, extra):
    """The text of the results file for what compare saved."""
    environment = {key: run["environment"][key] for key in ENVIRONMENT if key in run["environment"]}
    rows = sorted(run["rows"], key=lambda row: (row["plugin"], size(row["shape"])))
    baseline = next((row["baseline"] for row in rows if row["baseline"]), "")
    header = {**environment, "baseline": baseline, **extra}
    lines = [f"# {key}: {value}" for key, value in header.items() if value not in (None, "")]
    columns = COLUMNS + OF_SEVERAL_GPUS if "gpus" in run["environment"] else COLUMNS
    return "\n".join([*lines, "\t".join(columns), *(to_line(columns, row) for row in rows)]) + "\n"


def read(path):
    """A results file: the "# key: value" lines, and the rows, in which numbers are numbers and empty cells None."""
    header, rows, columns = {}, [], None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("# "):
            key, value = line[2:].split(": ", 1)
            header[key] = value
        elif columns is None:
            columns = line.split("\t")
        else:
            rows.append({column: number(text) for column, text in zip(columns, line.split("\t"), strict=True)})
    return header, rows


def number(text):
    try:
        return float(text) if text else None
    except ValueError:
        return text


def main():
    run, output = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    extra = dict(argument.split("=", 1) for argument in sys.argv[3:])
    output.write_text(convert(run, extra))


if __name__ == "__main__":
    main()
