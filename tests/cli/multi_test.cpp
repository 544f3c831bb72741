// A plugin of plugins/multi whose library is missing: what it says, and what compare makes of it.
#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;

const std::string kEmulated = kBuild + "/plugins/emulator/05_cublasmp.so";
const std::string kNextStep =
    "; python3 -m pip install nvidia-cublasmp-cu13, or SOLVE_CUBLASMP=folder of libcublasmp.so.0";

// What 05 as nvcc builds it says where cuBLASMp is in this folder and does not work. It asks before it asks for a GPU.
std::string said_of(const std::filesystem::path& folder) {
    const auto result = test::run("SOLVE_CUBLASMP='" + folder.string() +
                                  "' python3 -c 'import ctypes, sys\n"
                                  "library = ctypes.CDLL(sys.argv[1])\n"
                                  "library.solve_last_error.restype = ctypes.c_char_p\n"
                                  "one = (ctypes.c_float * 1)(1)\n"
                                  "library.solve(one, one, one, 1, 1, 1)\n"
                                  "print(library.solve_last_error().decode(), end=str())' " +
                                  kBuild + "/plugins/cuda/05_cublasmp.so");
    return result.out + result.err;
}

// A library for CUDA 12 or 13 that says that it is cuBLASMp of this version, and has nothing else.
void build_library(const std::filesystem::path& folder, int version, int cuda) {
    std::ofstream(folder / "library.cpp")
        << "extern \"C\" int cublasMpGetVersion(int* version) { return *version = " << version << ", 0; }\n"
        << "extern \"C\" int cublasGetProperty(int, int* major) { return *major = " << cuda << ", 0; }\n";
    const auto built = test::run("c++ -shared -fPIC -o '" + (folder / "libcublasmp.so.0").string() + "' '" +
                                 (folder / "library.cpp").string() + "'");
    REQUIRE(built.exit_code == 0);
}

}  // namespace

TEST_CASE("without cuBLASMp its plugin is unsupported, with what is missing and what to do, and no failure") {
    const std::string variable = "EMULATOR_NO_CUBLASMP=1 ";
    const auto alone = test::run(variable + kCompare + " " + kEmulated + " --shape 40x50x60");
    CHECK(alone.exit_code == 6);
    CHECK(contains(alone.out,
                   "- 05_cublasmp (emulator) at 40x50x60: unsupported: no cuBLASMp: libcublasmp.so.0 is not "
                   "there" +
                       kNextStep));
    CHECK(contains(alone.out, "1 unsupported"));
    const auto beside = test::run(variable + kCompare + " " + kEmulated + " " + kBuild +
                                  "/plugins/emulator/10_rows.so --shape 40x50x60 --check-only");
    CHECK(beside.exit_code == 0);
    CHECK(contains(beside.out, "1 ok, 1 unsupported"));
    const auto entry = test::run(variable + kCompare + " " + kEmulated + " --op gemm:TN --shape 40x50x60");
    CHECK(entry.exit_code == 6);
    CHECK(contains(entry.out, "unsupported: no cuBLASMp"));
}

TEST_CASE("a plugin that refuses some sizes by solve_gemm is not unsupported: solve may refuse none") {
    const test::TemporaryDirectory folder;
    std::ofstream(folder / "some_sizes.cpp")
        << "#include \"abi/solve.h\"\n"
           "extern \"C\" void solve(const float* A, const float* B, float* C, int M, int N, int K) {\n"
           "    if (M == 1 && N == 1 && K == 1) *C = *A * *B;\n"
           "}\n"
           "extern \"C\" int solve_gemm(const solve_gemm_t* call) {\n"
           "    if (call->M != 1 || call->N != 1 || call->K != 1) return SOLVE_UNSUPPORTED;\n"
           "    return *call->C = *call->A * *call->B, SOLVE_OK;\n"
           "}\n";
    const std::string library = (folder / "some_sizes.so").string();
    REQUIRE(test::run("c++ -I. -shared -fPIC -o '" + library + "' '" + (folder / "some_sizes.cpp").string() + "'")
                .exit_code == 0);
    const auto result = test::run(kCompare + " '" + library + "' --shape 40x50x60 --check-only");
    CHECK(result.exit_code == 2);
    CHECK(contains(result.out, "not-written"));
}

TEST_CASE("a cuBLASMp that is absent, too old, or for another CUDA is said to be", "[heavy]") {
    if (!std::filesystem::exists(kBuild + "/plugins/cuda/05_cublasmp.so")) {
        std::printf("SKIPPED: 05_cublasmp's search for its library: no nvcc here\n");
        return;
    }
    const test::TemporaryDirectory folder;
    const std::string library = (folder / "libcublasmp.so.0").string();
    CHECK(said_of(folder.path()) ==
          "no cuBLASMp: " + library + ": cannot open shared object file: No such file or directory" + kNextStep);
    build_library(folder.path(), 701, 13);
    CHECK(said_of(folder.path()) ==
          "no cuBLASMp: version 0.7.1 is installed, and 0.10 or a later 0.x is needed" + kNextStep);
    build_library(folder.path(), 1000, 12);
    CHECK(said_of(folder.path()) ==
          "no cuBLASMp: the one that is installed is for CUDA 12, and CUDA 13 is needed" + kNextStep);
    build_library(folder.path(), 1000, 13);
    CHECK(said_of(folder.path()) == "no cuBLASMp: libcublasmp.so.0 lacks functions that are called" + kNextStep);
}
