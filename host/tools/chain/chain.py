#!/usr/bin/env python3
"""Races 90_chain against two cuBLAS calls and, where it can be imported, PyTorch at E = A * B * C, and writes a table.

usage: chain.py BUILD RESULTS    RESULTS/GPU_chain_graphs.md gets the table; prints it

`make chain` calls it. Times are GPU times of calls back to back in CUDA graphs, in microseconds. `x cuBLAS`: two
calls in the faster of cuBLAS's pedantic and default FP32 modes, over 90_chain. `must` is what is asked of 90_chain, a
ratio or a time. The second table is of chains that need only be as accurate as FP32 (SGEMM_LADDER_ACCURACY), by
30_chain_tf32 and 85. PyTorch multiplies in FP32 (TF32 is off), by torch.linalg.multi_dot and by (a @ b) @ c, in another
process than the others: the clock may have changed in between. 20_chain_clusters, one launch for both products, takes
turns with pedantic cuBLAS. Exit status 1 if a must is not met, or E is off.
"""

import datetime
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import results  # noqa: E402

STRICT, ACCURATE = "strict", "fp32-accurate"
MUSTS = {STRICT: {128: 1.5, 256: 1.5, 512: "16.3 us", 1024: 1.2, 2048: 1.10},
         ACCURATE: {128: 1.5, 256: 1.5, 512: "13 us", 1024: "50 us", 2048: 1.10}}
LIBRARIES = ["90_chain", "00_cublas_fp32", "02_cublas_default"]
ONE_LAUNCH = {STRICT: "20_chain_clusters", ACCURATE: "30_chain_tf32"}
WRONG = 1e-3  # of the largest element: no order of two FP32 sums is off by that
COLUMNS = ["n", "us", "pedantic", "default", "ratio", "low", "high", "difference", "one_launch"]
HOT_US = 300  # of a graph, so that its launch does not count


def torch_times():
    """{n: (us of multi_dot, us of (a @ b) @ c)}, and PyTorch's version; None and why not."""
    try:
        import torch
    except ImportError:
        return None, "PyTorch cannot be imported"
    if not torch.cuda.is_available():
        return None, "PyTorch finds no GPU"
    torch.backends.cuda.matmul.allow_tf32 = False

    def microseconds(compute):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                compute()
        stream.synchronize()

        def replays(calls):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(calls):
                    compute()
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            times = []
            for _ in range(9):
                start.record()
                graph.replay()
                stop.record()
                stop.synchronize()
                times.append(1e3 * start.elapsed_time(stop) / calls)
            return statistics.median(times)

        return replays(max(1, min(100, int(HOT_US / replays(1)))))

    times = {}
    for n in MUSTS[STRICT]:
        a, b, c = (torch.rand(n, n, device="cuda") * 2 - 1 for _ in range(3))
        times[n] = (microseconds(lambda: torch.linalg.multi_dot([a, b, c])), microseconds(lambda: (a @ b) @ c))
    return times, f"PyTorch {torch.__version__}"


def read_rows(text):
    return [dict(zip(COLUMNS, map(float, line.split("\t")))) for line in text.splitlines()]


def race(build, accuracy):
    """The rows that chain_graphs prints."""
    names = [*LIBRARIES, ONE_LAUNCH[accuracy]]
    command = [f"{build}/chain_graphs", *(f"{build}/plugins/cuda/{name}.so" for name in names)]
    environment = {**os.environ, "SGEMM_LADDER_ACCURACY": accuracy}
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    if found.returncode != 0:
        sys.exit("chain.py: chain_graphs failed")
    return read_rows(found.stdout)


def is_met(row, accuracy):
    must = MUSTS[accuracy][int(row["n"])]
    return row["us"] <= float(must.split()[0]) if isinstance(must, str) else row["ratio"] >= must


def table(rows, accuracy, torch):
    """The lines of a Markdown table."""
    lines = ["| n | 90_chain us | cuBLAS pedantic | cuBLAS default | x cuBLAS [95 %] | must | met "
             f"| multi_dot | (a @ b) @ c | x PyTorch | difference | {ONE_LAUNCH[accuracy]} |",
             "|--:|--:|--:|--:|---|--:|---|--:|--:|--:|--:|--:|"]
    for row in rows:
        must = MUSTS[accuracy][int(row["n"])]
        of_torch = torch[int(row["n"])] if torch else None
        cells = [f"{row['n']:.0f}", f"{row['us']:.2f}", f"{row['pedantic']:.2f}", f"{row['default']:.2f}",
                 f"{row['ratio']:.3f} [{row['low']:.3f}, {row['high']:.3f}]",
                 f"at most {must}" if isinstance(must, str) else f"{must:.2f}x", "yes" if is_met(row, accuracy) else "NO",
                 *([f"{each:.2f}" for each in of_torch] if of_torch else ["", ""]),
                 f"{min(of_torch) / row['us']:.3f}" if of_torch else "", f"{row['difference']:.1e}",
                 f"{row['one_launch']:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def document(head, rows, torch):
    lines = ["# A chain of two products in CUDA graphs", "", *(f"- {key}: {value}" for key, value in head.items())]
    for accuracy, of_it in rows.items():
        lines += ["", f"## SGEMM_LADDER_ACCURACY={accuracy}", "", *table(of_it, accuracy, torch)]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, folder = sys.argv[1:]
    device, driver = results.gpu()
    rows = {accuracy: race(build, accuracy) for accuracy in MUSTS}
    torch, version = torch_times()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    head = {"device": device, "driver": driver, "date": datetime.date.today(), "commit": commit or "unknown",
            "command": "make chain", "PyTorch": version}
    text = document(head, rows, torch)
    pathlib.Path(folder, f"{results.short_name(device)}_chain_graphs.md").write_text(text, encoding="utf-8")
    print(text, end="")
    wrong = []
    for accuracy, of_it in rows.items():
        wrong += [f"{accuracy}, {row['n']:.0f}: E is off by {row['difference']:.2g}" for row in of_it
                  if not row["difference"] < WRONG]
        wrong += [f"{accuracy}, {row['n']:.0f}: the must is not met" for row in of_it if not is_met(row, accuracy)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
