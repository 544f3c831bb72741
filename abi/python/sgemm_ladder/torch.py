"""For PyTorch 2.4 and later: products with gradients, and those of a program that is not changed.

    c = sgemm_ladder.torch.gemm(a, b)                # an operator: autograd, torch.compile and fake tensors know it
    with sgemm_ladder.torch.enable() as served:
        loss = model(x).sum()                        # its mm, addmm, bmm, baddbmm, linear and matmul of FP32
        loss.backward()
    print(served)                                    # how many were ours, and why others were not

The same tensors give the same products as sgemm_ladder.matmul; one that has gaps in its rows and in its columns is made
contiguous first, as torch.mm does.
"""

import collections
import functools
import os
import pathlib
import warnings
from typing import Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ._arrays import Matrices
from ._plugin import ACCURACIES, Error
from ._search import HERE, best

aten = torch.ops.aten


def _product(a, b, c, alpha, beta, accuracy, plugin=None):
    """alpha * a @ b + beta * c in a new tensor; c may be None, a bias, or what can be expanded to the result."""
    bias = c if c is not None and c.dim() == 1 and beta == 1 and c.shape[0] == b.shape[-1] else None
    out = None
    if c is not None and bias is None and beta != 0:
        out = c.expand(*a.shape[:-1], b.shape[-1]).clone(memory_format=torch.contiguous_format)
    beta = 0 if out is None else beta
    with torch.no_grad(), torch.cuda.device_of(a):
        try:
            call = Matrices(a, b, out, False, False, beta, None, bias)
        except ValueError:  # its strides cannot be taken, or it is wrong; the copies must live until the call is made
            a, b, bias = (None if tensor is None else tensor.contiguous() for tensor in (a, b, bias))
            call = Matrices(a, b, out, False, False, beta, None, bias)
        best(call.on_gpu, plugin).gemm(call, alpha, beta, accuracy)
    return call.result


@torch.library.custom_op("sgemm_ladder::gemm", mutates_args=())
def gemm(a: torch.Tensor, b: torch.Tensor, c: Optional[torch.Tensor] = None, alpha: float = 1.0, beta: float = 1.0,
         accuracy: Optional[str] = None) -> torch.Tensor:
    """alpha * a @ b + beta * c, of FP32 tensors on the CPU or on one GPU, with gradients.

    a, b      both of two dimensions, or both of three, for a batch.
    c         none, or what can be expanded to the result; of one dimension it is a bias.
    accuracy  as for sgemm_ladder.matmul, of the gradients' products too.
    """
    _check(a, b)
    return _product(a, b, c, alpha, beta, accuracy)


def _check(a, b):
    torch._check(a.dim() == b.dim() and a.dim() in (2, 3),
                 lambda: f"a has {a.dim()} dimensions and b {b.dim()}: both have 2, or both 3 for a batch")
    torch._check(a.shape[-1] == b.shape[-2], lambda: f"a has {a.shape[-1]} columns and b {b.shape[-2]} rows")
    torch._check(a.dim() == 2 or a.shape[0] == b.shape[0],
                 lambda: f"a has a batch of {a.shape[0]} and b one of {b.shape[0]}")


@gemm.register_fake
def _(a, b, c=None, alpha=1.0, beta=1.0, accuracy=None):
    _check(a, b)
    return a.new_empty((*a.shape[:-1], b.shape[-1]))


def _save(ctx, inputs, output):
    a, b, c, ctx.alpha, ctx.beta, ctx.accuracy = inputs
    ctx.save_for_backward(a, b)
    ctx.shape_of_c = None if c is None else c.shape


def _gradients(ctx, grad):
    a, b = ctx.saved_tensors
    of_a = of_b = of_c = None
    if ctx.needs_input_grad[0]:
        of_a = gemm(grad, b.mT, None, ctx.alpha, 1.0, ctx.accuracy)
    if ctx.needs_input_grad[1]:
        of_b = gemm(a.mT, grad, None, ctx.alpha, 1.0, ctx.accuracy)
    if ctx.shape_of_c is not None and ctx.needs_input_grad[2]:
        of_c = (ctx.beta * grad).sum_to_size(ctx.shape_of_c)
    return of_a, of_b, of_c, None, None, None


gemm.register_autograd(_gradients, setup_context=_save)


class Served(TorchDispatchMode):
    """What enable() gives: counts of the products that were ours, and of the others by the reason."""

    def __init__(self, accuracy=None, plugin=None):
        super().__init__()
        self.accuracy, self.plugin = accuracy, plugin
        self.count, self.passed_on = 0, collections.Counter()

    def __str__(self):
        others = "".join(f"; {count} to PyTorch: {why}" for why, count in self.passed_on.most_common())
        return f"{self.count} products by sgemm_ladder{others}"

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if function in OPERANDS:
            c, a, b = OPERANDS[function](*arguments)
            why = self._reason_to_pass_on(function, a, b, c, keywords)
            if not why:
                try:
                    factors = keywords.get("alpha", 1), keywords.get("beta", 1)
                    result = _product(a, b, c, *factors, self.accuracy, self.plugin)
                    self.count += 1
                    return result
                except (Error, TypeError, ValueError) as error:
                    why = str(error)
            self.passed_on[why] += 1
        elif function in WITH_OUT:
            self.passed_on["it writes into out="] += 1
        elif function in COMPOSED:  # they come here whole in inference mode
            with self:
                return function.decompose(*arguments, **keywords)
        return function(*arguments, **keywords)

    def _reason_to_pass_on(self, function, a, b, c, keywords):
        tensors = [tensor for tensor in (a, b, c) if tensor is not None]
        if any(type(tensor) not in (torch.Tensor, torch.nn.Parameter) for tensor in tensors):
            return "a tensor of another kind"
        if any(tensor.dtype != torch.float32 or tensor.device != a.device for tensor in tensors):
            return "not FP32"
        if a.device.type not in ("cpu", "cuda"):
            return f"on {a.device.type}"
        if set(keywords) - {"alpha", "beta"}:
            return "another type of result"
        if any(isinstance(keywords.get(name, 1), complex) for name in ("alpha", "beta")):
            return "complex factors"
        if self.accuracy is None and not _is_fp32_required():
            return "PyTorch may use less than FP32 here"
        return None


def _is_fp32_required():
    """Whether PyTorch must multiply in FP32 itself. It raises where less was allowed by a backend's own fp32_precision,
    of which the setting for all backends knows nothing."""
    try:
        return torch.get_float32_matmul_precision() == "highest"
    except RuntimeError:
        return False


# Where they are among an operator's arguments: what is added, and the factors.
OPERANDS = {
    aten.mm.default: lambda a, b: (None, a, b),
    aten.bmm.default: lambda a, b: (None, a, b),
    aten.addmm.default: lambda c, a, b: (c, a, b),
    aten.baddbmm.default: lambda c, a, b: (c, a, b),
}
WITH_OUT = (aten.mm.out, aten.bmm.out, aten.addmm.out, aten.baddbmm.out)
COMPOSED = (aten.linear.default, aten.matmul.default)


class Compiled:
    """What enable(compiled=True) gives: counts of the products that were ours, and of the others."""

    def __init__(self, accuracy, plugin):
        self.code, self.plugin, self.accuracy = _compiled(), plugin, ACCURACIES[accuracy]
        self.count = self.passed_on = 0

    def __enter__(self):
        plugin = best(torch.cuda.is_available()) if self.plugin is None else self.plugin
        path = os.path.abspath(getattr(plugin, "path", plugin))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that kernels are replaced
            self.code.enable(path, self.accuracy)
        self.before = self.code.counts()
        return self

    def __exit__(self, *_):
        self.code.disable()
        counts = [after - before for after, before in zip(self.code.counts(), self.before)]
        self.count, self.passed_on = self.count + counts[0], self.passed_on + counts[1]

    def __str__(self):
        return f"{self.count} products by sgemm_ladder; {self.passed_on} to PyTorch"


@functools.lru_cache(maxsize=None)
def _compiled():
    """compiled.cpp, built for this PyTorch when it is first asked for."""
    from torch.utils import cpp_extension

    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 11):  # c10::Stream::native_handle
        raise Error(f"enable(compiled=True) needs PyTorch 2.11 or later, this is {torch.__version__}")
    # The wheel's, the source tree's, or what make install has installed.
    folders = [HERE / "include", HERE.parents[1], *(pathlib.Path(prefix) / "include/sgemm-ladder" for prefix in
                                                    ("/usr/local", "/usr"))]
    headers = next((folder for folder in folders if (folder / "loader.hpp").exists()), None)
    if headers is None:
        raise Error(f"no loader.hpp in {', '.join(map(str, folders))}: make install puts it there")
    flags, libraries = ([], []) if torch.version.cuda is None else (["-DWITH_CUDA"], ["-ltorch_cuda"])
    cpp_extension.load("sgemm_ladder_compiled", [str(HERE / "compiled.cpp")], extra_cflags=["-O2", *flags],
                       extra_ldflags=libraries, extra_include_paths=[str(headers)], is_python_module=False)
    return torch.ops.sgemm_ladder_compiled


def enable(accuracy=None, plugin=None, compiled=False):
    """A context in which the FP32 products of this thread, and of backward() called in it, are ours; its value counts
    them. What is not FP32, or may be less by torch.set_float32_matmul_precision, is PyTorch's, as is what our library
    refuses. A function of torch.compile is PyTorch's too: call gemm in it.

    accuracy  as for sgemm_ladder.matmul; if it is given, torch.set_float32_matmul_precision does not count.
    plugin    a Plugin, or a path; None is the best of those there are.
    compiled  for the whole process, with no step in Python, and in what torch.compile has made too: kernels in C++
              stand before PyTorch's, which are built when this is first asked for (16 s here; needs PyTorch 2.11,
              ninja and a C++ compiler). Enter and leave while no other thread multiplies. The counts are there when
              it was left.
    """
    return Compiled(accuracy, plugin) if compiled else Served(accuracy, plugin)
