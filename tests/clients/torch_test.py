#!/usr/bin/env python3
"""sgemm_ladder.torch: the operator and enable(), on a GPU if PyTorch has one and 90_dispatch was built for it, else on
the CPU. usage: torch_test.py BUILD"""

import os
import shutil
import unittest
import warnings

from tree import BUILD

import sgemm_ladder  # found by tree

try:
    import torch
    import torch.testing
except ImportError:
    torch = None


def device():
    return "cuda" if torch.cuda.is_available() and (BUILD / "plugins/cuda/90_dispatch.so").exists() else "cpu"


def random(*shape, grad=False):
    return torch.randn(*shape, device=device()).requires_grad_(grad)


@unittest.skipUnless(torch, "no PyTorch")
class Operator(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_it_is_the_product_with_what_is_added(self):
        a, b, gemm = random(5, 7), random(7, 3), sgemm_ladder.torch.gemm
        for c in (random(3), random(5, 3), random(1, 3), random(5, 1), random(6)[::2]):
            torch.testing.assert_close(gemm(a, b, c), torch.addmm(c, a, b))
            torch.testing.assert_close(gemm(a, b, c, 2.0, 0.5), torch.addmm(c, a, b, alpha=2, beta=0.5))
        gaps, batch = random(10, 14)[::2, ::2], random(4, 7, 5)
        torch.testing.assert_close(gemm(gaps, b), gaps @ b)
        torch.testing.assert_close(gemm(batch.mT, random(4, 7, 3).zero_() + b), batch.mT @ b)
        torch.testing.assert_close(gemm(a, b, random(3) + float("nan"), 1.0, 0.0), a @ b)
        self.assertEqual(gemm(random(0, 7), b).shape, (0, 3))

    def test_opcheck_passes(self):
        a, b, c = random(5, 7, grad=True), random(7, 3, grad=True), random(3, grad=True)
        for arguments in ((a, b), (a, b, c), (a, b, random(5, 3, grad=True), 2.0, 0.5),
                          (random(2, 5, 7, grad=True), random(2, 7, 3, grad=True)), (random(7, 5).t(), b)):
            found = torch.library.opcheck(torch.ops.sgemm_ladder.gemm.default, arguments)
            self.assertEqual(set(found.values()), {"SUCCESS"})

    def test_gradients_are_right_twice(self):
        # It is linear in each argument, so that a step may be as large as FP32 needs.
        arguments = random(3, 4, grad=True), random(4, 2, grad=True), random(2, grad=True), 1.5, 0.5
        warnings.simplefilter("ignore")  # "not double precision"
        for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
            self.assertTrue(check(sgemm_ladder.torch.gemm, arguments, eps=0.25, atol=1e-4, rtol=1e-4, nondet_tol=0))

    def test_torch_compile_takes_it_whole(self):
        a, b, c = random(5, 7, grad=True), random(7, 3, grad=True), random(3, grad=True)

        def function(a, b, c):
            return torch.relu(sgemm_ladder.torch.gemm(a, b, c))

        compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(compiled(a, b, c), function(a, b, c))
        for got, want in zip(*(torch.autograd.grad(f(a, b, c).sum(), (a, b, c)) for f in (compiled, function))):
            torch.testing.assert_close(got, want)

    def test_what_it_cannot_do_is_refused(self):
        a, b, gemm = random(5, 7), random(7, 3), sgemm_ladder.torch.gemm
        for wrong, said in (((a.double(), b.double()), "not float32"), ((a, a), "7 columns"),
                            ((a, random(2, 7, 3)), "2 dimensions")):
            with self.assertRaisesRegex((TypeError, RuntimeError), said):
                gemm(*wrong)


@unittest.skipUnless(torch, "no PyTorch")
class Enabled(unittest.TestCase):
    passed_on = {}

    @staticmethod
    def enable():
        return sgemm_ladder.torch.enable()

    def setUp(self):
        torch.manual_seed(1)
        self.model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 8, bias=False))
        self.model.to(device())
        self.x = random(2, 5, 16, grad=True)

    def step(self):
        self.model.zero_grad()
        self.x.grad = None
        y = self.model(self.x)
        torch.einsum("bij,bkj->bik", y, y).sum().backward()
        return [y.detach(), self.x.grad, *(parameter.grad for parameter in self.model.parameters())]

    def test_a_training_step_is_ours_forward_and_backward(self):
        want = [each.clone() for each in self.step()]
        with self.enable() as served:
            got = self.step()
        for one, other in zip(got, want):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
        # Two layers, one product of the result; of each the gradients by both operands.
        self.assertEqual((served.count, served.passed_on), (9, self.passed_on))
        self.step()
        self.assertEqual(served.count, 9)

    def test_operators_in_inference_mode_and_out_of_it(self):
        a, b, batch, many = random(5, 7), random(7, 3), random(4, 5, 7), random(4, 7, 3)
        calls = (lambda: a @ b, lambda: torch.addmm(b[:1], a, b, beta=2), lambda: torch.bmm(batch, many),
                 lambda: torch.baddbmm(batch[..., :3], batch, many, alpha=0.5), lambda: torch.matmul(batch, b),
                 lambda: torch.nn.functional.linear(batch, b.t(), b[0]), lambda: self.model(self.x.detach())[0])
        for mode in (torch.no_grad, torch.inference_mode):
            for call in calls:
                with mode():
                    want = call()
                    with self.enable() as served:
                        got = call()
                torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
                self.assertGreaterEqual(served.count, 1)
                self.assertEqual(served.passed_on, self.passed_on)

    def test_what_is_not_fp32_is_passed_on_and_counted(self):
        a, b = random(5, 7), random(7, 3)
        with sgemm_ladder.torch.enable() as served:
            a.double() @ b.double()
            torch.mm(a, b, out=torch.empty(5, 3, device=device()))
            torch.set_float32_matmul_precision("high")
            a @ b
            torch.set_float32_matmul_precision("highest")
            with self.assertRaisesRegex(RuntimeError, "mat1 and mat2"):  # PyTorch's own words
                a @ a
        self.assertEqual(served.count, 0)
        self.assertIn("; 1 to PyTorch: not FP32", str(served))
        self.assertIn("; 1 to PyTorch: it writes into out=", str(served))
        self.assertIn("; 1 to PyTorch: PyTorch may use less than FP32 here", str(served))

    def test_less_than_fp32_that_a_backend_was_allowed_is_passed_on(self):
        a, b, matmul = random(5, 7), random(7, 3), torch.backends.cuda.matmul
        before = getattr(matmul, "fp32_precision", None)
        if before is None:
            self.skipTest("PyTorch is older than 2.9")
        with self.enable() as served:
            matmul.fp32_precision = "tf32"
            try:
                a @ b
            finally:
                matmul.fp32_precision = before
        self.assertEqual(served.count, 0)


@unittest.skipUnless(torch, "no PyTorch")
class CompiledEnabled(Enabled):
    """The same by kernels in C++."""

    @classmethod
    def setUpClass(cls):
        if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 11):
            with cls.assertRaisesRegex(cls(), sgemm_ladder.Error, "needs PyTorch 2.11"):
                sgemm_ladder.torch.enable(compiled=True)
            print("SKIPPED: sgemm_ladder.torch, compiled: PyTorch is older than 2.11")
            raise unittest.SkipTest("an older PyTorch")
        cls.enable = staticmethod(lambda: sgemm_ladder.torch.enable(compiled=True))
        cls.enable()  # builds it

    passed_on = 0

    def test_what_is_not_fp32_is_passed_on_and_counted(self):
        a, b, out = random(5, 7), random(7, 3), torch.empty(5, 3, device=device())
        with self.enable() as served:
            torch.testing.assert_close(torch.mm(a, b, out=out), a @ b)
            torch.testing.assert_close(torch.addmm(out, a, b, out=out, beta=-1, alpha=2), a @ b)
        self.assertEqual((served.count, served.passed_on), (4, 0))
        with self.enable() as served:
            a.double() @ b.double()
            torch.mm(a, b, out=torch.empty(3, 5, device=device()).t())
            torch.set_float32_matmul_precision("high")
            a @ b
            torch.set_float32_matmul_precision("highest")
            with self.assertRaisesRegex(RuntimeError, "mat1 and mat2"):  # PyTorch's own words
                a @ a
            with self.assertRaisesRegex(RuntimeError, "enabled already"):
                self.enable().__enter__()
        self.assertEqual((served.count, served.passed_on), (0, 4))

    def test_what_torch_compile_has_made_is_ours(self):
        compiled = torch.compile(lambda x: torch.relu(self.model(x)), backend="aot_eager", fullgraph=True)
        want = torch.relu(self.model(self.x))
        with self.enable() as served:
            torch.testing.assert_close(compiled(self.x), want, rtol=1e-4, atol=1e-5)
        self.assertEqual((served.count, served.passed_on), (2, 0))


if "TEST_ALL" not in os.environ:  # it is built for half a minute
    del CompiledEnabled
elif torch and not (shutil.which("ninja") and shutil.which("c++")):
    print("SKIPPED: sgemm_ladder.torch, compiled: ninja or c++ is not installed")
    del CompiledEnabled


if __name__ == "__main__":
    for name in [*dir(Operator), *dir(Enabled)] if torch is None else []:
        if name.startswith("test_"):
            print(f"SKIPPED: sgemm_ladder.torch: {name[5:].replace('_', ' ')}: PyTorch is not installed")
    unittest.main()
