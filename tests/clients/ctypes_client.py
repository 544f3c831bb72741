#!/usr/bin/env python3
"""Calls plugins through ctypes, as a caller from any other language would: nothing but the standard library.

usage: ctypes_client.py LIBRARY...     each takes host pointers (a CPU or an emulated plugin)
"""

import ctypes
import sys


class Info(ctypes.Structure):
    """solve_info_t of abi/solve.h."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("summary", ctypes.c_char_p),
        ("source", ctypes.c_char_p),
        ("memory", ctypes.c_uint32),
        ("arithmetic", ctypes.c_uint32),
        ("minimum_compute_capability", ctypes.c_uint32),
        ("entries", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
    ]


MEMORY_HOST = 2


def load(path):
    library = ctypes.CDLL(path)
    pointer = ctypes.POINTER(ctypes.c_float)
    library.solve.argtypes = [pointer, pointer, pointer, ctypes.c_int, ctypes.c_int, ctypes.c_int]
    library.solve.restype = None
    # These two are optional: another maker's library may lack them.
    if hasattr(library, "solve_info"):
        library.solve_info.restype = ctypes.POINTER(Info)
    if hasattr(library, "solve_last_error"):
        library.solve_last_error.restype = ctypes.c_char_p
    return library


def last_error(library):
    return library.solve_last_error() if hasattr(library, "solve_last_error") else None


def multiply(library, a, b):
    """Rows of a times rows of b, as lists of lists."""
    m, n, k = len(a), len(b), len(b[0])
    flat = lambda rows: (ctypes.c_float * (len(rows) * len(rows[0])))(*[x for row in rows for x in row])
    c = (ctypes.c_float * (m * k))(*[float("nan")] * (m * k))
    library.solve(flat(a), flat(b), c, m, n, k)
    error = last_error(library)
    if error is not None:
        raise RuntimeError(error.decode())
    return [list(c[i * k : (i + 1) * k]) for i in range(m)]


def main():
    # Small integers: every product and sum is exact in FP32, so the result is known to the last bit.
    m, n, k = 37, 53, 41
    a = [[(3 * i + 5 * j) % 17 - 8 for j in range(n)] for i in range(m)]
    b = [[(7 * i + 2 * j) % 19 - 9 for j in range(k)] for i in range(n)]
    want = [[sum(a[i][x] * b[x][j] for x in range(n)) for j in range(k)] for i in range(m)]
    for path in sys.argv[1:]:
        library = load(path)
        info = library.solve_info().contents if hasattr(library, "solve_info") else None
        assert info is None or info.memory == MEMORY_HOST, f"{path} takes device pointers"
        assert multiply(library, a, b) == want, f"{path}: wrong product"
        if info is None:
            print(f"{path}: right")
            continue
        library.solve(None, None, None, 4, -1, 4)
        assert b"negative" in last_error(library), last_error(library)
        print(f"{info.name.decode()}: {info.summary.decode()}: right")


if __name__ == "__main__":
    main()
