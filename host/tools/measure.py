#!/usr/bin/env python3
"""Measures the tables of figures on the GPU present, and writes each as a results file that is named after the GPU.

usage: measure.py BUILD OUTPUT [--commit COMMIT] [TABLE...]     e.g. measure.py build host/results ladder

The tables, the first three if none is named, each from one run of compare:
  ladder     every CUDA plugin at eight shapes (some six minutes)
  dispatch   90_dispatch at the shapes it chooses by (some three minutes)
  chain      the plugins of E = A * B * C (seconds)
  gpus       90_nccl_grid and 05_cublasmp on all GPUs, and on one of them (two minutes); and so, each a table of its own (seconds to four
             minutes): gpus_two, with SOLVE_GPUS=2; gpus_pageable; gpus_8g, with SOLVE_DEVICE_MEMORY=8G; gpus_pcie,
             with short contractions; gpus_65536

OUTPUT gets h200_ladder.tsv and so on; the samples stay in BUILD. The commit is git's, if none is given.
Exit status 1 if a row is not ok.
"""

import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import results

LADDER = "512 1024 2048 4096 8192 1000x777x3000 4097x4095x4093 8192x6144x4096".split()
DISPATCH = (
    "512 1024 1536 2048 2560 3072 4095 4096 4097x4095x4093 8191 8192 8193x8191x8189 8192x6144x4096 16383 16384 "
    "1000x777x3000 1023x1021x1031 128x8192x8192 8192x8192x128 8192x128x8192 64x16384x64 1x4096x4096 4096x4096x1 "
    "16384x256x256"
).split()
CHAIN = ["512", "1024"]
GPUS = ["8192", "16384", "32768"]
ON_GPUS = ["--device", "gpus", "--filter", "90_nccl_grid", "--quick", "--timeout", "250"]
TABLES = {
    "ladder": ([], LADDER),
    "dispatch": (["--filter", "90_dispatch"], DISPATCH),
    "chain": (["--op", "chain"], CHAIN),
    "gpus": ([each.replace("90_nccl_grid", "90_nccl_grid|05_cublasmp") for each in ON_GPUS] + ["--scaling"], GPUS),
    "gpus_two": (ON_GPUS, GPUS),
    "gpus_pageable": ([*ON_GPUS, "--pageable"], GPUS[1:]),
    "gpus_8g": (ON_GPUS, GPUS[2:]),
    "gpus_pcie": (ON_GPUS, ["32768x512x32768", "32768x1024x32768", "65536x1024x65536"]),
    "gpus_65536": (ON_GPUS, ["65536"]),
}
VARIABLES = {"gpus_two": {"SOLVE_GPUS": "2"}, "gpus_8g": {"SOLVE_DEVICE_MEMORY": "8G"}}
USUAL = [table for table in TABLES if not table.startswith("gpus")]


def measure(build, table):
    """Runs compare for the table; returns what it saved. The samples stay in BUILD."""
    options, shapes = TABLES[table]
    saved = build / f"{table}.json"
    command = [str(build / "compare"), str(build / "plugins/cuda"), *options]
    command += [word for shape in shapes for word in ("--shape", shape)] + ["--json", str(saved)]
    print(shlex.join(command), flush=True)
    saved.unlink(missing_ok=True)
    environment = {**os.environ, **VARIABLES.get(table, {})}
    subprocess.run(command, env=environment)  # its exit status says the worst of the rows, which are looked at one by one
    run = json.loads(saved.read_text()) if saved.exists() else {}
    if not run.get("environment", {}).get("device"):
        sys.exit(f"nothing was measured for {table}: no GPU answers")
    return run


def commit_of_git():
    """Empty where there is no git, or no repository, as on a machine that only got the files."""
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() if shutil.which("git") else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--commit")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)}; else {', '.join(USUAL)}")
    arguments = parser.parse_intermixed_args()
    if unknown := set(arguments.tables) - set(TABLES):
        parser.error(f"no such table: {', '.join(sorted(unknown))}")
    commit = arguments.commit or commit_of_git()
    if not commit:
        parser.error("git says nothing of a commit here: name it with --commit")
    extra = {"commit": commit}
    if limit := results.ffma_limit():
        extra["ffma_tflops"] = f"{limit:.1f}"
    arguments.output.mkdir(parents=True, exist_ok=True)
    bad = 0
    for table in arguments.tables or USUAL:
        run = measure(arguments.build, table)
        file = arguments.output / f"{results.short_name(run['environment']['device'])}_{table}.tsv"
        file.write_text(results.convert(run, {**extra, **VARIABLES.get(table, {})}))
        for row in run["rows"]:
            if row["status"] != "ok":
                print(f"{row['plugin']} at {row['shape']}: {row['status']}: {row['message']}")
                bad += 1
        print(f"{file}: {len(run['rows'])} rows")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
