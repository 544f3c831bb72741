"""A plugin as a Python object: abi/solve.h by ctypes."""

import ctypes
import mmap
import os

ACCURACIES = {None: 0, "fp32": 1, "fp32-emulated": 2, "tf32": 3, "fp16": 4, "bf16": 5}
MEMORY_DEVICE, MEMORY_HOST = 1, 2
BIAS_OF_COLUMNS = 2
FLAG_EMULATED = 2


class Error(RuntimeError):
    """What went wrong in a plugin, in its own words."""


class Info(ctypes.Structure):
    """solve_info_t."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("size", "abi_version")]
    _fields_ += [(name, ctypes.c_char_p) for name in ("name", "summary", "source")]
    _fields_ += [(name, ctypes.c_uint32) for name in
                 ("memory", "arithmetic", "minimum_compute_capability", "entries", "flags")]


class Gemm(ctypes.Structure):
    """solve_gemm_t."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("size", "transpose_a", "transpose_b")]
    _fields_ += [(name, ctypes.c_int32) for name in ("M", "N", "K", "batch")]
    _fields_ += [("accuracy", ctypes.c_uint32)]
    for matrix in "abc":
        _fields_ += [(matrix.upper(), ctypes.c_void_p), ("ld" + matrix, ctypes.c_int64),
                     ("stride_" + matrix, ctypes.c_int64), (matrix.upper() + "_array", ctypes.c_void_p)]
    _fields_ += [("alpha", ctypes.c_float), ("beta", ctypes.c_float), ("bias", ctypes.c_void_p),
                 ("stride_bias", ctypes.c_int64), ("bias_kind", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                 ("stream", ctypes.c_void_p), ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_uint64)]


class Plugin:
    """A loaded library. Its file stays loaded until the process ends, since a GPU may still be at work with it."""

    def __init__(self, path):
        self.path = os.fspath(path)
        try:
            self._library = ctypes.CDLL(os.path.abspath(self.path))
        except OSError as error:
            raise Error(f"{self.path}: {error}") from None
        self._solve = self._entry("solve", None, [ctypes.c_void_p] * 3 + [ctypes.c_int] * 3)
        self._gemm = self._entry("solve_gemm", ctypes.c_int, [ctypes.POINTER(Gemm)])
        self._last_error = self._entry("solve_last_error", ctypes.c_char_p, [])
        if not self._solve and not self._entry("solve_chain", None, None):
            raise Error(f"{self.path}: no plugin: it exports neither solve nor solve_chain")
        info = self._entry("solve_info", ctypes.POINTER(Info), [])
        self._info = info().contents if info else None

    def __repr__(self):
        return f"<Plugin {self.name}: {self.path}>"

    def _entry(self, name, result, arguments):
        function = getattr(self._library, name, None)
        if function is not None:
            function.restype, function.argtypes = result, arguments
        return function

    def _text(self, field):
        value = getattr(self._info, field, None)
        return value.decode() if value else ""

    @property
    def name(self):
        return self._text("name") or os.path.splitext(os.path.basename(self.path))[0]

    @property
    def summary(self):
        """What it does, in a line; empty if the library does not say."""
        return self._text("summary")

    @property
    def source(self):
        return self._text("source")

    @property
    def takes_device_pointers(self):
        """As it says, or if it does not, whether it holds GPU code."""
        if self._info is not None:
            return self._info.memory == MEMORY_DEVICE
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return text.find(b"\0.nv_fatbin\0") >= 0

    @property
    def is_emulated(self):
        """GPU code executed by the CPU: right, and slow."""
        return self._info is not None and bool(self._info.flags & FLAG_EMULATED)

    def gemm(self, call, alpha, beta, accuracy):
        """Executes a call of Matrices."""
        if accuracy not in ACCURACIES:
            raise ValueError(f"accuracy {accuracy!r} is none of {', '.join(filter(None, ACCURACIES))}")
        if self._gemm:
            self._call_gemm(call, alpha, beta, accuracy)
        elif call.is_plain and alpha == 1 and beta == 0 and accuracy is None and not call.stream:
            self._solve(call.a.pointer, call.b.pointer, call.c.pointer, call.M, call.N, call.K)
            self._throw_last_error()
        else:
            raise Error(f"{self.name} has solve and no solve_gemm: it multiplies contiguous matrices, one product a "
                        "call, on the default stream, with alpha 1, beta 0, no bias and no accuracy asked for")

    def _call_gemm(self, call, alpha, beta, accuracy):
        struct = Gemm(size=ctypes.sizeof(Gemm), M=call.M, N=call.N, K=call.K, batch=call.batch, alpha=alpha, beta=beta,
                      accuracy=ACCURACIES[accuracy], stream=call.stream or None)
        for name, operand in (("a", call.a), ("b", call.b), ("c", call.c)):
            setattr(struct, name.upper(), operand.pointer)
            setattr(struct, "ld" + name, operand.leading)
            setattr(struct, "stride_" + name, operand.stride)
        if call.bias:
            struct.bias, struct.bias_kind = call.bias, BIAS_OF_COLUMNS
        struct.transpose_a, struct.transpose_b = call.a.transposed, call.b.transposed
        if self._gemm(ctypes.byref(struct)) != 0:
            self._throw_last_error()
            raise Error(f"{self.name} failed, and does not say why")

    def _throw_last_error(self):
        text = self._last_error() if self._last_error else None
        if text:
            raise Error(f"{self.name}: {text.decode()}")
