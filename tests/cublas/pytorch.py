#!/usr/bin/env python3
"""The drop-in for cuBLAS in PyTorch, on a GPU: are the results the same, who multiplied, and how fast is a step?

usage: pytorch.py BUILD [--steps COUNT] [--accuracy strict|fp32-accurate]

Starts itself with the drop-in off and on, and compares what the processes computed: mm, linear, bmm, einsum, autograd,
a CUDA graph, and the losses of COUNT (20) steps of GPT-2's training with 124 M parameters, batch 8, 1024 tokens, AdamW,
FP32; random weights and tokens, so that nothing is fetched. Two more processes are PyTorch as it is, with cuBLASLt and
with hardly any workspace for cuBLAS, which add in other orders: how the losses of these three differ shows what that
alone makes of rounding. Exits with 1 if results differ, if the losses do by more than these, or if a product that
should have been ours was not. Needs PyTorch with CUDA, and BUILD/plugins/cuda/90_dispatch.so.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

TOLERANCE = 2e-5  # of the operations, relative to the largest element: sums in another order differ by 1e-6 here
LOSS_TOLERANCE = 2e-3  # of a loss of 11, after steps which spread what rounding begins; or
LOSS_FACTOR = 2        # so many times what other orders of sums make of it
OTHER_ORDERS = {"TORCH_BLAS_PREFER_CUBLASLT": "1", "CUBLAS_WORKSPACE_CONFIG": ":16:8"}  # too little to cut a sum


def operations(torch):
    """The results of each operation, by name, on the CPU."""
    functional = torch.nn.functional
    torch.manual_seed(1)
    def make(*shape):
        return torch.randn(*shape, device="cuda")

    a, b, bias = make(300, 500), make(500, 700), make(700)
    one, other = make(6, 64, 96), make(6, 96, 80)
    found = {"mm": a @ b, "mm of transposes": b.t() @ a.t(), "linear": functional.linear(a, b.t().contiguous()),
             "linear with bias": functional.linear(a, b.t().contiguous(), bias),
             "addmm": torch.addmm(make(300, 700), a, b, beta=0.5, alpha=2.0), "bmm": torch.bmm(one, other),
             "einsum": torch.einsum("bij,bjk->bik", one, other), "empty": make(0, 500) @ b,
             "no terms": make(300, 0) @ make(0, 700), "view": a[10:200, 3:400] @ b[3:400, 1:600]}
    x, weight = make(128, 256).requires_grad_(), make(512, 256).requires_grad_()
    (functional.linear(x, weight) ** 2).sum().backward()
    found.update({"gradient of x": x.grad, "gradient of the weight": weight.grad})

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            a @ b
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    into = torch.empty(300, 700, device="cuda")
    with torch.cuda.graph(graph):
        torch.mm(a, b, out=into)
    a.mul_(2)
    graph.replay()
    torch.cuda.synchronize()
    found["CUDA graph"] = into
    torch.backends.cuda.matmul.allow_tf32 = True
    found["TF32"] = a @ b
    torch.backends.cuda.matmul.allow_tf32 = False
    found["double"] = a.double() @ b.double()
    found["half"] = a.half() @ b.half()
    return {name: value.detach().double().cpu() for name, value in found.items()}


def make_gpt2(torch):
    """GPT-2 with 124 M parameters, and the loss of a batch."""
    nn, width, heads, layers, words, length = torch.nn, 768, 12, 12, 50257, 1024

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, tokens, _ = x.shape
            q, k, v = (part.view(batch, tokens, heads, width // heads).transpose(1, 2)
                       for part in self.qkv(self.norms[0](x)).split(width, dim=2))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, tokens, width))
            return x + self.down(nn.functional.gelu(self.up(self.norms[1](x)), approximate="tanh"))

    class Gpt2(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks, self.norm = nn.ModuleList([Block() for _ in range(layers)]), nn.LayerNorm(width)
            for each in self.modules():
                if isinstance(each, (nn.Linear, nn.Embedding)):
                    nn.init.normal_(each.weight, std=0.02)

        def forward(self, tokens, targets):
            x = self.words(tokens) + self.places.weight[:tokens.shape[1]]
            for block in self.blocks:
                x = block(x)
            logits = nn.functional.linear(self.norm(x), self.words.weight)
            return nn.functional.cross_entropy(logits.reshape(-1, words), targets.reshape(-1))

    return Gpt2().cuda()


def train(torch, steps):
    """The losses, and the milliseconds of the median step."""
    torch.manual_seed(2)
    model = make_gpt2(torch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    tokens = torch.randint(50257, (8, 1025), device="cuda")
    losses, times = [], []
    for _ in range(steps):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        optimizer.zero_grad(set_to_none=True)
        loss = model(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        optimizer.step()
        end.record()
        losses.append(loss.item())
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return losses, sorted(times[steps // 4:])[len(times[steps // 4:]) // 2]


def work(path, steps):
    import torch

    torch.save(operations(torch), path + ".pt")
    losses, milliseconds = train(torch, steps)
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump({"losses": losses, "milliseconds": milliseconds}, file)


def start(build, mode, folder, steps, accuracy, more=None):
    """Runs work() in a process with the drop-in in that mode, and more in its environment: its results and its log."""
    import torch

    path = os.path.join(folder, mode + "".join(more or {}))
    environment = {**os.environ, "LD_PRELOAD": os.path.abspath(f"{build}/lib/libsgemm_ladder_cublas.so"),
                   "SGEMM_LADDER": mode, "SGEMM_LADDER_LOG": path + ".log", "SGEMM_LADDER_ACCURACY": accuracy,
                   **(more or {})}
    subprocess.run([sys.executable, __file__, "--work", path, str(steps)], env=environment, check=True)
    with open(path + ".json", encoding="utf-8") as file:
        return torch.load(path + ".pt"), json.load(file), path + ".log"


def main():
    if sys.argv[1:2] == ["--work"]:
        return work(sys.argv[2], int(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--accuracy", choices=["strict", "fp32-accurate"], default="strict")
    given = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        stock, stock_training, _ = start(given.build, "off", folder, given.steps, given.accuracy)
        reordered = [start(given.build, "off", folder, given.steps, given.accuracy, {name: value})[1]["losses"]
                     for name, value in OTHER_ORDERS.items()]
        ours, our_training, log = start(given.build, "on", folder, given.steps, given.accuracy)
        for name, want in stock.items():
            scale = want.abs().max().item() if want.numel() else 0
            error = (ours[name] - want).abs().max().item() / scale if scale else 0
            untouched = name in ("TF32", "double", "half")
            right = error == 0 if untouched else error <= TOLERANCE
            wrong += [] if right else [name]
            print(f"{'ok   ' if right else 'WRONG'} {name:24} differs by {error:.1e} of the largest")

        def drift(some, others):
            return max(abs(a - b) for a, b in zip(some, others))

        losses, our_losses = stock_training["losses"], our_training["losses"]
        drifts = [drift(*pair) for pair in itertools.combinations([losses, *reordered], 2)]
        right = drift(losses, our_losses) <= max(LOSS_TOLERANCE, LOSS_FACTOR * max(drifts))
        wrong += [] if right else ["losses"]
        print(f"{'ok   ' if right else 'WRONG'} losses of {given.steps} steps, {losses[0]:.3f} to {losses[-1]:.3f}, differ by "
              f"{drift(losses, our_losses):.1e}; those of cuBLAS's own orders of sums by "
              f"{', '.join(f'{each:.1e}' for each in drifts)}")
        before, now = stock_training["milliseconds"], our_training["milliseconds"]
        print(f"a step of GPT-2 124 M, FP32: {before:.1f} ms by cuBLAS, {now:.1f} ms with the drop-in: "
              f"{before / now:.3f}x")
        with open(log, encoding="utf-8") as file:
            calls = [line.rstrip("\n").split("\t") for line in file if "\tcalls\t" in line]
        for call in sorted(calls, key=lambda call: -int(call[2])):
            print("  ".join(call[2:]))
        if not any(call[-1] == "sgemm-ladder" for call in calls):
            wrong.append("the drop-in served nothing")
    if wrong:
        sys.exit("not as it should be: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
