"""FP32 matrix products by the plugins of sgemm-ladder, for arrays of numpy, and of torch, cupy, jax and numba on a GPU.

    import sgemm_ladder
    c = sgemm_ladder.matmul(a, b)            # a is M x N, b is N x K
    for plugin in sgemm_ladder.plugins():
        print(plugin.name, plugin.summary)
    sgemm_ladder.compare(["my.cu", numpy.matmul], [1024, "4096x512x64"])    # who is right, and how fast

Nothing is copied behind your back: an array of another type, or whose rows and columns both have gaps, is refused with
a TypeError or ValueError that says so. Transposes and slices of whole rows or columns are taken as they are.
"""

import importlib

from ._arrays import Matrices
from ._compare import compare
from ._plugin import Error, Plugin
from ._search import best, load, plugins

__all__ = ["Error", "Plugin", "best", "chain", "compare", "load", "matmul", "plugins"]


def __getattr__(name):
    """sgemm_ladder.torch, which imports PyTorch, is loaded when it is first asked for."""
    if name == "torch":
        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def matmul(a, b, out=None, *, transpose_a=False, transpose_b=False, alpha=1.0, beta=0.0, bias=None, accuracy=None,
           stream=None, plugin=None):
    """out = alpha * op(a) * op(b) + beta * out + bias, and `out`, where op transposes the last two dimensions if asked.

    a, b     FP32 arrays of two dimensions, or of three for a batch; one of them may lack the batch's dimension, which
             all products then share. All in host memory, or all on one GPU.
    out      where the result goes, in memory of the same kind; a new array if it is None. Needed if beta is not 0.
    bias     what is added to each row, an array of one dimension; None for nothing.
    accuracy the least that will do: "fp32", "fp32-emulated", "tf32", "fp16" or "bf16"; None is the plugin's own.
    stream   a CUDA stream's handle as an integer; None is the current stream of torch or cupy, else the default one.
    plugin   a Plugin, or a path; None is the best of those there are, plugins() names them.
    """
    call = Matrices(a, b, out, transpose_a, transpose_b, beta, stream, bias)
    best(call.on_gpu, plugin).gemm(call, alpha, beta, accuracy)
    return call.result


def chain(a, b, c, out=None, *, stream=None, plugin=None):
    """a * b * c, in the order of association that takes fewer operations. The arguments are as for matmul."""
    (m, n), k, last = a.shape[-2:], b.shape[-1], c.shape[-1]
    if m * n * k + m * k * last <= n * k * last + m * n * last:
        return matmul(matmul(a, b, stream=stream, plugin=plugin), c, out, stream=stream, plugin=plugin)
    return matmul(a, matmul(b, c, stream=stream, plugin=plugin), out, stream=stream, plugin=plugin)
