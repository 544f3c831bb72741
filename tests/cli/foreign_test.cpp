// Plugins that were built elsewhere, with nothing of ours, are found and judged like the others.
#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;

bool succeeds(const std::string& command) {
    return test::run(command).exit_code == 0;
}

}  // namespace

TEST_CASE("an unmodified .cu file runs in the emulator and is judged") {
    const auto result = test::run(test::kCompare + " " + test::kBuild + "/foreign/plain.so --shape 1000x77x300");
    INFO(result.out);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "emulator"));
    CHECK(contains(result.out, "1 ok"));
}

TEST_CASE("a library built by plain nvcc -shared is told from its file to be a CUDA plugin") {
    const std::string library = test::kBuild + "/foreign/plain_cuda.so";
    if (!std::filesystem::exists(library)) {
        std::printf("SKIPPED: a library built by plain nvcc -shared: no nvcc here\n");
        return;
    }
    const auto result = test::run(test::kCompare + " " + library + " --shape 1000x77x300");
    INFO(result.out);
    if (succeeds("nvidia-smi")) {
        CHECK(result.exit_code == 0);
        CHECK(contains(result.out, "cuda"));
        CHECK(contains(result.out, "1 ok"));
    } else {
        CHECK(result.exit_code == 6);
        // Why: no GPU answers, or this compare was built without CUDA, after another that was built with it.
        CHECK(contains(result.out, "plain_cuda (cuda): unsupported: "));
    }
}

TEST_CASE("make plugin builds somebody's own file into build/plugins, and compare takes it from there") {
    const test::TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "headers");
    std::filesystem::copy_file(SOURCE_DIRECTORY "/tests/foreign/plain.cu", directory / "headers/plain.h");
    std::ofstream(directory / "my_own_kernel.cu") << "#include HEADER\n";
    const auto built =
        test::run("make plugin FILE=" + (directory / "my_own_kernel.cu").string() + " FLAGS=\"-I " +
                  (directory / "headers").string() + " -DHEADER='<plain.h>'\" DEVICE=emulator BUILD=" + test::kBuild);
    INFO(built.out << built.err);
    CHECK(built.exit_code == 0);
    const std::string library = test::kBuild + "/plugins/my_own_kernel.so";
    CHECK(contains(built.out, "my_own_kernel.so"));
    const auto result = test::run(test::kCompare + " --filter my_own --device emulator --shape 77 --check-only");
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "my_own_kernel"));
    for (const char* suffix : {".ii", ".emulated.ii", ".emulated.o"}) {
        CHECK_FALSE(std::filesystem::exists(test::kBuild + "/plugins/my_own_kernel" + suffix));
    }
    for (const char* suffix : {".so", ".d"}) std::filesystem::remove(test::kBuild + "/plugins/my_own_kernel" + suffix);
}

TEST_CASE("make plugin says what is wrong with what it was given") {
    const auto error_of = [](const std::string& arguments) {
        const auto result = test::run("make plugin " + arguments + " BUILD=" + test::kBuild);
        CHECK(result.exit_code != 0);
        return result.err + result.out;
    };
    CHECK(contains(error_of(""), "make plugin FILE="));
    CHECK(contains(error_of("FILE=no_such_file.cu"), "no such file: no_such_file.cu"));
    CHECK(contains(error_of("FILE=Makefile"), ".cu or a .cpp"));
    CHECK(contains(error_of("FILE=tests/foreign/plain.cu DEVICE=tpu"), "DEVICE is cuda or emulator"));
}

TEST_CASE("make plugin of a file without extern C names the function that it found, and leaves no library") {
    const test::TemporaryDirectory directory;
    const auto error_of = [&](const std::string& file, const std::string& source) {
        std::ofstream(directory / file) << source;
        const auto result =
            test::run("make plugin FILE=" + (directory / file).string() + " DEVICE=emulator BUILD=" + test::kBuild);
        CHECK(result.exit_code != 0);
        CHECK_FALSE(contains(result.out, "judge it with"));
        return result.err;
    };
    const std::string body = "(const float*, const float*, float*, int, int, int) {}\n";
    for (const char* file : {"without_c.cu", "without_c.cpp"}) {
        const std::string error = error_of(file, "void solve" + body);
        INFO(error);
        CHECK(contains(
            error,
            "solve(float const*, float const*, float*, int, int, int), which the compiler calls _Z5solvePKfS0_Pfiii"));
        CHECK(contains(error, "write extern \"C\" void solve(const float *A"));
    }
    CHECK(contains(error_of("without_c.cpp", "namespace mine { void solve" + body + "}"), "mine::solve("));
    CHECK(
        contains(error_of("without_c.cpp", "extern \"C\" void solver" + body), "exports no `solve`: see abi/solve.h"));
    CHECK_FALSE(std::filesystem::exists(test::kBuild + "/plugins/without_c.so"));
    std::filesystem::remove(test::kBuild + "/plugins/without_c.d");
    for (const char* suffix : {".ii", ".emulated.ii", ".emulated.o"}) {
        CHECK_FALSE(std::filesystem::exists(test::kBuild + "/plugins/without_c" + suffix));
    }
}

TEST_CASE("what the emulator lacks is one line with the construct, its place and the next step") {
    const test::TemporaryDirectory directory;
    const auto error_of = [&](const std::string& source) {
        std::ofstream(directory / "lacking.cu") << source;
        const auto result = test::run("make plugin FILE=" + (directory / "lacking.cu").string() +
                                      " DEVICE=emulator BUILD=" + test::kBuild);
        CHECK(result.exit_code != 0);
        CHECK(contains(result.err, "lacking.cu cannot be emulated"));
        return result.err;
    };
    const std::string header = error_of("#include <cufft.h>\n#include <mine.h>\n");
    CHECK(contains(header, "the emulator has no <cufft.h>"));
    CHECK(contains(header, "lacking.cu:2:10: error: there is no header <mine.h>: if it is your own"));
    // Only what `solve` reaches counts: the second kernel is launched by nobody.
    const std::string reached = error_of(R"(#include <cublas_v2.h>
__global__ void k() { asm volatile("wgmma.fence.sync.aligned;"); }
__global__ void unused() { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(0)); }
extern "C" void solve(const float*, const float*, float*, int, int, int) {
    k<<<1, 1>>>();
    cublasSscal(nullptr, 1, nullptr, nullptr, 1);
}
)");
    INFO(reached);
    CHECK(contains(reached, "lacking.cu:2: error: the emulator does not know the inline PTX wgmma_fence_sync_aligned"));
    CHECK(contains(reached, "lacking.cu:6: error: the emulator has no cublasSscal"));
    CHECK_FALSE(contains(reached, "mbarrier"));
    for (const char* suffix : {".d", ".ii", ".emulated.ii", ".emulated.o"}) {
        std::filesystem::remove(test::kBuild + "/plugins/lacking" + suffix);
    }
}
