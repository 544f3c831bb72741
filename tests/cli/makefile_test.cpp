// What the Makefile asks of the machine, and what it reads in the rungs.
#include <map>
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;

using test::contains;

// The commands that make runs to decide what it would do for a goal, with none of the goal's own.
std::string asked_for(const std::string& goal) {
    const test::TemporaryDirectory directory;
    const auto shell = directory / "shell", log = directory / "log";
    std::ofstream(shell) << "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'" << log.string() << "'\nexec /bin/sh \"$@\"\n";
    fs::permissions(shell, fs::perms::owner_all);
    const auto result = test::run("make -n " + goal + " SHELL=" + shell.string() + " BUILD=" + test::kBuild);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return test::read_file(log);
}

// The commands that compile the CUDA library for these architectures, by a compiler that is not there.
std::string compiling(const std::string& rung, const std::string& architectures) {
    const test::TemporaryDirectory directory;
    return test::run("make -n NVCC=/cuda/bin/nvcc CUDA_ARCHS='" + architectures + "' BUILD=" +
                     directory.path().string() + " " + (directory / ("plugins/cuda/" + rung + ".so")).string())
        .out;
}

test::Result exercise(const std::string& variables) {
    return test::run("make exercise " + variables + " BUILD=" + test::kBuild);
}

}  // namespace

TEST_CASE("make help and make clean ask the machine nothing, and a plugin's build asks once for what it needs") {
    CHECK(asked_for("help") == "");
    CHECK(asked_for("clean") == "");
    CHECK(asked_for("format CLANG_FORMAT=true FORMATTED=x") == "");
    const std::string plugins = asked_for("plugins DEVICE=emulator");
    CHECK(contains(plugins, "libopenblas-dev"));
    CHECK_FALSE(contains(plugins, "nvidia-smi"));
    CHECK(contains(asked_for("plugins NVCC=/cuda/bin/nvcc"), "nvidia-smi"));  // a GPU is of use where CUDA is
}

TEST_CASE("a rung is compiled for the GPUs that it can run on, sm_90 with all of sm_90a where it asks for that") {
    const std::string naive = compiling("10_naive", "75 90");
    CHECK(contains(naive, "code=sm_75"));
    CHECK(contains(naive, "code=sm_90 "));
    CHECK(contains(naive, "arch=compute_90,code=compute_90"));
    const std::string copies = compiling("64_cp_async", "75 80 90");
    CHECK_FALSE(contains(copies, "sm_75"));
    CHECK(contains(copies, "code=sm_80"));
    CHECK(contains(copies, "code=sm_90 "));
    const std::string hopper = compiling("80_warp_specialised", "80 90");
    CHECK_FALSE(contains(hopper, "sm_80"));
    CHECK(contains(hopper, "arch=compute_90a,code=sm_90a"));
    CHECK(contains(compiling("80_warp_specialised", "75 80"), "code=sm_80"));  // to say that it cannot run there
    CHECK(contains(compiling("00_cublas_fp32", "90"), "-lcublas"));
    CHECK_FALSE(contains(naive, "-lcublas"));
}

TEST_CASE("a rung is compiled for no GPU that it refuses to run on") {
    int found = 0;
    for (const auto& entry : fs::recursive_directory_iterator(SOURCE_DIRECTORY "/plugins")) {
        if (entry.path().extension() != ".cu") continue;
        const std::string source = test::read_file(entry.path());
        std::smatch says, declares;
        if (!std::regex_search(source, says, std::regex("minimum_compute_capability = ([0-9]+)"))) continue;
        ++found;
        INFO(entry.path());
        REQUIRE(std::regex_search(source, declares, std::regex("\n// build: (?:.* )?least=([0-9]+)(?:\n| )")));
        CHECK(declares[1] == says[1]);
    }
    CHECK(found >= 10);
}

TEST_CASE("make exercise writes a rung without the body of its kernel, over nothing that is there") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "my_34.cu").string();
    const auto written = exercise("RUNG=34 FILE=" + file);
    CHECK(written.exit_code == 0);
    CHECK(contains(written.out, "build/compare --watch " + file));
    const std::string text = test::read_file(file);
    CHECK(text.starts_with("// step: from 20_shared_tile to 34_register_4x4\n"));
    CHECK(contains(text, "// Against 20: there a thread reads"));
    CHECK(
        contains(text, "register_4x4(const float* A, const float* B, float* C, int M, int N, int K) {\n    // Yours"));
    CHECK(contains(text, "Hint: This thread's rows of the tile"));
    CHECK(contains(text, "kernel<<<grid, block>>>"));
    CHECK_FALSE(contains(text, "__syncthreads"));
    CHECK(contains(exercise("RUNG=34 FILE=" + file).err, "exists, and may hold your work"));
    CHECK(test::read_file(file) == text);
    CHECK(contains(exercise("RUNG=90_dispatch").err, "has no kernel of its own"));
    CHECK(contains(exercise("RUNG=33").err, "there are 00, 01, "));
    CHECK(contains(exercise("").err, "say which rung"));
}

TEST_CASE("an exercise builds as it is written, and what it computes is not written", "[heavy]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "my_34.cu").string();
    REQUIRE(exercise("RUNG=34 FILE=" + file).exit_code == 0);
    const std::string build = " BUILD=" + test::kBuild;
    CHECK(test::run("make plugin DEVICE=emulator FILE=" + file + build).exit_code == 0);
    const std::string library = test::kBuild + "/plugins/my_34.so";
    CHECK(contains(test::run(test::kCompare + " --check-only --shape 64 " + library).out, "not-written"));
    fs::remove(library);
}

// compare builds files that are named together at the same time, each by a make of its own.
TEST_CASE("two makes at the same time write what includes all files of a folder, and neither fails") {
    const test::TemporaryDirectory directory;
    const auto build = directory / "build", cmp = directory / "cmp";
    const std::string list = (build / "host/emulator/rewriter/all.cpp").string();
    // The other make comes and goes while the first one compares.
    std::ofstream(cmp) << "#!/bin/sh\n[ -n \"$INNER\" ] || INNER=1 make \"$GOAL\" BUILD=\"$BUILT_INTO\"\n"
                       << "exec /usr/bin/cmp \"$@\"\n";
    fs::permissions(cmp, fs::perms::owner_all);
    const std::string make = "GOAL='" + list + "' BUILT_INTO='" + build.string() + "' PATH='" +
                             directory.path().string() + "':\"$PATH\" make '" + list + "' BUILD='" + build.string() +
                             "'";
    for (const bool written_before : {false, true}) {
        INFO("written before: " << written_before);
        const auto result = test::run(make);
        INFO(result.err);
        CHECK(result.exit_code == 0);
        CHECK(contains(test::read_file(list), "#include \"host/emulator/rewriter/"));
        CHECK(std::distance(fs::directory_iterator(fs::path(list).parent_path()), {}) == 1);
    }
}
