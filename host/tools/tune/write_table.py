#!/usr/bin/env python3
"""Puts what build/tune has measured where it belongs; `make tune` calls it.

usage: write_table.py ROWS HEADER TIMES OUTPUT

ROWS replace the rows of the same compute capability in HEADER, plugins/cuda/90_table.h; TIMES, with a heading, become a
file named after the GPU, as OUTPUT/h200_tune.md.
"""

import datetime
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import results

ROW = re.compile(r"    \{(\d+), KernelId::")
EXPLANATION = """TFLOP/s of each kernel of plugins/cuda/90_dispatch.cu, in brackets what its model expects with the
figures in plugins/cuda/90_table.h, and what is chosen by them: calls back to back for 8 ms, best of five times, uniform
data. Two kernels in the last column: the last rows or columns are a product of their own. The model of `thin` is of
matrices that come from memory; of those here a part is in L2."""


def with_rows(header, rows):
    """The header's text with these rows in place of those of their capability, or after those of the one before."""
    capability = int(ROW.match(next(line for line in rows if ROW.match(line)))[1])
    before, inside, after = header.partition("constexpr Measured kTable[] = {\n")
    table, end, rest = after.partition("};\n")
    groups, comment = {}, []
    for line in table.splitlines(keepends=True):
        if found := ROW.match(line):
            group = groups.setdefault(int(found[1]), [])
            group += comment + [line]
            comment = []
        else:
            comment.append(line)
    groups[capability] = rows
    return before + inside + "".join(line for key in sorted(groups) for line in groups[key]) + end + rest


def main():
    rows, header, times, output = map(pathlib.Path, sys.argv[1:])
    header.write_text(with_rows(header.read_text(), rows.read_text().splitlines(keepends=True)))
    gpu, driver = results.gpu()
    (output / f"{results.short_name(gpu)}_tune.md").write_text(
        f"# What 90_dispatch chooses among\n\n{gpu}, {driver}, {datetime.date.today()}, `make tune`\n\n"
        f"{EXPLANATION}\n\n{times.read_text()}")


if __name__ == "__main__":
    main()
