#!/usr/bin/env python3
"""Reads hardware counters of every CUDA rung with Nsight Compute and writes them as a Markdown table.

usage: counters.py BUILD SHAPE OUTPUT [STEM...]     e.g. counters.py build 512x512x512 host/results/counters.md 40_tile128

All rungs, if none is named; what OUTPUT has of others stays.

What the columns are, and the counters behind them:
  time            gpu__time_duration.sum; the clock is left as it is
  memory %        gpu__compute_memory_throughput: the busiest part of the memory system, of its peak
  DRAM %          gpu__dram_throughput, of its peak
  coalescing %    smsp__sass_average_data_bytes_per_sector_mem_global_op_ld: bytes used of each 32-byte sector that global
                  loads ask for; 100 is perfect, words read by a whole warp at once count as 4 bytes of a sector
  conflicts ld,st l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st}: extra shared-memory wavefronts
  wavefronts      l1tex__data_pipe_lsu_wavefronts_mem_shared: all of them, conflicts included
  occupancy %     sm__warps_active: resident warps, of the most that fit
"""

import csv
import datetime
import pathlib
import subprocess
import sys

METRICS = {
    "gpu__time_duration.sum": "time ns",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": "memory %",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "DRAM %",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": "coalescing %",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "conflicts ld",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "conflicts st",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": "wavefronts",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy %",
    "launch__registers_per_thread": "registers",
    "launch__grid_size": "blocks",
    "launch__block_size": "threads",
}


def profile(build, plugin, shape):
    """The counters of the plugin's first launch of each kernel: (kernel, {metric: text}), longest first."""
    command = ["ncu", "--target-processes", "all", "--clock-control", "none", "--csv", "--page", "raw", "--launch-count", "40",
               "--metrics", ",".join(METRICS), f"{build}/compare", str(plugin), "--check-only", "--shape", shape,
               "--timeout", "600"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    kernels = {}
    for row in csv.DictReader(lines[start:]):
        name = row["Kernel Name"]
        if row["ID"] and "judge::" not in name and name not in kernels:
            kernels[name] = {metric: row.get(metric, "") for metric in METRICS}
    return list(kernels.items())


def number(text):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def main():
    build, shape, output, stems = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                         text=True).stdout.strip()
    heading = [f"# Counters at {shape}", "",
               f"{gpu}, {datetime.date.today()}, `make counters`; what the columns are: host/tools/counters.py.", "",
               "| plugin | " + " | ".join(METRICS.values()) + " |", "|---|" + "--:|" * len(METRICS)]
    before = output.read_text().splitlines()[len(heading):] if output.exists() else []
    rows = {line.split("|")[1].strip(): line for line in before}
    for plugin in sorted((build / "plugins/cuda").glob("*.so")):
        if "chain" in plugin.stem or (stems and plugin.stem not in stems):
            continue
        for kernel, values in profile(build, plugin, shape)[:1]:
            rows[plugin.stem] = f"| {plugin.stem} | " + " | ".join(number(values[metric]) for metric in METRICS) + " |"
            print(rows[plugin.stem], flush=True)
            # After each, so that an interrupted run keeps what it has.
            output.write_text("\n".join(heading + [rows[stem] for stem in sorted(rows)]) + "\n")


if __name__ == "__main__":
    main()
