"""What a product needs to know of its arrays, whoever's they are: pointers, sizes and strides, and no copy."""

import sys


class View:
    """An FP32 array of two or three dimensions: shape and strides in elements, a pointer, and where it lies."""

    def __init__(self, array, name, dimensions=(2, 3)):
        self.name = name
        interface, self.on_gpu = _interface(array, name)
        self.pointer, read_only = interface["data"]
        self.writable = not read_only
        kind = interface["typestr"]
        if kind[1:] != "f4" or kind[0] == (">" if sys.byteorder == "little" else "<"):
            raise TypeError(f"{name} holds {kind}, not float32: convert it first")
        self.shape = tuple(interface["shape"])
        if len(self.shape) not in dimensions:
            raise ValueError(f"{name} has {len(self.shape)} dimensions: a matrix has 2, a batch of them 3, a bias 1")
        strides = interface.get("strides") or _contiguous_strides(self.shape, 4)
        if any(stride % 4 for stride in strides):
            raise ValueError(f"{name} is a part of a structure: its elements are no whole floats apart")
        self.strides = tuple(stride // 4 for stride in strides)


class Operand:
    """A matrix as solve_gemm sees it: pointer, leading dimension, whether it lies transposed, stride of a batch."""

    def __init__(self, view, transpose, batch):
        (rows, cols), (down, right) = view.shape[-2:], view.strides[-2:]
        if transpose:
            rows, cols, down, right = cols, rows, right, down
        self.rows, self.cols, self.pointer = rows, cols, view.pointer or None
        if (right == 1 or cols <= 1) and (down >= cols or rows <= 1):
            self.transposed, self.leading = 0, max(down if rows > 1 else 0, cols, 1)
        elif (down == 1 or rows <= 1) and (right >= rows or cols <= 1):
            self.transposed, self.leading = 1, max(right if cols > 1 else 0, rows, 1)
        else:
            raise ValueError(f"{view.name} has gaps, or repeats itself, in its rows and in its columns (strides "
                             f"{view.strides[-2:]}): make it contiguous first")
        self.stride = 0
        if len(view.shape) == 3:
            if view.strides[0] < 0:
                raise ValueError(f"{view.name}'s batch runs backwards: make it contiguous first")
            self.stride = view.strides[0] if batch > 1 else 0


class Matrices:
    """The arrays of a call: checked, with a result to be written."""

    def __init__(self, a, b, out, transpose_a, transpose_b, beta, stream, bias=None):
        views = [View(a, "a"), View(b, "b")]
        batches = {view.shape[0] for view in views if len(view.shape) == 3}
        if len(batches) > 1:
            raise ValueError(f"a has a batch of {views[0].shape[0]}, b one of {views[1].shape[0]}")
        self.batch = batches.pop() if batches else 1
        self.a = Operand(views[0], transpose_a, self.batch)
        self.b = Operand(views[1], transpose_b, self.batch)
        if self.a.cols != self.b.rows:
            raise ValueError(f"a is {self.a.rows} x {self.a.cols} and b is {self.b.rows} x {self.b.cols}: the columns "
                             "of a are not the rows of b")
        self.M, self.N, self.K = self.a.rows, self.a.cols, self.b.cols
        is_batch = any(len(view.shape) == 3 for view in views)
        shape = (self.batch, self.M, self.K) if is_batch else (self.M, self.K)
        if out is None:
            if beta != 0:
                raise ValueError("beta is not 0, and there is no out to be scaled")
            out = _empty_like(a, shape)
        views.append(View(out, "out"))
        if views[2].shape != shape:
            raise ValueError(f"out is {views[2].shape}, the product is {shape}")
        if not views[2].writable:
            raise ValueError("out is read-only")
        if len({view.on_gpu for view in views}) > 1:
            raise ValueError("one of a, b and out is on a GPU, and another one is not: move it first")
        self.c = Operand(views[2], False, self.batch)
        if self.c.transposed:
            raise ValueError("out's rows have gaps between their elements: give one whose rows are contiguous")
        if self.batch > 1 and self.c.stride < self.M * self.c.leading and self.M * self.K > 0:
            raise ValueError("the products of the batch would overlap in out")
        self.bias = None if bias is None else self._pointer_of_bias(View(bias, "bias", (1,)), views[0].on_gpu)
        self.result, self.on_gpu = out, views[0].on_gpu
        self.stream = (stream if stream is not None else _current_stream(a)) if self.on_gpu else 0

    def _pointer_of_bias(self, view, on_gpu):
        if view.shape != (self.K,) or (view.strides[0] != 1 and self.K > 1) or view.on_gpu != on_gpu:
            raise ValueError(f"the bias is not {self.K} elements, one after the other, where the matrices are")
        return view.pointer

    @property
    def is_plain(self):
        """Whether solve can do it: one product, of contiguous matrices that are not transposed, and no bias."""
        tight = self.a.leading == max(self.N, 1) and self.b.leading == self.c.leading == max(self.K, 1)
        return self.batch == 1 and not self.bias and tight and not self.a.transposed and not self.b.transposed


def _interface(array, name):
    """The array's interface, as numpy or CUDA describe it, and whether it is on a GPU."""
    module = type(array).__module__.split(".")[0]
    if module == "torch":
        return _interface_of_torch(array, name), array.is_cuda
    if getattr(array, "__cuda_array_interface__", None) is not None:
        return array.__cuda_array_interface__, True
    if hasattr(array, "__array_interface__"):
        return array.__array_interface__, False
    if hasattr(array, "__dlpack__"):  # jax on the CPU, and others: numpy reads it without a copy
        import numpy

        return numpy.from_dlpack(array).__array_interface__, False
    raise TypeError(f"{name} is a {type(array).__name__}, no array of numpy, torch, cupy, jax or numba")


def _interface_of_torch(tensor, name):
    if str(tensor.dtype) != "torch.float32":
        raise TypeError(f"{name} holds {tensor.dtype}, not float32: convert it first")
    if tensor.requires_grad and sys.modules["torch"].is_grad_enabled():
        raise TypeError(f"{name} requires a gradient, which is not recorded here: detach() it, or call within "
                        "torch.no_grad()")
    if tensor.layout is not sys.modules["torch"].strided or tensor.is_conj() or tensor.is_neg():
        raise TypeError(f"{name} is no plain strided tensor: {tensor.layout}")
    return {"data": (tensor.data_ptr(), False), "typestr": "<f4", "shape": tuple(tensor.shape),
            "strides": tuple(4 * stride for stride in tensor.stride())}


def _contiguous_strides(shape, size):
    strides = []
    for count in reversed(shape):
        strides.insert(0, size)
        size *= count
    return strides


def _empty_like(array, shape):
    module = type(array).__module__.split(".")[0]
    if module == "torch":
        return sys.modules["torch"].empty(shape, dtype=array.dtype, device=array.device)
    if module == "cupy":
        return sys.modules["cupy"].empty(shape, dtype="float32")
    if module == "numba":
        from numba import cuda

        return cuda.device_array(shape, dtype="float32")
    if not hasattr(array, "__array_interface__"):
        raise TypeError(f"give an out: arrays of {module} cannot be written, or it is not known how to make one")
    import numpy

    return numpy.empty(shape, dtype=numpy.float32)


def _current_stream(array):
    module = type(array).__module__.split(".")[0]
    if module == "torch":
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    if module == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    return 0
