#!/usr/bin/env python3
"""Reads hardware counters of every CUDA plugin with Nsight Compute and writes them as Markdown tables, one a shape.

usage: counters.py BUILD OUTPUT SHAPE...     e.g. counters.py build host/results 512x512x512 512x512x512x512

A shape of four numbers is for the plugins of E = A * B * C. The file is named after the GPU: OUTPUT/h200_counters.md.

A row is one call of a plugin, all its kernels together: times and counts are added, percentages are the means over the
time. The kernels stand in the last column, longest first, with their share of the time. What the columns are, and the
counters behind them:
  time            gpu__time_duration.sum; the clock is left as it is
  memory %        gpu__compute_memory_throughput: the busiest part of the memory system, of its peak
  DRAM %          gpu__dram_throughput, of its peak
  coalescing %    smsp__sass_average_data_bytes_per_sector_mem_global_op_ld: bytes used of each 32-byte sector that global
                  loads ask for; 100 is perfect, words read by a whole warp at once count as 4 bytes of a sector
  conflicts ld,st l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st}: extra shared-memory wavefronts
  wavefronts      l1tex__data_pipe_lsu_wavefronts_mem_shared: all of them, conflicts included
  occupancy %     sm__warps_active: resident warps, of the most that fit
  registers, blocks, threads   of the longest kernel
"""

import datetime
import pathlib
import re
import sys

import ncu
import results

TIME = "gpu__time_duration.sum"
MEANS = {
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": "memory %",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "DRAM %",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": "coalescing %",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy %",
}
SUMS = {
    TIME: "time ns",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "conflicts ld",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "conflicts st",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": "wavefronts",
}
OF_THE_LONGEST = {"launch__registers_per_thread": "registers", ncu.BLOCKS: "blocks", "launch__block_size": "threads"}
COLUMNS = ["time ns", "memory %", "DRAM %", "coalescing %", "conflicts ld", "conflicts st", "wavefronts", "occupancy %",
           "registers", "blocks", "threads"]


def combine(kernels):
    """The cells of a call, by column, from the counters of its kernels, longest first."""
    cells = {}
    for metric, column in SUMS.items():
        cells[column] = sum(values[metric] or 0 for _, values in kernels)
    for metric, column in MEANS.items():
        known = [(values[metric], values[TIME]) for _, values in kernels if values[metric] is not None]
        time = sum(weight for _, weight in known)
        cells[column] = sum(value * weight for value, weight in known) / time if time else None
    for metric, column in OF_THE_LONGEST.items():
        cells[column] = kernels[0][1][metric]
    return cells


def text(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def short(kernel):
    """The function's name, without namespaces, template arguments and parameters."""
    name = kernel.replace("(anonymous namespace)", "").replace("<unnamed>", "")
    name = re.match(r"(?:void )?([\w: ]+)", name)
    return name[1].split("::")[-1].strip() if name else kernel


def times_by_name(kernels):
    """Longest first; a kernel that is launched more than once is "name x 3"."""
    times = {}
    for name, values in kernels:
        times.setdefault(short(name), []).append(values[TIME])
    named = [(name if len(each) == 1 else f"{name} x {len(each)}", sum(each)) for name, each in times.items()]
    return sorted(named, key=lambda kernel: -kernel[1])


def row_of(stem, kernels):
    kernels = sorted(kernels, key=lambda kernel: -kernel[1][TIME])
    cells, whole = combine(kernels), sum(values[TIME] for _, values in kernels)
    names = ", ".join(f"{name} {100 * time / whole:.0f} %" for name, time in times_by_name(kernels))
    return f"| {stem} | " + " | ".join(text(cells[column]) for column in COLUMNS) + f" | {names} |"


def main():
    build, output, shapes = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    of_host_memory = {path.stem for path in pathlib.Path(__file__).parents[2].glob("plugins/multi/*.cu")}
    plugins = sorted({path.stem for path in (build / "plugins/cuda").glob("*.so")} - of_host_memory)
    gpu, driver = results.gpu()
    lines = [f"# Counters of one call on the {gpu}", "",
             f"{gpu}, {driver}, {datetime.date.today()}, `make counters`; what the columns are: host/tools/counters.py."]
    for shape in shapes:
        chain = shape.count("x") == 3
        calls = [(stem, shape) for stem in plugins if ("chain" in stem) == chain]
        lines += ["", f"## {shape}", "", "| plugin | " + " | ".join(COLUMNS) + " | kernels |",
                  "|---|" + "--:|" * len(COLUMNS) + "---|"]
        for (stem, _), kernels in zip(calls, ncu.counters(build, calls, [*SUMS, *MEANS, *OF_THE_LONGEST])):
            lines.append(row_of(stem, kernels) if kernels else f"| {stem} |" + " - |" * len(COLUMNS) + " none |")
            print(lines[-1], flush=True)
    (output / f"{results.short_name(gpu)}_counters.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
