#!/usr/bin/env python3
"""Judges and races the rungs for Hopper's tensor cores, and versions of them, beside their goals.

usage: split.py BUILD OUTPUT [VERSION...]     e.g. split.py build build/split.md 83 '85*'

A version is a rung's source with a few lines changed; it is built into BUILD/split. VERSIONS below has what is changed.
VERSION may be a pattern; all of them run, if none is named, at 512 to 8192, taking turns with cuBLAS's FP32, and those
of TF32 with its TF32, too. OUTPUT gets a table a shape:

Its first lines say on which device, by which driver, of which commit and by which command.

  TFLOP/s   2MNK over the median of calls back to back: splitting, packing and every launch included
  must, goal   what plugins/notes/83_split.md asks for; of TF32 shares of what cuBLAS's TF32 makes in the same run
  rho       largest |C - C64| / (u |A||B|), u = 2^-24; and x base, the normwise error over cuBLAS's

Where no GPU answers, the emulator judges them at 96x80x160, and there are no times. Exit status 1 if a row is not ok.
"""

import argparse
import fnmatch
import json
import pathlib
import shlex
import subprocess
import sys

import measure

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHAPES = [512, 1024, 2048, 4096, 8192]
IN_EMULATOR = "96x80x160"
GOALS = {  # must and goal, TFLOP/s, in the order of SHAPES
    "83": [(30, 48), (70, 115), (120, 165), (155, 205), (165, 205)],
    "bf16": [(26, 40), (55, 85), (80, 100), (90, 110), (100, 118)],
}
SHARES_OF_TF32 = [1.0, 0.95, 0.9, 0.9, 0.9]  # that TF32 must reach of cuBLAS's; all of it is its goal
CUBLAS_TF32 = "01_cublas_tf32"
# 81's tiles
TILES = "multiply_by<Large, Medium, Small, Smallest, Tile<256, 128, 1>, Tile<128, 128, 1>>"
# How small products are split inside the kernel: by the model's way, or by one of these, each cut among so many blocks.
OF_83, OF_85 = "best_inside<Fp16, Fp16>(call)", "rung_83::best_inside<Fp16, Bf16>(call)"
TILE_OF_SPLIT = "way.tile"
INSIDE_83, INSIDE_85 = "if (is_for_inside(call))", "if (rung_83::is_for_inside(call))"


def one_way(tile, most, ahead=""):
    formats = f"Fp16<{tile}, {tile}>, Bf16<{tile}, {tile}>{ahead}"
    return [(OF_85, f"rung_83::way_inside<rung_83::InsideTile<{formats}>>(call, 2800, {most}, ladder::sm_count())")]


# As wild data go: the level is raised before FP16 is packed, or FP16 finds all numbers to be too wild for it.
PACKING = "    int2 squares = make_int2(0, 0);\n"
RAISED = "    if (auto* const state = job.operands.state) cudaMemsetAsync(&state->level, 1, 1, job.operands.stream);\n"
WILD_INSIDE = [(OF_85, "rung_83::best_inside<Bf16, Bf16>(call)")]
AS_IF_WILD = [(PACKING, RAISED + PACKING), *WILD_INSIDE]
FORMATS = "// visit(narrow, wide, edges) of the formats"
LOSSY = """template <int kTileRows, int kTileCols>
struct Lossy : Fp16<kTileRows, kTileCols> {
    using Base = Fp16<kTileRows, kTileCols>;
    static __device__ __forceinline__ int judge(const float (&)[8]) { return 1; }
    static __device__ __forceinline__ bool is_wild(const float (&)[4]) { return true; }
    static __device__ __forceinline__ bool split(const float (&value)[8], uint4 (&parts)[2], float (&factors)[1]) {
        return Base::split(value, parts, factors), true;
    }
};

""" + FORMATS
# name: rung, goals, [(text, its replacement)...]; a text must be there once
VERSIONS = {
    "83": ("83_split_fp16", "83", []),
    "85": ("85_split_bf16", "83", []),
    # Small products packed, as they were; all products split inside; and with one tile, cut among so many blocks at most.
    "83_packed": ("83_split_fp16", "83", [(INSIDE_83, "if (false)")]),
    "85_packed": ("85_split_bf16", "83", [(INSIDE_85, "if (false)")]),
    "83_inside": ("83_split_fp16", "83", [(INSIDE_83, "if (true)")]),
    "85_inside": ("85_split_bf16", "83", [(INSIDE_85, "if (true)")]),
    "85_inside_64_eighths": ("85_split_bf16", "83", one_way(64, 8)),
    "85_inside_64_one_ahead": ("85_split_bf16", "83", one_way(64, 4, ", 1")),
    "85_inside_64_uncut": ("85_split_bf16", "83", one_way(64, 1)),
    "85_bf16_packed": ("85_split_bf16", "bf16", [*AS_IF_WILD[:1], (INSIDE_85, "if (false)")]),
    "85_bf16_inside": ("85_split_bf16", "bf16", [*AS_IF_WILD, (INSIDE_85, "if (true)")]),
    "85_bf16": ("85_split_bf16", "bf16", AS_IF_WILD),
    "85_bf16_late": (
        "85_split_bf16", "bf16",
        [(FORMATS, LOSSY),
         (OF_85, "rung_83::best_inside<Lossy, Bf16>(call)"),
         *((f"visit(Fp16<{tile}>()", f"visit(Lossy<{tile}>()") for tile in ("64, 64", "64, 128", "128, 128"))],
    ),
    "85_bf16_two_factors": (
        "85_split_bf16", "bf16", [*AS_IF_WILD, ("first_back = min(max(back, -74), 63)", "first_back = back / 2")],
    ),
    "83_two_stages": ("83_split_fp16", "83", [("kTileRows == 64 ? 2 : 3", "2")]),
    "83_three_stages": ("83_split_fp16", "83", [("kTileRows == 64 ? 2 : 3", "3")]),
    "83_no_early_launch": ("83_split_fp16", "83", [("    ladder::let_next_kernel_start();  // not before: add_edges.h\n", "")]),
    "83_large_tiles": (
        "83_split_fp16", "83", [(INSIDE_83, "if (false)"), (TILE_OF_SPLIT, "ladder::SplitTile::large")],
    ),
    "83_medium_tiles": (
        "83_split_fp16", "83", [(INSIDE_83, "if (false)"), (TILE_OF_SPLIT, "ladder::SplitTile::medium")],
    ),
    "83_small_tiles": (
        "83_split_fp16", "83", [(INSIDE_83, "if (false)"), (TILE_OF_SPLIT, "ladder::SplitTile::small")],
    ),
    "81": ("81_wgmma_tf32", "tf32", []),
    "81_alone": ("81_wgmma_tf32", "tf32", [(TILES, "multiply_by<Small, Smallest, Tile<256, 128, 1>, Tile<128, 128, 1>>")]),
    "81_large": ("81_wgmma_tf32", "tf32", [(TILES, "multiply_by<Large>")]),
    "81_medium": ("81_wgmma_tf32", "tf32", [(TILES, "multiply_by<Medium>")]),
    "81_small": ("81_wgmma_tf32", "tf32", [(TILES, "multiply_by<Small>")]),
    "81_smallest": ("81_wgmma_tf32", "tf32", [(TILES, "multiply_by<Smallest>")]),
    "81_128x64_pairs": ("81_wgmma_tf32", "tf32", [(TILES, "multiply_by<Tile<128, 64, 2>>")]),
    "81_192x128_pairs": ("81_wgmma_tf32", "tf32", [(TILES, "multiply_by<Tile<192, 128, 2>>")]),
    "81_fewer_stages": ("81_wgmma_tf32", "tf32", [("1536 / (kRows + kCols), 8)", "1152 / (kRows + kCols), 6)")]),
    "81_lanes_round": (
        "81_wgmma_tf32", "tf32",
        [("__float_as_uint(pair.x)", "ladder::to_tf32(pair.x)"),
         ("__float_as_uint(pair.y)", "ladder::to_tf32(pair.y)"),
         ("namespace rung_81 {\n", '#include "../common/ptx/mma.h"\n\nnamespace rung_81 {\n')],
    ),
    "81_no_early_launch": ("81_wgmma_tf32", "tf32", [("    ladder::let_next_kernel_start();\n", "")]),
}


def write_version(name, folder):
    """The source of a version, in the folder; where its rung has not the text any more, the script ends."""
    rung, _, changes = VERSIONS[name]
    source = (ROOT / f"plugins/cuda/{rung}.cu").read_text()
    for text, replacement in changes:
        if source.count(text) != 1:
            sys.exit(f"split.py: {rung}.cu has {source.count(text)} times what version {name} changes: {text!r}")
        source = source.replace(text, replacement)
    path = folder / f"v_{name}.cu"
    path.write_text(source)
    return path


def build_version(path, build):
    flags = f"-I {ROOT}/plugins/cuda"
    command = ["make", "--no-print-directory", "plugin", f"FILE={path}", f"FLAGS={flags}", f"INTO={build}/split"]
    if subprocess.run(command, cwd=ROOT).returncode:
        sys.exit(f"split.py: {path} does not compile")


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def race(build, names, shapes, on_gpu):
    """The rows of the versions and of cuBLAS at these shapes, and compare's environment; without a GPU judged alone."""
    libraries = [str(build / f"split/v_{name}.so") for name in names]
    saved = build / "split.json"
    saved.unlink(missing_ok=True)
    if on_gpu:
        libraries.append(str(build / "plugins/cuda/00_cublas_fp32.so"))
        if any(VERSIONS[name][1] == "tf32" for name in names):
            libraries.append(str(build / f"plugins/cuda/{CUBLAS_TF32}.so"))
    command = [str(build / "compare"), *libraries, "--json", str(saved)]
    command += [word for shape in shapes for word in ("--shape", shape)] + ([] if on_gpu else ["--check-only"])
    subprocess.run(command)  # its exit status says the worst of the rows, which are looked at one by one
    run = json.loads(saved.read_text()) if saved.exists() else {"rows": [], "environment": {}}
    return run["rows"], run["environment"]


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def head(environment):
    """What was measured where, a line; nothing is said of an emulator's speed."""
    device = environment.get("device")
    if not device:
        return "In the emulator: judged, and not timed."
    script = pathlib.Path(sys.argv[0]).name
    return (f"{device}, driver {environment['driver']}, CUDA {environment['cuda']}, {environment['date'][:10]}, "
            f"commit {measure.commit_of_git() or 'unknown'}, "
            f"`{shlex.join([script, *sys.argv[1:]])}`; what the columns are: host/tools/{script}.")


def goals_of(name, size, tf32):
    """Must and goal of a version at a size, as text, where cuBLAS's TF32 makes so many TFLOP/s, or None."""
    if name not in VERSIONS or size not in SHAPES:
        return "", ""
    kind, at = VERSIONS[name][1], SHAPES.index(size)
    if kind == "tf32":
        return (number(tf32 and SHARES_OF_TF32[at] * tf32, 0), number(tf32, 0))
    return GOALS[kind][at]


def table(rows, environment):
    lines = ["", head(environment)]
    for shape in dict.fromkeys(row["shape"] for row in rows):
        tf32 = next((row["tflops"] for row in rows if (row["plugin"], row["shape"]) == (CUBLAS_TF32, shape)), None)
        lines += ["", f"## {shape}", ""]
        lines.append("| version | status | class | TFLOP/s | must / goal | x cuBLAS FP32 | rho | x base |")
        lines.append("|---|---|---|--:|---|--:|--:|--:|")
        for row in rows:
            name = row["plugin"].removeprefix("v_")
            if row["shape"] != shape or name not in [*VERSIONS, CUBLAS_TF32]:
                continue
            goal = goals_of(name, int(shape.split("x")[0]), tf32)
            lines.append(
                f"| {name} | {row['status']} | {row['class']} | {number(row['tflops'], 1)} | {goal[0]} / {goal[1]} | "
                f"{number(row['ratio'], 2)} | {number(row['rho'], 2)} | {number(row['error_ratio'], 2)} |"
            )
    return "\n".join(["# The rungs for Hopper's tensor cores", *lines]) + "\n"


def build_versions(build, names):
    folder = build.resolve() / "split"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        build_version(write_version(name, folder), build)


def say_wrong(rows):
    """Prints the rows that are not ok, and how many there are; true if any is, or none was made."""
    wrong = [row for row in rows if row["status"] != "ok"]
    bad = [f"{row['plugin']} at {row['shape']}: {row['status']}: {row['message']}" for row in wrong]
    print("\n".join(bad) or f"{len(rows)} rows, all ok")
    return bool(bad) or not rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"{', '.join(VERSIONS)}; all if none is named")
    arguments = parser.parse_args()
    names = [name for pattern in arguments.versions or ["*"] for name in fnmatch.filter(VERSIONS, pattern)]
    if unknown := [each for each in arguments.versions if not fnmatch.filter(VERSIONS, each)]:
        parser.error(f"no such version: {', '.join(unknown)}")
    build_versions(arguments.build, names)
    on_gpu = has_gpu()
    shapes = [str(shape) for shape in SHAPES] if on_gpu else [IN_EMULATOR]
    rows, environment = race(arguments.build, names, shapes, on_gpu)
    arguments.output.write_text(table(rows, environment))
    print(arguments.output.read_text())
    return say_wrong(rows)


if __name__ == "__main__":
    sys.exit(main())
