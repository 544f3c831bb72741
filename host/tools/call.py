#!/usr/bin/env python3
"""Calls CUDA plugins, once each, with nothing around the calls: for a profiler or a sanitizer to watch.

usage: call.py BUILD STEM:SHAPE...     e.g. call.py build 40_tile128:512x512x512 10_chain_fused:64x32x64x16

A shape of four numbers is for a plugin of E = A * B * C. The matrices are random, and are as large as they must be, so
that memcheck sees every access past them. Exit status 1 if a call or CUDA fails.
"""

import ctypes
import pathlib
import random
import struct
import sys


class Cuda:
    """As much of the CUDA runtime as a caller needs."""

    def __init__(self):
        places = [pathlib.Path(folder) / "libcudart.so" for folder in ("/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu")]
        self.library = ctypes.CDLL(str(next((place for place in places if place.exists()), "libcudart.so")))
        self.library.cudaGetErrorString.restype = ctypes.c_char_p

    def check(self, code):
        if code:
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


def call(cuda, path, sizes):
    """One product, of M, N, K or of M, N, K, L."""
    library = ctypes.CDLL(str(path))
    operands = [cuda.matrix(rows * columns) for rows, columns in zip(sizes, sizes[1:])]
    matrices = [*operands, cuda.matrix(sizes[0] * sizes[-1])]
    (library.solve if len(sizes) == 3 else library.solve_chain)(*matrices, *sizes)
    if hasattr(library, "solve_last_error"):
        library.solve_last_error.restype = ctypes.c_char_p
        if error := library.solve_last_error():
            sys.exit(f"{path}: {error.decode()}")
    cuda.free(matrices)


def main():
    cuda = Cuda()
    for asked in sys.argv[2:]:
        stem, shape = asked.split(":")
        call(cuda, pathlib.Path(sys.argv[1]) / "plugins/cuda" / f"{stem}.so", [int(size) for size in shape.split("x")])


if __name__ == "__main__":
    main()
