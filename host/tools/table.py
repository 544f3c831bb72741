#!/usr/bin/env python3
"""Makes the tables of the READMEs, and the picture of the staircase, from the results files and from what the plugins
say of themselves. A table stands between two marks, which name it and, for some, what is in it:

    <!-- figures 10_naive 20_shared_tile: made by host/tools/table.py -->
    <!-- end of figures -->

usage: table.py BUILD --write     puts them into every README that has marks
       table.py BUILD --check     exit status 1 if one of them is out of date

  figures STEM...   the staircase of these rungs at 4096, and their speeds, from host/results/*_ladder.tsv
  speeds, ratios    every rung at every shape, from the same file
  dispatch          90_dispatch at many shapes, from host/results/*_dispatch.tsv
  chain             E = A * B * C, from host/results/*_chain.tsv
  ladder            every plugin, from `compare --list` on the libraries in BUILD. A plugin of which this machine cannot
                    build a library (no nvcc, no BLAS) keeps its line; one without a source file loses it
  file PATH         that file
"""

import pathlib
import re
import subprocess
import sys

import results
import staircase

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MARKS = re.compile(
    r"(<!-- (\w+)( [^:>]*)?: made by host/tools/table\.py[^>]*-->\n)(.*?)(<!-- end of \2 -->)", re.DOTALL
)
SHAPE = "4096x4096x4096"
LADDER_HEAD = ["| plugin | what it does | arithmetic | needs | source |", "|---|---|---|---|---|"]
ARITHMETIC, NEEDS = 3, 4  # columns, counted from 1
LANGUAGES = {".c": "c", ".cpp": "cpp", ".py": "python"}


def table(head, align, rows):
    return [
        "| " + " | ".join(head) + " |",
        "|" + "|".join(align) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def measured(name):
    """The results file of that table: its header, its rows and its path from the root."""
    files = sorted((ROOT / "host/results").glob(f"*_{name}.tsv"))
    if len(files) != 1:
        sys.exit(f"host/results has {len(files)} files *_{name}.tsv: leave one, of one GPU")
    return *results.read(files[0]), files[0].relative_to(ROOT)


def root_from(readme):
    return "../" * (len(readme.parts) - 1)


def link(target, readme):
    """A Markdown link from a README to a file; both from the root."""
    return f"[{target.name}]({root_from(readme)}{target})"


def to_source(stem, readme):
    """The rung's name, as a link where it has a file."""
    sources = sorted(path.relative_to(ROOT) for path in (ROOT / "plugins").glob(f"*/{stem}.*"))
    return f"[{stem}]({root_from(readme)}{sources[0]})" if sources else stem


def origin(header, path, readme):
    """What was measured where, and a link to the results file, which has the command; a sentence."""
    commit = f", commit {header['commit']}" if "commit" in header else ""
    where = f"{header['device']}, driver {header['driver']}, CUDA {header['cuda']}, {header['date'][:10]}{commit}"
    return f"{where}; the command is in {link(path, readme)}."


def cold_tflops(row):
    return row["tflops"] * row["hot_ms"] / row["cold_ms"] if row["cold_ms"] else None


def short(shape):
    """As --shape takes it: one number for square matrices."""
    sides = set(shape.split("x"))
    return sides.pop() if len(sides) == 1 else shape


def pair(hot, cold, digits):
    return f"{hot:.{digits}f}" + ("" if cold is None else f" / {cold:.{digits}f}")


def microseconds(milliseconds):
    if milliseconds is None:
        return ""
    return f"{1000 * milliseconds:.1f} us" if milliseconds < 1 else f"{milliseconds:.2f} ms"


# ---- The tables: each gives its lines ----------------------------------------------------------------------------


def figures(readme, stems, summaries, outputs):
    """The picture goes into files of its own, which are added to outputs."""
    header, rows, path = measured("ladder")
    found = {row["plugin"]: row for row in rows if row["shape"] == SHAPE and row["status"] == "ok"}
    baseline = header["baseline"]
    if missing := [stem for stem in stems if stem not in found]:
        sys.exit(f"{path} has no {', '.join(missing)} at {SHAPE}")
    if "ffma_tflops" not in header:
        sys.exit(f"{path} has no line ffma_tflops, what the GPU could do at most")
    steps = [(stem, found[stem]["tflops"]) for stem in stems]
    title = f"TFLOP/s of the FP32 rungs at {SHAPE.replace('x', ' x ')}, {header['device']}"
    folder = f"{root_from(readme)}host/results"
    yield from [
        "<picture>",
        f'  <source media="(prefers-color-scheme: dark)" srcset="{folder}/staircase_dark.svg">',
        f'  <img alt="{title}: from {steps[0][1]:.1f} of {steps[0][0]} to {steps[-1][1]:.1f} of {steps[-1][0]}; cuBLAS '
        f'{found[baseline]["tflops"]:.1f}" src="{folder}/staircase_light.svg">',
        "</picture>",
        "",
    ]
    for theme in staircase.THEMES:
        drawn = staircase.draw(
            theme,
            title,
            steps,
            ("cuBLAS FP32", found[baseline]["tflops"]),
            ("every FP32 lane busy in every cycle", float(header["ffma_tflops"])),
        )
        outputs[ROOT / f"host/results/staircase_{theme}.svg"] = drawn
    cells = []
    for stem in [baseline, *stems]:
        row = found[stem]
        cells.append(
            [
                to_source(stem, readme),
                summaries.get(stem, ""),
                f'{row["tflops"]:.1f}',
                f'{row["ratio"]:.2f}x',
                f"{cold_tflops(row):.1f}",
                f'{row["cold_ratio"]:.2f}x',
            ]
        )
    yield from table(
        ["rung", "what is new", "hot", "x cuBLAS", "cold", "x cuBLAS"],
        ["---", "---"] + ["--:"] * 4,
        cells,
    )
    count = len({row["plugin"] for row in rows})
    yield from [
        "",
        f"TFLOP/s on one {origin(header, path, readme)}",
        "Hot: calls back to back. Cold: single calls that find nothing in the caches.",
        f"x cuBLAS: the ratio to `{baseline}`, which takes turns with the rung in the same process.",
        f"The {count} kernels of that run at all shapes: [host/results]({folder}).",
    ]


def by_shape(readme, value):
    header, rows, path = measured("ladder")
    shapes = sorted({row["shape"] for row in rows}, key=results.size)
    found = {(row["plugin"], row["shape"]): row for row in rows}
    cells = []
    for plugin in dict.fromkeys(row["plugin"] for row in rows):
        measured_class = next(row["class"] for row in rows if row["plugin"] == plugin)
        line = [found.get((plugin, shape)) for shape in shapes]
        cells.append(
            [plugin, measured_class or ""]
            + ["" if row is None else value(row) if row["status"] == "ok" else row["status"] for row in line]
        )
    yield from table(["plugin", "class", *map(short, shapes)], ["---", "---"] + ["--:"] * len(shapes), cells)
    yield from ["", origin(header, path, readme)]


def speeds(readme):
    return by_shape(readme, lambda row: pair(row["tflops"], cold_tflops(row), 1))


def ratios(readme):
    return by_shape(readme, lambda row: pair(row["ratio"], row["cold_ratio"], 2) if row["ratio"] else "")


def dispatch(readme):
    header, rows, path = measured("dispatch")
    cells = []
    for row in rows:
        interval = "" if row["low"] is None else f' [{row["low"]:.3f}, {row["high"]:.3f}]'
        cells.append(
            [
                short(row["shape"]),
                f'{row["tflops"]:.1f}',
                microseconds(row["hot_ms"]),
                f'{row["ratio"]:.3f}{interval}',
                microseconds(row["cold_ms"]),
                f'{row["cold_ratio"]:.3f}',
                microseconds(row["first_ms"]),
            ]
        )
    yield from table(
        ["MxNxK", "TFLOP/s", "hot", "x cuBLAS [95 %]", "cold", "x cuBLAS", "first call"], ["---"] + ["--:"] * 6, cells
    )
    yield from ["", origin(header, path, readme)]


def chain(readme):
    header, rows, path = measured("chain")
    cells = [
        [
            row["plugin"],
            short(row["shape"]),
            f'{row["tflops"]:.1f}',
            f'{row["ratio"]:.2f}x',
            microseconds(row["hot_ms"]),
            microseconds(row["cold_ms"]),
        ]
        for row in rows
    ]
    yield from table(
        ["plugin", "MxNxKxL", "TFLOP/s", f"x {header['baseline']}", "hot", "cold"], ["---", "---"] + ["--:"] * 4, cells
    )
    yield from ["", origin(header, path, readme)]


def summary(line):
    return line.split("|")[2].strip()


def by_stem(lines):
    """stem -> line; not of a library that does not load here, and so has no arithmetic."""
    return {line.split("|")[1].strip(): line for line in lines if line.split("|")[ARITHMETIC].strip()}


def ladder_lines(text):
    """Of a README that has the table of rungs: stem -> line."""
    found = next((match[4] for match in MARKS.finditer(text) if match[2] == "ladder"), "")
    return by_stem(found.splitlines()[len(LADDER_HEAD) :])


def listed(build, device):
    """stem -> line, of the libraries that are built for that device and load."""
    folder = build / "plugins" / device
    if not folder.is_dir() or not any(folder.glob("*.so")):
        return {}
    command = [build / "compare", "--list", "--markdown", "--device", device, folder]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    if lines[: len(LADDER_HEAD)] != LADDER_HEAD:
        sys.exit(f"{build}/compare --list --markdown has other columns than {LADDER_HEAD[0]}")
    return by_stem(lines[len(LADDER_HEAD) :])


def with_needs(emulated, before):
    """An emulated library says of itself what one for the GPU does, but not which GPU it needs: that cell stays."""
    lines = {}
    for stem, line in emulated.items():
        cells = line.split("|")
        cells[NEEDS] = before[stem].split("|")[NEEDS] if stem in before else cells[NEEDS]
        lines[stem] = "|".join(cells)
    return lines


def ladder(old, build):
    before = ladder_lines(old)
    found = {**before, **with_needs(listed(build, "emulator"), before), **listed(build, "cuda"), **listed(build, "cpu")}
    yield from LADDER_HEAD
    for suffix in ("cu", "cpp"):
        stems = sorted(path.stem for path in (ROOT / "plugins").glob(f"*/[0-9][0-9]_*.{suffix}"))
        yield from (found[stem] for stem in stems if stem in found)


def file(path):
    yield from [f"```{LANGUAGES.get(path.suffix, '')}", *(ROOT / path).read_text().splitlines(), "```"]


# ---- Putting them in ---------------------------------------------------------------------------------------------


def make(build):
    """What is to be in each file: path -> text."""
    outputs = {}
    readmes = [ROOT / "README.md"] + [
        path for top in ("abi", "host", "tests") for path in (ROOT / top).rglob("README.md")
    ]

    def lines(name, words, old, readme):
        if name == "figures":
            summaries = ladder_lines(outputs[ROOT / "plugins/README.md"])
            return figures(readme, words, {stem: summary(line) for stem, line in summaries.items()}, outputs)
        makers = {
            "speeds": lambda: speeds(readme),
            "ratios": lambda: ratios(readme),
            "dispatch": lambda: dispatch(readme),
            "chain": lambda: chain(readme),
            "ladder": lambda: ladder(old, build),
            "file": lambda: file(pathlib.Path(*words)),
        }
        if name not in makers:
            sys.exit(f"{readme}: no such table: {name}")
        return makers[name]()

    def fill(readme):
        return (
            lambda match: match[1]
            + "".join(f"{line}\n" for line in lines(match[2], (match[3] or "").split(), match[0], readme))
            + match[5]
        )

    for path in [ROOT / "plugins/README.md", *sorted(readmes)]:  # this order: summaries of rungs are of the first
        outputs[path] = MARKS.sub(fill(path.relative_to(ROOT)), path.read_text())
    return outputs


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("--write", "--check"):
        sys.exit(__doc__)
    outputs = make(pathlib.Path(sys.argv[1]).resolve())
    different = [path for path, text in outputs.items() if not path.exists() or path.read_text() != text]
    for path in different:
        if sys.argv[2] == "--write":
            path.write_text(outputs[path])
        else:
            print(f"{path.relative_to(ROOT)} is out of date: run host/tools/table.py {sys.argv[1]} --write")
    return sys.argv[2] == "--check" and bool(different)


if __name__ == "__main__":
    sys.exit(main())
