// libsgemm_ladder.so.1: a program in C that is linked with it.
#include <regex>
#include <set>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;

const std::string kLibrary = test::kBuild + "/lib/libsgemm_ladder.so.1";
const std::string kPacked = test::kBuild + "/plugins/cpu/20_packed.so";

// Each word of the command line is a step, which prints its code and what came of it.
constexpr const char* kProgram = R"(#include <math.h>
#include <stdio.h>
#include <string.h>

#include "abi/sgemm_ladder.h"

static const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1};
static float c[4], e[4];

static int step(const char* name) {
    const float nan[4] = {NAN, NAN, NAN, NAN};
    struct {
        solve_chain_t chain;
        uint64_t field;
    } later = {solve_chain_one(), 1};
    solve_chain_t chain = solve_chain_one();
    solve_gemm_t call = solve_gemm_one();
    later.chain.size = sizeof later;
    call.M = 2, call.N = 2, call.K = 2, call.A = a, call.B = b, call.C = c;
    call.lda = call.ldb = call.ldc = 2;
    if (!strcmp(name, "host")) return sgemm_ladder_use(SOLVE_MEMORY_HOST);
    if (!strcmp(name, "device")) return sgemm_ladder_use(SOLVE_MEMORY_DEVICE);
    if (!strcmp(name, "nowhere")) return sgemm_ladder_use(7);
    if (!strcmp(name, "solve")) return sgemm_ladder_solve(a, b, c, 2, 3, 2);
    if (!strcmp(name, "null")) return sgemm_ladder_solve(0, b, c, 2, 3, 2);
    if (!strcmp(name, "negative")) return sgemm_ladder_chain(a, b, c, e, 2, -1, 2, 2);
    if (!strcmp(name, "enqueue")) return sgemm_ladder_enqueue(a, 3, b, 2, c, 2, 2, 3, 2, 1, 0, 0);
    if (!strcmp(name, "twice")) return sgemm_ladder_enqueue(a, 3, b, 2, c, 2, 2, 3, 2, 2, 0, 0);
    if (!strcmp(name, "short")) return sgemm_ladder_enqueue(a, 1, b, 2, c, 2, 2, 3, 2, 1, 0, 0);
    if (!strcmp(name, "gemm")) return call.transpose_a = SOLVE_T, sgemm_ladder_gemm(&call);
    if (!strcmp(name, "no_call")) return sgemm_ladder_gemm(0);
    if (!strcmp(name, "chain")) return sgemm_ladder_chain(a, b, a, c, 2, 3, 2, 2);
    chain.M = 2, chain.N = 3, chain.K = 2, chain.L = 2, chain.A = a, chain.B = b, chain.C = a, chain.E = c;
    chain.lda = 3, chain.ldb = chain.ldc = chain.lde = 2;
    if (!strcmp(name, "chain_enqueue")) {
        c[0] = 1000;
        chain.alpha = 2, chain.beta = 1;
        return sgemm_ladder_chain_enqueue(&chain);
    }
    if (!strcmp(name, "chain_of_none")) {
        c[3] = 7;
        chain.N = 0, chain.beta = 2, chain.C = nan;
        return sgemm_ladder_chain_enqueue(&chain);
    }
    if (!strcmp(name, "chain_short")) return chain.ldc = 1, sgemm_ladder_chain_enqueue(&chain);
    if (!strcmp(name, "chain_later")) return sgemm_ladder_chain_enqueue(&later.chain);
    if (!strcmp(name, "chain_right")) return sgemm_ladder_chain(a, b, a, c, 3, 2, 3, 1);
    return -1;
}

int main(int argc, char** argv) {
    int i;
    for (i = 1; i < argc; ++i) {
        int code;
        memset(c, 0, sizeof c);
        code = step(argv[i]);
        if (code == SOLVE_OK && sgemm_ladder_last_error()) return 1;
        printf("%s %d %g %g %g %g %s\n", argv[i], code, c[0], c[1], c[2], c[3], code ? sgemm_ladder_last_error() : "");
    }
    printf("%s %s\n", sgemm_ladder_path() ? sgemm_ladder_path() : "none",
           sgemm_ladder_info() ? sgemm_ladder_info()->name : "unnamed");
    return 0;
})";

// The program, linked with the library, in a folder that has a copy of it and no plugins; and a driver that has as
// many GPUs as GPUS says.
class Linked {
  public:
    Linked() {
        for (const char* folder : {"lib", "driver"}) fs::create_directories(directory_ / folder);
        fs::copy_file(kLibrary, directory_ / "lib/libsgemm_ladder.so.1");
        std::ofstream(directory_ / "program.c") << kProgram;
        std::ofstream(directory_ / "driver.c")
            << "#include <stdlib.h>\nint cuInit(unsigned flags) { return flags != 0; }\n"
               "int cuDeviceGetCount(int* n) { *n = atoi(getenv(\"GPUS\")); return 0; }\n";
        const std::string here = directory_.path().string() + "/";
        const auto built =
            test::run("cc -std=c11 -Wall -Wextra -pedantic -Werror -I. " + here + "program.c -o " + here + "program " +
                      kLibrary + " && cc -shared -fPIC " + here + "driver.c -o " + here + "driver/libcuda.so.1");
        INFO(built.err);
        REQUIRE(built.exit_code == 0);
    }

    const fs::path& folder() const { return directory_.path(); }

    // What it prints, by the library in `library`.
    std::string run(const std::string& steps, const std::string& environment, const std::string& library,
                    int gpus = 0) const {
        const auto result =
            test::run("unset SGEMM_LADDER_PATH SGEMM_LADDER_ENGINE; export GPUS=" + std::to_string(gpus) +
                      " LD_LIBRARY_PATH=" + (folder() / "driver:").string() + library + "; env " + environment + " " +
                      (folder() / "program ").string() + steps);
        INFO(result.err);
        CHECK(result.exit_code == 0);
        return result.out;
    }

  private:
    test::TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("the library to link with has its own name, and the functions of its header under its version") {
    const auto named = test::run("readelf -d " + kLibrary);
    CHECK(named.out.find("Library soname: [libsgemm_ladder.so.1]") != std::string::npos);
    CHECK(named.out.find("libstdc++") == std::string::npos);
    const auto symbols = test::run("nm -D --defined-only --with-symbol-versions " + kLibrary + " | awk '{ print $3 }'");
    const std::string header = test::read_file(SOURCE_DIRECTORY "/abi/sgemm_ladder.h");
    std::set<std::string> expected{"SGEMM_LADDER_1"};
    const std::regex declaration("SOLVE_API [^(]*?(sgemm_ladder_[a-z_]+)\\(");
    for (std::sregex_iterator each(header.begin(), header.end(), declaration), end; each != end; ++each) {
        expected.insert((*each)[1].str() + "@@SGEMM_LADDER_1");
    }
    CHECK(expected.size() == 10);
    std::set<std::string> found;
    std::istringstream lines(symbols.out);
    for (std::string line; lines >> line;)
        found.insert(std::regex_replace(line, std::regex("^(SGEMM_LADDER_1)@.*"), "$1"));
    CHECK(found == expected);
}

TEST_CASE("a linked program multiplies by the best plugin there is, and its errors have a code and a text") {
    const Linked linked;
    const std::string lib = test::kBuild + "/lib", packed = lib + "/../plugins/cpu/20_packed.so";
    CHECK(linked.run("host solve enqueue twice gemm chain chain_right chain_enqueue chain_of_none", "", lib) ==
          "host 0 0 0 0 0 \nsolve 0 4 5 10 11 \nenqueue 0 4 5 10 11 \ntwice 0 8 10 20 22 \ngemm 0 1 3 2 4 \n"
          "chain 0 19 28 43 64 \nchain_right 0 13 27 41 0 \n"
          "chain_enqueue 0 1038 56 86 128 \nchain_of_none 0 0 0 0 14 \n" +
              packed + " 20_packed\n");
    CHECK(linked.run("host chain_short chain_later", "", lib) ==
          "host 0 0 0 0 0 \nchain_short 1 0 0 0 0 ldc = 1 is less than the 2 columns\n"
          "chain_later 2 0 0 0 0 the call has a field that this library does not know\n" +
              packed + " 20_packed\n");
    CHECK(linked.run("host null negative short no_call nowhere", "", lib) ==
          "host 0 0 0 0 0 \nnull 1 0 0 0 0 null pointer: A\nnegative 1 0 0 0 0 a negative size\nshort 1 0 0 0 0 " +
              packed + ": lda = 1 is less than the 3 columns in memory\nno_call 1 0 0 0 0 null pointer: call\n" +
              "nowhere 1 0 0 0 0 memory 7 is none of enum solve_memory\n" + packed + " 20_packed\n");
    // A library that has solve alone does what that can.
    const std::string plain = test::kBuild + "/bad_plugins/control_correct.so";
    CHECK(linked.run("solve enqueue twice null", "SGEMM_LADDER_ENGINE=" + plain, lib) ==
          "solve 0 4 5 10 11 \nenqueue 0 4 5 10 11 \ntwice 2 0 0 0 0 " + plain +
              ": exports no solve_gemm, and solve does not do this call\nnull 1 0 0 0 0 null pointer: A\n" + plain +
              " unnamed\n");
    CHECK(linked.run("device", "SGEMM_LADDER_ENGINE=" + plain, lib)
              .find("device 2 0 0 0 0 " + plain + ": its matrices are in ordinary memory, not in the other\n") == 0);
}

TEST_CASE("where there is no plugin the folders are named where none was; one for the GPU is taken if there is a GPU") {
    const Linked linked;
    const std::string lib = (linked.folder() / "lib").string(), mine = (linked.folder() / "mine").string();
    const auto places = [&](const std::string& device) {
        return mine + ", " + mine + "/" + device + ", " + lib + "/sgemm-ladder/" + device + ", " + lib +
               "/../plugins/" + device;
    };
    const std::string path = "SGEMM_LADDER_PATH=:" + mine;
    const std::string none = "no 20_packed.so in " + places("cpu") + "; no 90_openblas.so in " + places("cpu") +
                             "; no 90_dispatch.so in " + places("emulator") +
                             ": SGEMM_LADDER_PATH adds folders, SGEMM_LADDER_ENGINE names a file\n";
    CHECK(linked.run("solve host", path, lib) ==
          "solve 2 0 0 0 0 " + none + "host 2 0 0 0 0 " + none + "none unnamed\n");
    CHECK(linked.run("device", path, lib, 1) ==
          "device 2 0 0 0 0 no 90_dispatch.so in " + places("cuda") +
              ": SGEMM_LADDER_PATH adds folders, SGEMM_LADDER_ENGINE names a file\nnone unnamed\n");

    fs::create_directories(mine + "/cuda");
    fs::create_symlink(kPacked, mine + "/20_packed.so");
    CHECK(linked.run("solve", path, lib, 1) == "solve 0 4 5 10 11 \n" + mine + "/20_packed.so 20_packed\n");
    fs::create_symlink(kPacked, mine + "/cuda/90_dispatch.so");
    CHECK(linked.run("solve", path, lib, 1) == "solve 0 4 5 10 11 \n" + mine + "/cuda/90_dispatch.so 20_packed\n");
    CHECK(linked.run("solve", path, lib, 0) == "solve 0 4 5 10 11 \n" + mine + "/20_packed.so 20_packed\n");
    CHECK(linked.run("host", path, lib, 1) == "host 0 0 0 0 0 \n" + mine + "/20_packed.so 20_packed\n");
}
