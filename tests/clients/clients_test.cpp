// Callers from other languages.
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

// How an example of abi/examples becomes a program, {} is its stem's path in a directory of its own; what it is called.
struct Language {
    const char* compiler;  // a program that must be there
    const char* extension;
    const char* build;
    const char* call;
};

constexpr Language kLanguages[] = {
    {"cc", ".c", "cc -std=c11 -Wall -Wextra -Werror abi/examples/multiply.c -ldl -o ", ""},
    {"c++", ".cpp", "c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror abi/examples/multiply.cpp -ldl -o ", ""},
    {"rustc", ".rs", "rustc -D warnings abi/examples/multiply.rs -o ", ""},
    {"gfortran", ".f90", "gfortran -std=f2008 -Wall abi/examples/multiply.f90 -ldl -o ", ""},
    {"julia", ".jl", "true ", "julia abi/examples/multiply.jl "},
};

}  // namespace

TEST_CASE("the examples of other languages multiply, and say what is wrong with a file that is no plugin") {
    const test::TemporaryDirectory directory;
    for (const Language& language : kLanguages) {
        if (test::run(std::string("command -v ") + language.compiler).exit_code != 0) {
            std::printf("SKIPPED: abi/examples/multiply%s: %s is not installed\n", language.extension,
                        language.compiler);
            continue;
        }
        INFO(language.extension);
        const std::string program = (directory / "multiply").string();
        const auto built = test::run(language.build + program);
        INFO(built.err);
        REQUIRE(built.exit_code == 0);
        const std::string call = *language.call ? language.call : program + " ";
        const auto result = test::run(call + test::kBuild + "/plugins/cpu/20_packed.so");
        INFO(result.err);
        CHECK(result.exit_code == 0);
        CHECK(std::regex_match(result.out, std::regex("4 5 ?\n10 11 ?\n")));
        const auto refused = test::run(call + (directory / "no.so").string());
        CHECK(refused.exit_code != 0);
        CHECK(refused.err != "");
    }
}

TEST_CASE("loader.hpp has every entry of a plugin, and its errors name the file and the cause") {
    const test::TemporaryDirectory directory;
    std::ofstream(directory / "program.cpp") << R"(#include "abi/loader.hpp"
#include <cstdio>
int main(int, char** argv) {
    using namespace sgemm_ladder;
    const Plugin packed(argv[1]);
    const float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1};
    float c[4] = {1, 1, 1, 1};
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 2, call.lda = call.ldb = call.ldc = 2;
    call.transpose_a = SOLVE_T, call.A = a, call.B = b, call.C = c, call.beta = 1;
    packed.gemm(call);
    std::printf("%g %g %g %g\n%s %d %d\n", c[0], c[1], c[2], c[3], packed.info()->name,
                packed.takes_device_pointers(), packed.has_chain());
    const auto told = [](auto body) {
        try {
            body();
        } catch (const Error& error) {
            std::printf("%d %s\n", error.code(), error.what());
        }
    };
    told([&] { packed.solve(nullptr, b, c, 2, 2, 2); });
    told([&] { call.ldc = 1, packed.gemm(call); });
    told([&] { packed.chain(a, b, a, c, 2, 2, 2, 2); });
    std::string why;
    const bool opened = Plugin::open("/no/such.so", why).has_value();
    std::printf("%d %s\n", opened, why.c_str());
    const Plugin chain(argv[2]);
    float e[4];
    chain.chain(a, b, b, e, 2, 2, 2, 2);
    std::printf("%g %g %g %g %d\n", e[0], e[1], e[2], e[3], chain.has_solve());
    solve_chain_t enqueued = solve_chain_one();
    enqueued.M = enqueued.N = enqueued.K = enqueued.L = 2;
    enqueued.lda = enqueued.ldb = enqueued.ldc = enqueued.lde = 2;
    enqueued.A = a, enqueued.B = b, enqueued.C = b, enqueued.E = e, enqueued.beta = 1;
    const Plugin dispatch(argv[4]);
    dispatch.chain(enqueued);
    std::printf("%g %g %d %d\n", e[0], e[3], dispatch.has_chain_enqueue(), chain.has_chain_enqueue());
    told([&] { enqueued.lde = 1, dispatch.chain(enqueued); });
    std::printf("%d\n", Plugin(argv[3]).takes_device_pointers());
})";
    const std::string program = (directory / "program").string();
    const auto built =
        test::run("c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I. " + program + ".cpp -ldl -o " + program);
    INFO(built.err);
    REQUIRE(built.exit_code == 0);
    const std::string packed = test::kBuild + "/plugins/cpu/20_packed.so";
    const auto result =
        test::run(program + " " + packed + " " + test::kBuild + "/plugins/emulator/10_chain_fused.so " + test::kBuild +
                  "/bad_plugins/control_correct.so " + test::kBuild + "/plugins/emulator/90_chain.so");
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.out == "2 4 3 5\n20_packed 0 0\n0 " + packed + ": null pointer: A\n1 " + packed +
                            ": ldc = 1 is less than the 2 columns in memory\n0 " + packed +
                            ": exports no solve_chain\n0 /no/such.so: cannot open shared object file: No such file or "
                            "directory\n1 2 3 4 0\n2 8 1 0\n1 " +
                            test::kBuild +
                            "/plugins/emulator/90_chain.so: lde = 1 is less than the 2 columns in memory\n0\n");
}

TEST_CASE("a Python program loads a CPU plugin and an emulated one through ctypes and multiplies") {
    const auto result =
        test::run("python3 tests/clients/ctypes_client.py " + test::kBuild + "/plugins/cpu/00_serial.so " +
                  test::kBuild + "/plugins/emulator/10_naive.so " + test::kBuild + "/bad_plugins/control_correct.so");
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("00_serial: ") != std::string::npos);
    CHECK(result.out.find("10_naive: ") != std::string::npos);
    CHECK(result.out.find("control_correct.so: right") != std::string::npos);  // has solve and nothing else
}
