#!/usr/bin/env python3
"""abi/python/sgemm_ladder: numpy arrays on the CPU's plugins, and what it makes of the arrays of others, which are
played here by objects with their attributes. usage: python_test.py BUILD"""

import os
import subprocess
import sys
import types
import unittest

from tree import BUILD, ROOT

import sgemm_ladder  # found by tree
from sgemm_ladder._arrays import Matrices

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

    def test_a_bias_is_added_to_each_row(self):
        a, b, bias = self.array(5, 7), self.array(7, 3), self.array(6)
        self.check(sgemm_ladder.matmul(a, b, alpha=2, bias=bias[:3]), 2 * (a @ b) + bias[:3])
        for wrong in (bias, bias[::2], bias[:3].astype(float)):
            with self.assertRaisesRegex((TypeError, ValueError), "bias"):
                sgemm_ladder.matmul(a, b, bias=wrong)

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


class Comparisons(unittest.TestCase):
    def setUp(self):
        os.environ["SGEMM_LADDER_COMPARE"] = str(BUILD / "compare")
        self.addCleanup(os.environ.pop, "SGEMM_LADDER_COMPARE", None)

    def test_libraries_are_judged_by_the_program(self):
        wrong = str(BUILD / "bad_plugins" / "control_wrong.so")
        rows = sgemm_ladder.compare([sgemm_ladder.load(PACKED), wrong], "33x20x17", options=["--quick", "--check-only"])
        self.assertEqual([(row["plugin"], row["status"], row["class"]) for row in rows],
                         [("20_packed", "ok", "FP32"), ("control_wrong", "wrong", "wrong")])
        self.assertIn("33x20x17", str(rows).splitlines()[0])
        self.assertIn("<td>20_packed</td>", rows._repr_html_())
        with self.assertRaisesRegex(ValueError, "no row at 33x20x17 has a speed"):
            rows.staircase()
        with self.assertRaisesRegex(sgemm_ladder.Error, "/no/such.so"):
            sgemm_ladder.compare("/no/such.so", 8)

    def test_a_shape_is_three_sizes_in_any_form(self):
        from sgemm_ladder._compare import _shape

        self.assertEqual([_shape(each) for each in (8, "8", "4x5x6", [4, 5, 6])], [(8, 8, 8)] * 2 + [(4, 5, 6)] * 2)
        for wrong in ("8x", "axbxc", (1, 2), 0, "1x2x3x4"):
            with self.assertRaisesRegex(ValueError, "is no shape"):
                _shape(wrong)

    @unittest.skipUnless(numpy, "no numpy")
    def test_functions_are_judged_here(self):
        def rounded(bits):
            def to(array):
                half, mask = numpy.uint32(1 << (23 - bits)), numpy.uint32(2**32 - (1 << (24 - bits)))
                return ((array.view(numpy.uint32) + half) & mask).view(numpy.float32)

            return lambda a, b: to(a) @ to(b)

        def changes_a(a, b):
            a[0] = 1
            return a @ b

        def last_row_nan(a, b):
            c = a @ b
            c[-1, -1] = numpy.nan
            return c

        subjects = {"right": numpy.matmul, "11 bits": rounded(11), "8 bits": rounded(8), "changes": changes_a,
                    "off": lambda a, b: a[:, :-1] @ b[:-1], "nan": last_row_nan, "turned": lambda a, b: (a @ b).T,
                    "double": lambda a, b: a.astype(float) @ b, "throws": lambda a, b: a @ a}
        rows = {row["plugin"]: row for row in sgemm_ladder.compare(subjects, [(40, 200, 30)], seed=1)}
        self.assertEqual({name: (row["status"], row["class"]) for name, row in rows.items()},
                         {"right": ("ok", "FP32"), "11 bits": ("ok", "TF32-grade"), "8 bits": ("ok", "BF16-grade"),
                          "changes": ("input-modified", None), "off": ("wrong", None), "nan": ("wrong", None),
                          "turned": ("wrong", None), "double": ("wrong", None), "throws": ("failed", None)})
        self.assertEqual({name for name, row in rows.items() if row["ms"]}, {"right", "11 bits", "8 bits"})
        self.assertIn("1 elements are no numbers", rows["nan"]["message"])
        self.assertIn("not float32", rows["double"]["message"])

    @unittest.skipUnless(numpy, "no numpy")
    def test_results_of_several_kinds_are_waited_for(self):
        waits = []

        class Later(numpy.ndarray):  # as jax has it
            block_until_ready, devices = lambda self: waits.append(1), lambda self: {"CpuDevice(id=0)"}

        rows = sgemm_ladder.compare({"now": numpy.matmul, "later": lambda a, b: (a @ b).view(Later)}, 16)
        self.assertEqual([(row["device"], row["status"]) for row in rows], [("cpu", "ok")] * 2)
        self.assertGreater(len(waits), 12)


if __name__ == "__main__":
    of_numpy = [*dir(Products), "test_functions_are_judged_here", "test_results_of_several_kinds_are_waited_for"]
    for name in of_numpy if numpy is None else []:
        if name.startswith("test_"):
            print(f"SKIPPED: abi/python: {name[5:].replace('_', ' ')}: numpy is not installed")
    if "TEST_ALL" in os.environ:
        made = subprocess.run([ROOT / "abi/python/wheel.sh", BUILD, sys.executable], capture_output=True, text=True)
        print(made.stdout if made.returncode == 0 else "SKIPPED: make wheel: " + made.stderr.strip().splitlines()[-1])
    unittest.main()
