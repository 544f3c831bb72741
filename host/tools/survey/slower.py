#!/usr/bin/env python3
"""Learns at which calls 90_dispatch is slower than cuBLAS, of surveys, and says how often that is right at others.

usage: slower.py learn SURVEY...    writes abi/cublas/slower_trees.h
       slower.py check SURVEY...    says how often what is written there is right

SURVEY is a file of `make survey`: build/survey_GPU_SEED.txt, or GPU_survey.tsv of its results. A file that was learned
of says nothing when it is checked.

Learned is the logarithm of how many times as fast as cuBLAS 90 is, cut off where it is clear, by trees as those of
host/tools/tune/trees.py; abi/cublas/slower.cpp asks them the same of a call.
"""

import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "host/tools/tune"))
import survey  # noqa: E402
import trees  # noqa: E402

HEADER = ROOT / "abi/cublas/slower_trees.h"
MOST_BEHIND, MOST_AHEAD = -0.2, 0.3  # of the logarithm: what is beyond is as good as these
GIVEN = {"objective": "l2", "num_leaves": 31, "learning_rate": 0.1, "min_data_in_leaf": 10, "feature_fraction": 0.6,
         "bagging_fraction": 0.8, "bagging_freq": 1, "verbosity": -1, "deterministic": True, "seed": 1, "num_threads": 1}
TREES = 100


def alignment(ld, misaligned):
    """Of rows: 2 if all begin at a multiple of 16 bytes, 1 at one of 8, else 0."""
    return 0 if misaligned or ld % 2 else 1 if ld % 4 else 2


def features(M, N, K, form, alignment_a, alignment_b):
    """What trees are asked about, as in slower.cpp."""

    def sixteenths(value):
        return trees.sixteenths(float(value))

    def tiles(rows, cols):
        return sixteenths(-(-M // rows) * -(-K // cols))

    return [sixteenths(M), sixteenths(N), sixteenths(K), sixteenths(M * N * K), sixteenths(M / K), sixteenths(M * K),
            ["NN", "NT", "TN", "TT"].index(form), alignment_a, alignment_b, tiles(128, 128), tiles(128, 64),
            tiles(64, 128), tiles(64, 64), tiles(256, 128), tiles(128, 256), sixteenths(min(M, K)), M % 128, K % 128,
            M % 64, K % 64]


def features_of(row):
    M, N, K = map(int, row["shape"].split("x"))
    misaligned = row["rows"] != "aligned"
    lda, ldb = (M if row["form"][0] == "T" else N), (N if row["form"][1] == "T" else K)
    return features(M, N, K, row["form"], alignment(lda, misaligned), alignment(ldb, misaligned))


def rows_of(files):
    found = []
    for file in files:
        lines = [line for line in pathlib.Path(file).read_text().splitlines() if not line.startswith("#")]
        found += survey.read_rows("\n".join(line for line in lines if not line.startswith("index")))
    return found


def is_behind(row):
    """Hot, as the survey counts it."""
    return row["high"] < 1


def learn(rows):
    """The same as trees.learn, of the ratios of a survey's rows."""
    lightgbm, numpy = trees.libraries()
    logarithms = [max(MOST_BEHIND, min(MOST_AHEAD, math.log(row["ratio"]))) for row in rows]
    data = lightgbm.Dataset(numpy.array([features_of(row) for row in rows], float), numpy.array(logarithms))
    return trees.flattened(lightgbm.train(GIVEN, data, TREES).dump_model())


def with_trees(header, learned):
    start, end = header.partition("// clang-format off\n")[0], "// clang-format on\n"
    questions = trees.lines_of("{" + ",".join(map(str, question)) + "}" for question in learned[0])
    return (f"{start}// clang-format off\nconstexpr Question kQuestions[] = {{\n{questions}\n}};\n"
            f"constexpr int16_t kTrees[] = {{\n{trees.lines_of(map(str, learned[1]))}\n}};\n{end}"
            f"{header.partition(end)[2]}")


def written(header):
    """The trees of slower_trees.h."""
    numbers = [[int(each) for each in part.replace("{", "").replace("}", "").replace("\n", "").split(",") if each.strip()]
               for part in (header.split("kQuestions[] = {")[1].split("};")[0], header.split("kTrees[] = {")[1].split("};")[0])]
    return list(zip(*[iter(numbers[0])] * 4)), numbers[1]


def is_said_to_be_behind(learned, row):
    return trees.correction(learned, features_of(row)) < 0


def check(rows, learned):
    said = [is_said_to_be_behind(learned, row) for row in rows]
    behind = [is_behind(row) for row in rows]
    right = sum(map(bool.__eq__, said, behind))
    return (f"{len(rows)} calls, {sum(behind)} behind; said of {sum(said)}, of which "
            f"{sum(map(bool.__and__, said, behind))} are: right for {100 * right / len(rows):.1f} %")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("learn", "check"):
        sys.exit(__doc__)
    rows = rows_of(sys.argv[2:])
    if sys.argv[1] == "learn":
        HEADER.write_text(with_trees(HEADER.read_text(), learn(rows)))
    print(check(rows, written(HEADER.read_text())))


if __name__ == "__main__":
    main()
