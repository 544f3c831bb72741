// nvcc with its steps side by side (host/tools/nvcc_at_once.sh), as `compare --watch` builds: what comes of it is as
// nvcc makes it.
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;

// Its kernel's name has the one of its file in it, which nvcc makes up.
const std::string kKernel = R"(#include "factor.h"
namespace {
__global__ void scale(float* C) {
    int unused;
    C[0] *= FACTOR;
}
}  // namespace
extern "C" void solve(const float*, const float*, float* C, int, int, int) { scale<<<1, 1>>>(C); }
)";

bool has_nvcc(const char* test) {
    const bool found = test::run("make have-nvcc").exit_code == 0;
    if (!found) std::printf("SKIPPED: %s: no nvcc here\n", test);
    return found;
}

// `make plugin` of this text.
struct Build {
    Build(const std::string& text, const std::string& variables) {
        std::ofstream(folder / "factor.h") << "#define FACTOR 3\n";
        std::ofstream(folder / "my.cu") << text;
        const std::string into = folder.path().string();
        result =
            test::run("make plugin DEVICE=cuda RESOURCES=1 FILE=" + into + "/my.cu INTO=" + into + " " + variables);
    }

    // But for what each run has of its own.
    std::string messages() const {
        const std::string text = std::regex_replace(result.err, std::regex(folder.path().string()), "");
        return std::regex_replace(
            text, std::regex("Compile time = .*|/\\S*tmpxft_\\w+-|GLOBAL__N_\\w*|ZN\\d+|make(\\[\\d+\\])?: .*"), "");
    }
    bool was_at_once() const { return contains(result.err, "_6_plugin"); }
    bool has(const std::string& file) const { return std::filesystem::exists(folder / file); }

    const test::TemporaryDirectory folder;
    test::Result result;
};

}  // namespace

TEST_CASE("what nvcc compiles at once is a plugin, with its dependencies") {
    if (!has_nvcc("nvcc at once")) return;
    const Build once(kKernel, "CUDA_ARCHS=90 AT_ONCE=1");
    INFO(once.result.out << once.result.err);
    CHECK(once.result.exit_code == 0);
    CHECK(once.was_at_once());
    CHECK(once.has("my.so"));
    CHECK(!once.has("my.so.steps"));
    CHECK(contains(test::read_file(once.folder / "my.d"), (once.folder / "factor.h").string()));
}

TEST_CASE("what nvcc compiles at once is told of as nvcc tells it: warnings and registers", "[heavy]") {
    if (!has_nvcc("nvcc at once, and warnings")) return;
    const Build nvcc(kKernel, "CUDA_ARCHS=90"), once(kKernel, "CUDA_ARCHS=90 AT_ONCE=1");
    INFO(once.result.out << once.result.err);
    CHECK(!nvcc.was_at_once());
    CHECK(contains(once.messages(), "never referenced"));
    CHECK(contains(once.messages(), " registers"));
    CHECK(once.messages() == nvcc.messages());
}

TEST_CASE("what nvcc compiles at once and does not take is told as nvcc tells it", "[heavy]") {
    if (!has_nvcc("nvcc at once, and mistakes")) return;
    for (const char* mistake : {"int x = nothing;", "__global__ void y() { asm(\"nothing;\"); }",
                                "__device__ int z() { return\n#ifdef __CUDA_ARCH__\n nothing\n#endif\n 1; }"}) {
        const std::string text = kKernel + mistake + "\n";
        const Build nvcc(text, "CUDA_ARCHS=90"), once(text, "CUDA_ARCHS=90 AT_ONCE=1");
        INFO(once.result.err);
        CHECK(once.result.exit_code != 0);
        CHECK(once.messages() == nvcc.messages());
        CHECK(!once.has("my.so"));
        CHECK(!once.has("my.so.steps"));
    }
}

TEST_CASE("what nvcc compiles at once tells of a header that is not there, and of nothing else", "[heavy]") {
    if (!has_nvcc("nvcc at once, and a header that is not there")) return;
    const Build once("#include \"nothing.h\"\n" + kKernel, "CUDA_ARCHS=90 AT_ONCE=1");
    INFO(once.result.err);
    CHECK(once.result.exit_code != 0);
    CHECK(contains(once.result.err, "nothing.h: No such file"));
    CHECK(!contains(once.result.err, ".steps"));
    CHECK(!once.has("my.so.steps"));
}

TEST_CASE("what nvcc compiles for several architectures, or in parts to be linked, it compiles by itself", "[heavy]") {
    if (!has_nvcc("nvcc at once, for several architectures")) return;
    for (const char* variables : {"CUDA_ARCHS='80 90' AT_ONCE=1", "CUDA_ARCHS=90 FLAGS=-rdc=true AT_ONCE=1"}) {
        const Build build(kKernel, variables);
        INFO(build.result.err);
        CHECK(build.result.exit_code == 0);
        CHECK(!build.was_at_once());
        CHECK(build.has("my.so"));
        CHECK(!build.has("my.so.steps"));
    }
}
