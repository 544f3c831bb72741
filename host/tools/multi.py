#!/usr/bin/env python3
"""Times plugins that take host pointers and work on GPUs, where `compare` cannot: matrices of many gigabytes.

usage: multi.py LIBRARY [--pageable] SHAPE...     e.g. multi.py build/plugins/cuda/90_nccl_grid.so 8192 65536x1024x65536

The matrices are pinned, unless --pageable is said. Three calls a shape: the first one, which sets up what is kept, and
the best of the others, in TFLOP/s. 64 elements of C are held against sums in double precision. Exit status 1: a call has
failed, or an element is wrong.
"""

import array
import ctypes
import math
import random
import sys
import time

PATTERN = 1 << 20  # floats that the matrices repeat; a prime number fewer, so that rows differ
UNIT = 2.0 ** -24


def pinned(bytes_needed):
    for name in ("libcudart.so", "libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so"):
        try:
            runtime = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        sys.exit("no libcudart.so to pin memory with: set LD_LIBRARY_PATH, or say --pageable")
    memory = ctypes.c_void_p()
    if error := runtime.cudaHostAlloc(ctypes.byref(memory), ctypes.c_size_t(bytes_needed), ctypes.c_uint(1)):
        sys.exit(f"cudaHostAlloc of {bytes_needed} bytes: error {error}")
    return (ctypes.c_float * (bytes_needed // 4)).from_address(memory.value)


def matrix(elements, pageable, seed):
    """Floats from -1 to 1, or without a seed NaN."""
    floats = (ctypes.c_float * elements)() if pageable else pinned(4 * elements)
    if seed is None:
        ctypes.memset(floats, 0xFF, 4 * elements)
        return floats
    draw = random.Random(seed)
    pattern = array.array("f", (draw.uniform(-1, 1) for _ in range(min(elements, PATTERN - 3))))
    ctypes.memmove(floats, pattern.buffer_info()[0], 4 * len(pattern))
    filled = len(pattern)
    while filled < elements:
        count = min(filled, elements - filled)
        ctypes.memmove(ctypes.addressof(floats) + 4 * filled, floats, 4 * count)
        filled += count
    return floats


def wrong_elements(a, b, c, rows, terms, cols):
    draw, wrong = random.Random(5), 0
    for _ in range(64):
        row, col = draw.randrange(rows), draw.randrange(cols)
        products = [a[row * terms + n] * b[n * cols + col] for n in range(terms)]
        bound = UNIT * min(terms, 9 * math.sqrt(terms)) * math.fsum(map(abs, products))
        wrong += not abs(c[row * cols + col] - math.fsum(products)) <= bound
    return wrong


def measure(library, shape, pageable):
    sides = [int(side) for side in shape.split("x")]
    rows, terms, cols = sides if len(sides) == 3 else sides * 3
    a, b = matrix(rows * terms, pageable, 1), matrix(terms * cols, pageable, 2)
    c = matrix(rows * cols, pageable, None)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        library.solve(a, b, c, rows, terms, cols)
        seconds.append(time.perf_counter() - start)
        if error := library.solve_last_error():
            print(f"{shape}: {error.decode()}")
            return False
    wrong = wrong_elements(a, b, c, rows, terms, cols)
    speeds = [2e-12 * rows * terms * cols / each for each in (seconds[0], min(seconds[1:]))]
    memory = "pageable" if pageable else "pinned"
    print(f"{shape}: {memory}, first call {seconds[0]:.3f} s, {speeds[0]:.1f} TFLOP/s; then {min(seconds[1:]):.3f} s, "
          f"{speeds[1]:.1f} TFLOP/s; {wrong} of 64 elements wrong", flush=True)
    return wrong == 0


def main(arguments):
    pageable = "--pageable" in arguments
    path, *shapes = [each for each in arguments if each != "--pageable"] or [None]
    if not path or not shapes:
        sys.exit(__doc__)
    library = ctypes.CDLL(path)
    library.solve_last_error.restype = ctypes.c_char_p
    results = [measure(library, shape, pageable) for shape in shapes]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
