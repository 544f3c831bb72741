#!/usr/bin/env python3
"""abi/python/sgemm_ladder: numpy arrays on the CPU's plugins, and what it makes of the arrays of others, which are played
here by objects with their attributes. usage: python_test.py BUILD"""

import os
import pathlib
import subprocess
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build").resolve()
os.environ["SGEMM_LADDER_PATH"] = str(BUILD / "plugins")
sys.path.insert(0, str(ROOT / "abi" / "python"))

import sgemm_ladder  # noqa: E402
from sgemm_ladder._arrays import Matrices  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

PACKED = str(BUILD / "plugins" / "cpu" / "20_packed.so")


def on_gpu(shape, strides=None, typestr="<f4", data=4096):
    """What cupy and numba say of an array."""
    return types.SimpleNamespace(__cuda_array_interface__={
        "shape": shape, "strides": strides, "typestr": typestr, "data": (data, False), "version": 3})


class ArraysOfOthers(unittest.TestCase):
    def test_views_of_device_memory_become_leading_dimensions_and_transposes(self):
        call = Matrices(on_gpu((5, 7)), on_gpu((7, 3), strides=(4, 40)), on_gpu((5, 3), strides=(32, 4)), False, False,
                        0, None)
        self.assertTrue(call.on_gpu)
        self.assertEqual((call.M, call.N, call.K, call.batch), (5, 7, 3, 1))
        self.assertEqual((call.a.transposed, call.a.leading), (0, 7))
        self.assertEqual((call.b.transposed, call.b.leading), (1, 10))
        self.assertEqual((call.c.transposed, call.c.leading), (0, 8))
        self.assertFalse(call.is_plain)

    def test_a_batch_may_share_an_operand(self):
        call = Matrices(on_gpu((6, 5, 7)), on_gpu((7, 3)), on_gpu((6, 5, 3)), False, False, 0, 17)
        self.assertEqual((call.batch, call.a.stride, call.b.stride, call.c.stride, call.stream), (6, 35, 0, 15, 17))

    def test_what_cannot_be_taken_as_it_is_is_refused(self):
        good = on_gpu((4, 4))
        for bad, said in ((on_gpu((4, 4), typestr="<f8"), "not float32"), (on_gpu((4,)), "1 dimensions"),
                          (on_gpu((4, 4), strides=(64, 8)), "make it contiguous"),
                          (on_gpu((4, 4), strides=(0, 4)), "repeats itself"), (on_gpu((5, 4)), "columns of a are not"),
                          ([[1.0]], "is a list")):
            with self.assertRaisesRegex((TypeError, ValueError), said):
                Matrices(good, bad, good, False, False, 0, None)
        with self.assertRaisesRegex(ValueError, "the product is"):
            Matrices(good, good, on_gpu((4, 5)), False, False, 0, None)

    def test_torch_is_asked_for_its_memory_and_its_stream(self):
        torch = types.ModuleType("torch")
        torch.strided, grad = object(), [True]
        torch.is_grad_enabled = lambda: grad[0]
        torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=33))

        class Tensor:
            dtype, layout, device, is_cuda, shape = "torch.float32", torch.strided, "cuda:0", True, (2, 3)
            requires_grad = False
            is_conj = is_neg = staticmethod(lambda: False)
            data_ptr = staticmethod(lambda: 512)
            stride = staticmethod(lambda: (3, 1))

        Tensor.__module__ = "torch"
        torch.empty = lambda shape, dtype, device: on_gpu(shape)
        sys.modules["torch"] = torch
        try:
            call = Matrices(Tensor(), Tensor(), None, False, True, 0, None)
            self.assertEqual((call.M, call.N, call.K, call.stream, call.b.transposed), (2, 3, 2, 33, 1))
            Tensor.requires_grad = True
            with self.assertRaisesRegex(TypeError, "detach"):
                Matrices(Tensor(), Tensor(), None, False, True, 0, None)
        finally:
            del sys.modules["torch"]


class Plugins(unittest.TestCase):
    def test_they_are_found_by_name_and_say_what_they_are(self):
        found = {plugin.name: plugin for plugin in sgemm_ladder.plugins()}
        self.assertFalse(found["20_packed"].takes_device_pointers)
        self.assertTrue(found["10_naive"].is_emulated)
        self.assertIn("Goto", found["20_packed"].source)

    def test_errors_name_the_file_and_the_cause(self):
        with self.assertRaisesRegex(sgemm_ladder.Error, "/no/such.so.*No such file"):
            sgemm_ladder.load("/no/such.so")
        with self.assertRaisesRegex(sgemm_ladder.Error, "takes arrays in host memory"):
            sgemm_ladder.matmul(on_gpu((4, 4)), on_gpu((4, 4)), on_gpu((4, 4)), plugin=PACKED)


@unittest.skipUnless(numpy, "no numpy")
class Products(unittest.TestCase):
    def setUp(self):
        draw = numpy.random.default_rng(1)
        self.array = lambda *shape: draw.integers(-8, 8, shape).astype(numpy.float32)  # sums are exact

    def check(self, got, want):
        self.assertEqual(got.dtype, numpy.float32)
        numpy.testing.assert_array_equal(got, want)

    def test_products_views_batches_and_scales(self):
        a, b = self.array(37, 53), self.array(53, 41)
        self.check(sgemm_ladder.matmul(a, b), a @ b)
        self.check(sgemm_ladder.matmul(b.T, a.T), b.T @ a.T)
        self.check(sgemm_ladder.matmul(a, a, transpose_a=True), a.T @ a)
        self.check(sgemm_ladder.matmul(a[::3, 5:20], b[5:20, :7]), a[::3, 5:20] @ b[5:20, :7])
        many = self.array(6, 53, 4)
        self.check(sgemm_ladder.matmul(a, many), a @ many)
        out = self.array(37, 48)
        want = 2 * (a @ b) - out[:, :41]
        part = out[:, :41]
        self.assertIs(sgemm_ladder.matmul(a, b, part, alpha=2, beta=-1), part)
        self.check(part, want)

    def test_empty_products(self):
        self.check(sgemm_ladder.matmul(self.array(3, 0), self.array(0, 2)), numpy.zeros((3, 2)))
        self.assertEqual(sgemm_ladder.matmul(self.array(0, 3), self.array(3, 2)).shape, (0, 2))

    def test_a_chain_is_multiplied_in_either_order(self):
        a, b, c = self.array(30, 4), self.array(4, 30), self.array(30, 4)
        self.check(sgemm_ladder.chain(a, b, c), a @ b @ c)
        self.check(sgemm_ladder.chain(c.T, b.T, a.T), c.T @ b.T @ a.T)

    def test_a_library_that_has_solve_alone_does_what_it_can(self):
        a, b, plain = self.array(8, 8), self.array(8, 8), str(BUILD / "bad_plugins" / "control_correct.so")
        self.check(sgemm_ladder.matmul(a, b, plugin=plain), a @ b)
        with self.assertRaisesRegex(sgemm_ladder.Error, "has solve and no solve_gemm"):
            sgemm_ladder.matmul(a, b.T, plugin=plain)

    def test_gradients_and_read_only_results_are_not_lost_silently(self):
        a = self.array(4, 4)
        out = self.array(4, 4)
        out.setflags(write=False)
        with self.assertRaisesRegex(ValueError, "read-only"):
            sgemm_ladder.matmul(a, a, out)
        with self.assertRaisesRegex(ValueError, "accuracy"):
            sgemm_ladder.matmul(a, a, accuracy="double")


if __name__ == "__main__":
    for name in dir(Products) if numpy is None else []:
        if name.startswith("test_"):
            print(f"SKIPPED: abi/python: {name[5:].replace('_', ' ')}: numpy is not installed")
    if "TEST_ALL" in os.environ:
        made = subprocess.run([ROOT / "abi/python/wheel.sh", BUILD, sys.executable], capture_output=True, text=True)
        print(made.stdout if made.returncode == 0 else "SKIPPED: make wheel: " + made.stderr.strip().splitlines()[-1])
    unittest.main()
