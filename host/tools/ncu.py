"""Hardware counters of the kernels that calls of CUDA plugins launch, read with Nsight Compute.

All calls are made in one process, this file's own (`python3 ncu.py BUILD STEM:SHAPE...`), which ncu watches: it starts
once instead of once a call. Between the calls 10_naive makes a 1x1x1 product, whose grid of one block tells them apart.
"""

import csv
import ctypes
import pathlib
import random
import struct
import subprocess
import sys

BLOCKS = "launch__grid_size"


def is_mark(row):
    return row["Kernel Name"].split("(")[0].endswith("naive") and row[BLOCKS] == "1"


def counters(build, calls, metrics):
    """For each call (stem, shape), the kernels that it launched, in order: a list of (name, {metric: number})."""
    asked = sorted({*metrics, BLOCKS})
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--kernel-name-base",
               "demangled", "--metrics", ",".join(asked), sys.executable, __file__, str(build)]
    result = subprocess.run(command + [f"{stem}:{shape}" for stem, shape in calls], capture_output=True, text=True)
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


class Cuda:
    """As much of the CUDA runtime as a caller needs."""

    def __init__(self):
        places = [pathlib.Path(folder) / "libcudart.so" for folder in ("/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu")]
        self.library = ctypes.CDLL(str(next((place for place in places if place.exists()), "libcudart.so")))

    def check(self, code):
        if code:
            self.library.cudaGetErrorString.restype = ctypes.c_char_p
            sys.exit(f"CUDA: {self.library.cudaGetErrorString(code).decode()}")

    def matrix(self, elements):
        """Random elements on [-1, 1), a thousand of them over and over."""
        some = struct.pack("1000f", *(random.uniform(-1, 1) for _ in range(1000)))
        data, device = some * (elements // 1000 + 1), ctypes.c_void_p()
        self.check(self.library.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(4 * elements)))
        self.check(self.library.cudaMemcpy(device, data, ctypes.c_size_t(4 * elements), 1))
        return device

    def free(self, matrices):
        self.check(self.library.cudaDeviceSynchronize())
        for matrix in matrices:
            self.check(self.library.cudaFree(matrix))


def make_call(cuda, library, shape):
    """One product, M x N x K or M x N x K x L."""
    sizes = [int(size) for size in shape.split("x")]
    operands = [cuda.matrix(rows * columns) for rows, columns in zip(sizes, sizes[1:])]
    matrices = [*operands, cuda.matrix(sizes[0] * sizes[-1])]
    (library.solve if len(sizes) == 3 else library.solve_chain)(*matrices, *sizes)
    cuda.free(matrices)


def main():
    folder = pathlib.Path(sys.argv[1]) / "plugins/cuda"
    cuda, mark = Cuda(), ctypes.CDLL(str(folder / "10_naive.so"))
    for call in sys.argv[2:]:
        stem, shape = call.split(":")
        make_call(cuda, mark, "1x1x1")
        make_call(cuda, ctypes.CDLL(str(folder / f"{stem}.so")), shape)


if __name__ == "__main__":
    main()
