// The scripts that make the READMEs' tables, host/tools/measure.py, results.py, table.py and staircase.py, and the one
// that makes a results file with a table of its own, chain.py.
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::kBuild;

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

void write_program(const fs::path& path, const std::string& text) {
    write(path, text);
    fs::permissions(path, fs::perms::owner_all);
}

// A copy of what table.py reads and writes, with a build directory in which a fake compare lists `emulated`.
class Tree {
  public:
    Tree() {
        const std::string copy = "cp -r --parents README.md abi plugins host/results host/tools tests/clients ";
        REQUIRE(test::run(copy + path().string()).exit_code == 0);
        write(build() / "plugins/emulator/10_naive.so", "");
        write_program(build() / "compare", "#!/bin/sh\ncat " + (build() / "list").string() + "\n");
        list("");
    }

    void list(const std::string& emulated) {
        write(build() / "list",
              "| plugin | what it does | arithmetic | needs | source |\n|---|---|---|---|---|\n" + emulated);
    }
    test::Result table(const std::string& mode) const {
        return test::run("python3 " + (path() / "host/tools/table.py").string() + " " + build().string() + " " + mode);
    }
    void replace(const std::string& file, const std::string& from, const std::string& to) {
        std::string text = test::read_file(path() / file);
        const size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        write(path() / file, text.replace(at, from.size(), to));
    }
    const fs::path& path() const { return directory_.path(); }

  private:
    fs::path build() const { return path() / "build"; }

    test::TemporaryDirectory directory_;
};

// A run as compare saves it, of one row that was timed and one that was not.
const char* const kSaved = R"({
  "environment": {"device": "NVIDIA H200", "driver": "580.1", "cuda": "13.0", "date": "2026-11-22T05:08:05Z",
                  "command": "build/compare --shape 64"},
  "rows": [
    {"plugin": "20_b", "class": "FP32", "shape": "8x8x8", "status": "wrong", "message": "no", "median_ms": null,
     "cold_median_ms": null, "first_ms": null, "tflops": null, "baseline": "", "ratio": null, "ratio_interval": null,
     "cold_ratio": null, "rho": null, "error_ratio": null, "clock_mhz": null, "slowed_by": []},
    {"plugin": "10_a", "class": "FP32", "shape": "8x8x8", "status": "ok", "message": "", "median_ms": 0.0534414318,
     "cold_median_ms": 0.0621, "first_ms": 110.0573, "tflops": 40.183871, "baseline": "00_cublas_fp32",
     "ratio": 1.00041, "ratio_interval": [0.9996, 1.0016], "cold_ratio": 1.0064766, "rho": 4.7763,
     "error_ratio": 0.9976,
     "clock_mhz": 1980.0, "slowed_by": ["power limit", "heat"], "time_ms": [0.053, 0.054]}
  ]
})";

const char* const kRows =
    "plugin\tclass\tshape\tstatus\thot_ms\tcold_ms\tfirst_ms\ttflops\tratio\tlow\thigh\tcold_ratio\trho\terror_ratio\t"
    "clock_mhz\tslowed_by\n"
    "10_a\tFP32\t8x8x8\tok\t0.0534414\t0.0621\t110.057\t40.1839\t1.00041\t0.9996\t1.0016\t1.00648\t4.78\t0.998\t1980\t"
    "power limit, heat\n"
    "20_b\tFP32\t8x8x8\twrong\t\t\t\t\t\t\t\t\t\t\t\t\n";

}  // namespace

TEST_CASE("the tables and the picture are those that the results files and the plugins give") {
    const auto result = test::run("python3 host/tools/table.py " + kBuild + " --check");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
}

TEST_CASE("they hold on a machine that can build no library") {
    const auto result = test::run("python3 host/tools/table.py " + kBuild + "/absent --check");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
}

TEST_CASE("a figure, a summary or a picture that was changed by hand is out of date, until it is written anew") {
    Tree tree;
    const auto [file, from] =
        GENERATE(table<const char*, const char*>({{"README.md", "| 0.08x |"},
                                                  {"abi/README.md", "| 4096 | "},
                                                  {"host/results/README.md", "| FP32 |"},
                                                  {"host/results/staircase_dark.svg", "<rect x"}}));
    const std::string before = test::read_file(tree.path() / file);
    REQUIRE(tree.table("--check").exit_code == 0);
    tree.replace(file, from, "| 9.99x |");
    const auto result = tree.table("--check");
    CHECK(result.exit_code == 1);
    CHECK(contains(result.out, std::string(file) + " is out of date: run host/tools/table.py"));
    CHECK(tree.table("--write").exit_code == 0);
    CHECK(test::read_file(tree.path() / file) == before);
}

TEST_CASE("the table of rungs has what a library says, and keeps the line of a rung that is not built here") {
    Tree tree;
    tree.list(
        "| 10_naive | a new summary | FP32 | sm_50 | nobody |\n| 11_no_source | stale | FP32 | sm_50 | nobody |\n");
    CHECK(tree.table("--check").exit_code == 1);
    REQUIRE(tree.table("--write").exit_code == 0);
    const std::string ladder = test::read_file(tree.path() / "plugins/README.md");
    CHECK(contains(ladder, "| 10_naive | a new summary | FP32 | sm_50 | nobody |\n"));
    CHECK(contains(ladder, "| 00_cublas_fp32 | cuBLAS, strict FP32 |"));
    CHECK_FALSE(contains(ladder, "11_no_source"));
    // The first page takes the summary from there.
    CHECK(contains(test::read_file(tree.path() / "README.md"), "10_naive.cu) | a new summary |"));

    fs::remove(tree.path() / "plugins/cuda/00_cublas_fp32.cu");
    REQUIRE(tree.table("--write").exit_code == 0);
    CHECK_FALSE(contains(test::read_file(tree.path() / "plugins/README.md"), "\n| 00_cublas_fp32 |"));
}

TEST_CASE("a mark that names an unknown table or rung, and two GPUs' files of one table, are said") {
    Tree tree;
    SECTION("table") {
        tree.replace("README.md", "<!-- figures",
                     "<!-- speech: made by host/tools/table.py -->\n<!-- end of speech -->\n<!-- figures");
        CHECK(contains(tree.table("--check").err, "README.md: no such table: speech"));
    }
    SECTION("rung") {
        tree.replace("README.md", "<!-- figures 10_naive", "<!-- figures 10_native");
        CHECK(contains(tree.table("--check").err, "has no 10_native at 4096x4096x4096"));
    }
    SECTION("GPU") {
        write(tree.path() / "host/results/x1_ladder.tsv", kRows);
        CHECK(contains(tree.table("--check").err, "2 files *_ladder.tsv"));
    }
}

TEST_CASE("the picture is well-formed XML with a step for each rung that README.md names") {
    const std::string readme = test::read_file(SOURCE_DIRECTORY "/README.md");
    std::smatch mark;
    REQUIRE(std::regex_search(readme, mark, std::regex("<!-- figures ([^:]*):")));
    const std::string stems = mark[1];
    for (const char* theme : {"light", "dark"}) {
        const std::string file = std::string("host/results/staircase_") + theme + ".svg";
        const auto parsed = test::run("python3 -c 'import xml.etree.ElementTree as x; x.parse(\"" + file + "\")'");
        INFO(parsed.err);
        CHECK(parsed.exit_code == 0);
        const std::string picture = test::read_file(SOURCE_DIRECTORY "/" + file);
        const std::regex step("<rect ");
        CHECK(std::distance(std::sregex_iterator(picture.begin(), picture.end(), step), {}) ==
              1 + std::count(stems.begin(), stems.end(), ' '));
        CHECK(contains(picture, "cuBLAS FP32: "));
        CHECK(contains(picture, "every FP32 lane busy in every cycle: "));
    }
}

TEST_CASE("results.py writes what was measured where, and a line a row, in the order of plugins and shapes") {
    const test::TemporaryDirectory directory;
    write(directory / "run.json", kSaved);
    const auto result = test::run("python3 host/tools/results.py " + (directory / "run.json").string() + " " +
                                  (directory / "out.tsv").string() + " commit=abc1234");
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(test::read_file(directory / "out.tsv") ==
          std::string("# device: NVIDIA H200\n# driver: 580.1\n# cuda: 13.0\n# date: 2026-11-22T05:08:05Z\n"
                      "# command: build/compare --shape 64\n# baseline: 00_cublas_fp32\n# commit: abc1234\n") +
              kRows);
}

TEST_CASE("chain.py writes what was measured where beside what is asked for, and fails where that is not met") {
    const test::TemporaryDirectory directory;
    write_program(directory / "nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200, 580.1'\n");
    const auto run = [&](const std::string& of_512, const std::string& of_2048, const std::string& accurate = "12.9") {
        const std::string lines =
            "128\\t6\\t10\\t9.3\\t1.55\\t1.5\\t1.6\\t1e-6\\t4\\n512\\t%s"
            "\\t40\\t30\\t1.84\\t1.8\\t1.9\\t1e-6\\t20\\n2048\\t600\\t700\\t%b\\t900\\n";
        write_program(directory / "chain_graphs", "#!/bin/sh\nus=" + of_512 +
                                                      "; [ $SGEMM_LADDER_ACCURACY = strict ] || us=" + accurate +
                                                      "\nprintf '" + lines + "' $us '" + of_2048 + "'\n");
        return test::run("PATH=" + directory.path().string() + ":$PATH python3 host/tools/chain/chain.py " +
                         directory.path().string() + " " + directory.path().string());
    };
    const auto met = run("16.3", "690\t1.15\t1.14\t1.16\t2e-6");
    INFO(met.out << met.err);
    CHECK(met.exit_code == 0);
    const std::string text = test::read_file(directory / "h200_chain_graphs.md");
    for (const char* part :
         {"- device: NVIDIA H200\n", "- driver: 580.1\n", "- command: make chain\n",
          "- commit: ", "| 128 | 6.00 | 10.00 | 9.30 | 1.550 [1.500, 1.600] | 1.50x | yes |",
          "| at most 16.3 us | yes |", "## SGEMM_LADDER_ACCURACY=fp32-accurate\n", "| at most 13 us | yes |",
          "| 1.0e-06 | 20.00 |", "| 1.150 [1.140, 1.160] | 1.10x | yes |"}) {
        INFO(part);
        CHECK(contains(text, part));
    }
    const auto slow = run("16.4", "650\t1.09\t1.08\t1.10\t2e-6", "13.1");
    CHECK(slow.exit_code == 1);
    for (const char* accuracy : {"strict", "fp32-accurate"}) {
        CHECK(contains(slow.out, std::string(accuracy) + ", 512: the must is not met\n" + accuracy +
                                     ", 2048: the must is not met\n"));
    }
    const auto wrong = run("16", "690\t1.2\t1.2\t1.2\tnan");
    CHECK(wrong.exit_code == 1);
    CHECK(contains(wrong.out, "2048: E is off by nan\n"));
}

TEST_CASE("what compare saves of a timed row has what a results file has") {
    const test::TemporaryDirectory directory;
    const fs::path json = directory / "run.json", tsv = directory / "out.tsv";
    // Exit status 5: on a busy machine a time may be suspicious; it is in the row all the same.
    const int code = test::run(test::kCompare + " " + kBuild + "/plugins/cpu/00_serial.so --shape 32 --quick --json " +
                               json.string())
                         .exit_code;
    REQUIRE((code == 0 || code == 5));
    REQUIRE(test::run("python3 host/tools/results.py " + json.string() + " " + tsv.string()).exit_code == 0);
    const std::string text = test::read_file(tsv);
    for (const char* key : {"# operation: ", "# processor: ", "# date: ", "# command: ", "# seed: "})
        CHECK(contains(text, key));
    // plugin to tflops, in their order; without a BLAS on this machine there is no ratio.
    CHECK(std::regex_search(
        text,
        std::regex("\n00_serial\tFP32\t32x32x32\t(ok|suspicious)\t[0-9.e-]+\t[0-9.e-]+\t[0-9.e-]+\t[0-9.e-]+\t")));
    const auto row = nlohmann::json::parse(test::read_file(json)).at("rows").at(0);
    for (const char* key : {"ratio", "ratio_interval", "cold_ratio", "error_ratio", "clock_mhz", "slowed_by"}) {
        CHECK(row.contains(key));
    }
}

TEST_CASE("measure.py runs compare for each table and names the files after the GPU") {
    const test::TemporaryDirectory directory;
    const fs::path build = directory / "build", output = directory / "figures";
    write(build / "saved", kSaved);
    // Saves that run under the name behind --json, the last argument, and keeps its arguments.
    write_program(build / "compare", "#!/bin/sh\necho \"$@\" >> " + (build / "calls").string() +
                                         "\nfor last; do :; done\ncp " + (build / "saved").string() + " \"$last\"\n");
    const std::string measure = "python3 host/tools/measure.py " + build.string() + " " + output.string();

    const auto one = test::run(measure + " --commit abc1234 dispatch");
    INFO(one.out << one.err);
    CHECK(one.exit_code == 1);  // one of the rows is wrong
    CHECK(contains(one.out, "20_b at 8x8x8: wrong: no"));
    CHECK(contains(test::read_file(build / "calls"), "--filter 90_dispatch --shape 512 --shape 1024 "));
    const std::string text = test::read_file(output / "h200_dispatch.tsv");
    CHECK(contains(text, "# commit: abc1234\n"));
    CHECK(contains(text, kRows));
    CHECK_FALSE(fs::exists(output / "h200_ladder.tsv"));

    CHECK(test::run(measure + " --commit abc1234").exit_code == 1);
    CHECK(fs::exists(output / "h200_ladder.tsv"));
    CHECK(fs::exists(output / "h200_chain.tsv"));
    CHECK(test::run(measure + " everything").exit_code == 2);

    write_program(build / "compare", "#!/bin/sh\nexit 6\n");
    const auto none = test::run(measure + " --commit abc1234 chain");
    CHECK(none.exit_code == 1);
    CHECK(contains(none.err, "no GPU answers"));
}
