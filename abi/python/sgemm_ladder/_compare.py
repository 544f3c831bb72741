"""Judges and races libraries, by the program compare, and Python callables, in this process."""

import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from ._plugin import Error, Plugin
from ._rows import Rows
from ._search import HERE, find

ROUNDING = 2.0**-24  # of FP32: half a unit in the last place of 1
# What rounds operands to fewer bits than FP32's 24: TF32 and half precision keep 11, bfloat16 8. Errors of products add
# up as the terms would with random signs: off by 2^-11.9 of that norm (root mean square; 2^-10.5 if truncated) with 11
# bits and by 2^-8.9 (2^-7.5) with 8, within 0.1 in the exponent from N = 1 to 20000. So the limits lie between.
COARSER = (("TF32-grade", 2.0**-10.2), ("BF16-grade", 2.0**-7.2))
MOST_CHECKED = 2.0**33  # multiply-adds in FP64; of a larger product so many rows are checked as that comes to
ROUND_S, ROUNDS = 0.005, 12
SPINNING_S = 0.03  # OpenBLAS's threads wait 2^26 cycles for the next product before they sleep


def compare(subjects, shapes=(1024,), *, arrays="numpy", options=("--quick",), seed=None):
    """Rows of what is right, and how fast, at each shape: a list of dictionaries that shows itself as a table.

    subjects  one or several: the path of a library, of a .cu or a .cpp file, a Plugin; or a callable, which gets A and
              B and returns A * B. A dictionary names them, else callables are called by their __name__.
    shapes    each M, N, K with C[M x K] = A[M x N] * B[N x K]: (4096, 1024, 512), "4096x1024x512", or a number for a
              square one.
    arrays    what callables get: "numpy", "torch" or "cupy" (torch's and cupy's on the GPU, if there is one), or a
              function that makes one of a numpy array.
    options   of the program `compare`, for the libraries.
    seed      of the matrices; None draws one.

    Libraries are judged by the program, each in a process of its own, so one may crash. Callables are held against
    numpy's product in FP64 here, and their class is that of the error at this shape alone; they take turns with the
    vendor's library, and all times have Python's own in them. What is wrong is not timed.
    """
    shapes = [_shape(shape) for shape in (shapes if isinstance(shapes, (list, tuple, set)) else [shapes])]
    seed = int.from_bytes(os.urandom(4), "little") if seed is None else seed
    named = _named(subjects)
    libraries = [subject for _, subject in named if not callable(subject)]
    rows = _judge_libraries(libraries, shapes, [*options, "--seed", str(seed)]) if libraries else []
    for shape in shapes:
        functions = [(name, subject) for name, subject in named if callable(subject)]
        rows += _judge_functions(functions, shape, arrays, seed) if functions else []
    order = {"x".join(map(str, shape)): place for place, shape in enumerate(shapes)}
    return Rows(sorted(rows, key=lambda row: order.get(row["shape"], len(order))))


def _shape(shape):
    sizes = [shape] * 3 if isinstance(shape, int) else shape.split("x") if isinstance(shape, str) else list(shape)
    sizes = sizes * 3 if len(sizes) == 1 else sizes
    if len(sizes) != 3 or not all(re.fullmatch(r"\d+", str(size)) and int(size) > 0 for size in sizes):
        raise ValueError(f"{shape!r} is no shape: M, N and K as (4096, 1024, 512) or \"4096x1024x512\", or one number")
    return tuple(int(size) for size in sizes)


def _named(subjects):
    if isinstance(subjects, dict):
        return list(subjects.items())
    if callable(subjects) or isinstance(subjects, (str, os.PathLike, Plugin)):
        subjects = [subjects]
    return [(getattr(subject, "__name__", type(subject).__name__), subject) for subject in subjects]


# ---- Libraries ------------------------------------------------------------------------------------------------------


def program():
    """The file of the program compare: SGEMM_LADDER_COMPARE, the source tree's, or the installed one."""
    given = os.environ.get("SGEMM_LADDER_COMPARE")
    if given:
        return given
    built = HERE.parents[2] / "build" / "compare"
    found = str(built) if built.exists() else shutil.which("sgemm-ladder-compare")
    if not found:
        raise Error("the program compare is in no source tree of ours, nor sgemm-ladder-compare in PATH: `make run` or "
                    "`make install` makes it, SGEMM_LADDER_COMPARE names it")
    return found


def _judge_libraries(libraries, shapes, options):
    paths = [subject.path if isinstance(subject, Plugin) else os.fspath(subject) for subject in libraries]
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "rows.json"
        command = [program(), *paths, *options, "--progress", "none", "--json", str(saved)]
        for shape in shapes:
            command += ["--shape", "x".join(map(str, shape))]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        rows = json.loads(saved.read_text(encoding="utf-8"))["rows"] if saved.exists() else []
    # Its other exit codes are about the rows, which say it themselves.
    if result.returncode in (1, 6, 7, 9) or result.returncode < 0 or not rows:
        raise Error(result.stderr.strip() or f"{command[0]} ended with {result.returncode}, and said nothing")
    return [_row_of_program(row) for row in rows]


def _row_of_program(row):
    low, high = row["ratio_interval"] if row.get("ratio_interval") else (None, None)
    keys = ("plugin", "device", "shape", "status", "class", "max_error", "rho", "tflops", "baseline", "ratio",
            "message")
    return {**{key: row.get(key) for key in keys}, "ms": row.get("median_ms"), "ratio_low": low, "ratio_high": high}


# ---- Callables ------------------------------------------------------------------------------------------------------


def _maker(kind):
    """What makes of numpy's arrays those that the callables get."""
    if kind == "numpy":
        return lambda array: array
    if kind == "torch":
        import torch

        on_gpu = torch.cuda.is_available()
        return lambda array: torch.from_numpy(array).to("cuda" if on_gpu else "cpu")
    if kind == "cupy":
        import cupy

        return cupy.asarray
    if callable(kind):
        return kind
    raise ValueError(f"arrays={kind!r} is neither \"numpy\", \"torch\" nor \"cupy\", nor a function")


def _device_of(result):
    if hasattr(result, "devices"):  # jax
        return "cpu" if "cpu" in str(result.devices()).lower() else "cuda"
    on_gpu = getattr(result, "is_cuda", False) or hasattr(result, "__cuda_array_interface__")
    return "cuda" if on_gpu else "cpu"


def _wait_for(result):
    """Until it is there, and what was enqueued before."""
    module = type(result).__module__.split(".")[0]
    if hasattr(result, "block_until_ready"):  # jax
        result.block_until_ready()
    elif module == "torch" and result.is_cuda:
        sys.modules["torch"].cuda.synchronize()
    elif module == "cupy":
        sys.modules["cupy"].cuda.get_current_stream().synchronize()


def _to_numpy(array):
    import numpy

    array = array.detach().cpu() if hasattr(array, "detach") else array.get() if hasattr(array, "get") else array
    return numpy.asarray(array)


class Product:
    """A and B of a shape, and A * B in FP64: of all rows, or of as many as can be waited for."""

    def __init__(self, shape, seed):
        import numpy

        (self.M, self.N, self.K), draw = shape, numpy.random.default_rng(seed)
        self.A = draw.uniform(-1, 1, (self.M, self.N)).astype(numpy.float32)
        self.B = draw.uniform(-1, 1, (self.N, self.K)).astype(numpy.float32)
        count = min(self.M, max(16, int(MOST_CHECKED / (self.N * self.K))))
        self.rows = numpy.sort(draw.choice(self.M, count, replace=False))
        A = self.A[self.rows].astype(numpy.float64)
        self.C = A @ self.B.astype(numpy.float64)
        self.size = numpy.abs(A) @ numpy.abs(self.B).astype(numpy.float64)  # |A||B|
        self.norm = numpy.sqrt((A * A) @ (self.B.astype(numpy.float64) ** 2))  # of each sum's terms

    def judge(self, result):
        """status, class, max_error, rho and message of a result."""
        import numpy

        if tuple(result.shape) != (self.M, self.K):
            return "wrong", None, None, None, f"the result is {tuple(result.shape)}, not {(self.M, self.K)}"
        if str(result.dtype).split(".")[-1] != "float32":
            return "wrong", None, None, None, f"the result holds {result.dtype}, not float32"
        error = numpy.abs(_to_numpy(result)[self.rows] - self.C)
        if not numpy.isfinite(error).all():
            return "wrong", None, None, None, f"{int((~numpy.isfinite(error)).sum())} elements are no numbers"
        most, rho = float(error.max()), float((error / numpy.maximum(self.size * ROUNDING, 1e-300)).max())
        bound = min(self.N, 9 * math.sqrt(self.N), 17.2)  # as host/checks/bound.h has it for uniform data
        if rho <= bound:
            return "ok", "FP32", most, rho, ""
        coarseness = float(numpy.sqrt(numpy.mean((error / numpy.maximum(self.norm, 1e-300)) ** 2)))
        for name, limit in COARSER:
            if coarseness <= limit and error.max() <= 8 * limit * self.norm.max():
                return "ok", name, most, rho, ""
        return "wrong", None, most, rho, f"off by {rho:.3g} times the rounding of FP32, and may be by {bound:.3g}"


def _judge_functions(functions, shape, arrays, seed):
    product, make = Product(shape, seed), _maker(arrays)
    A, B = make(product.A.copy()), make(product.B.copy())
    rows, right = [], []
    for name, function in functions:
        row = {"plugin": name, "device": _device_of(A), "shape": "x".join(map(str, shape)), "baseline": None}
        row.update(dict.fromkeys(("class", "max_error", "rho", "ms", "tflops", "ratio", "ratio_low", "ratio_high")))
        rows.append(row)
        try:
            result = function(A, B)
            _wait_for(result)
            row["device"], values = _device_of(result), product.judge(result)
        except Exception as error:  # whatever a stranger's function throws is what is wrong with it
            values = "failed", None, None, None, f"{type(error).__name__}: {error}"
        if (_to_numpy(A) != product.A).any() or (_to_numpy(B) != product.B).any():
            values = "input-modified", None, None, None, "it has changed A or B"
            A, B = make(product.A.copy()), make(product.B.copy())
        row["status"], row["class"], row["max_error"], row["rho"], row["message"] = values
        if row["status"] == "ok":
            right.append((row, function))
    if right:
        _race(right, A, B, 2.0 * shape[0] * shape[1] * shape[2])
    return rows


def _vendors(A, B, K):
    """The name and a call of the vendor's library for these arrays, or None if it is not here or does not take them."""
    from . import matmul

    on_gpu = _device_of(A) == "cuda"
    path = find(("cuda/00_cublas_fp32",) if on_gpu else ("cpu/90_openblas",))
    out = None
    if path and not on_gpu and not hasattr(A, "__array_interface__") and not hasattr(A, "data_ptr"):
        import numpy

        out = numpy.empty((A.shape[0], K), numpy.float32)  # jax's arrays cannot be written
    try:
        if path is None or matmul(A, B, out, plugin=path) is None:
            return None
    except (Error, TypeError, ValueError):
        return None
    return path.stem, lambda A, B: matmul(A, B, out, plugin=path)


def _race(right, A, B, operations):
    """Times them in turns with the vendor's library, if that is there for these arrays."""
    vendors = _vendors(A, B, B.shape[1])
    racers = [function for _, function in right] + ([vendors[1]] if vendors else [])
    on_host = any(row["device"] == "cpu" for row, _ in right)
    calls = [max(1, int(ROUND_S / max(_seconds(racer, A, B, 1), 1e-9))) for racer in racers]
    times = [[_turn(racer, A, B, count, on_host) for racer, count in zip(racers, calls)] for _ in range(ROUNDS)]
    for place, (row, _) in enumerate(right):
        seconds = statistics.median(each[place] for each in times)
        row["ms"], row["tflops"] = 1e3 * seconds, operations / seconds / 1e12
        if vendors:
            ratios = sorted(each[-1] / each[place] for each in times)
            row["baseline"], row["ratio"] = vendors[0], statistics.median(ratios)
            # Of 12 rounds the third from each end: 96 % for the median, if rounds are independent.
            row["ratio_low"], row["ratio_high"] = ratios[2], ratios[-3]


def _turn(function, A, B, count, on_host):
    """Seconds a call. The threads of a BLAS that was called before go on looking for work for a while, on our cores."""
    if on_host:
        time.sleep(SPINNING_S)
    _seconds(function, A, B, 1)
    return _seconds(function, A, B, count) / count


def _seconds(function, A, B, count):
    begin = time.perf_counter()
    for _ in range(count):
        result = function(A, B)
    _wait_for(result)
    return time.perf_counter() - begin
