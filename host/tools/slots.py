#!/usr/bin/env python3
"""Reads with Nsight Compute where the issue slots of a rung's product go, and writes a Markdown table.

usage: slots.py BUILD OUTPUT PLUGIN SHAPE...     e.g. slots.py build host/results 90_dispatch 1024x1024x1024

The file is named after the GPU: OUTPUT/h200_slots.md. The kernel is the longest of a call at each shape; the clock is left
as it is. The columns:
  cycles            sm__cycles_elapsed.max
  FFMA a cycle      smsp__sass_thread_inst_executed_op_ffma_pred_on.sum, by cycles and SMs; 128 per SM at most
  slots used %      smsp__issue_active, of the cycles in which the SM had a warp
  of these FFMA %   FFMA of warps, by smsp__inst_executed.sum
  shared %, L2 %    l1tex__data_pipe_lsu_wavefronts and lts__t_sectors, of their peaks
  waiting for ...   warps that wait for that, for each slot used: instructions to be fetched; shared memory; a barrier;
                    an mbarrier or a copy (long scoreboard); the FFMA pipe or the slot, which another warp has
"""

import datetime
import pathlib
import sys

import ncu
import results

STALLS = {"no_instruction": "fetch", "short_scoreboard": "shared", "barrier": "barrier", "long_scoreboard": "copies",
          "math_pipe_throttle": "pipe", "not_selected": "slot"}
CYCLES = "sm__cycles_elapsed.max"
FFMA = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
ALL = "smsp__inst_executed.sum"
USED = "smsp__issue_active.avg.pct_of_peak_sustained_active"
SHARED = "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"
L2 = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"
SMS = "device__attribute_multiprocessor_count"


def stall(name):
    return f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"


METRICS = [CYCLES, FFMA, ALL, USED, SHARED, L2, SMS] + [stall(name) for name in STALLS]


def main():
    build, output, plugin, shapes = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    gpu, driver = results.gpu()
    columns = ["shape", "kernel", "cycles", "FFMA a cycle", "slots used %", "of these FFMA %", "shared %", "L2 %"]
    columns += [f"waiting for {name}" for name in STALLS.values()]
    lines = [f"# Where the issue slots of {plugin} go on the {gpu}", "",
             f"{gpu}, {driver}, {datetime.date.today()}, `make counters`; what the columns are: host/tools/slots.py.", "",
             "| " + " | ".join(columns) + " |", "|---|---|" + "--:|" * (len(columns) - 2)]
    for shape, kernels in zip(shapes, ncu.counters(build, [(plugin, shape) for shape in shapes], METRICS)):
        kernel, values = max(kernels, key=lambda kernel: kernel[1][CYCLES])
        cells = [f"{values[CYCLES]:,.0f}", f"{values[FFMA] / values[CYCLES] / values[SMS]:.1f}", f"{values[USED]:.1f}",
                 f"{100 * values[FFMA] / 32 / values[ALL]:.1f}", f"{values[SHARED]:.1f}", f"{values[L2]:.1f}"]
        cells += [f"{values[stall(name)]:.2f}" for name in STALLS]
        lines.append(f"| {shape} | {kernel.split('(')[0]} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    (output / f"{results.short_name(gpu)}_slots.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
