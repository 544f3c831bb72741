// abi/solve.h and abi/sgemm_ladder.h are C and C++ of every standard they promise, without a warning.
#include "tests/catch.h"
#include "tests/process.h"

TEST_CASE("the headers compile as C11 and as C++11 to C++20 with -Wall -Wextra -pedantic -Werror") {
    for (const char* language : {"-x c -std=c11", "-x c -std=c17", "-x c++ -std=c++11", "-x c++ -std=c++14",
                                 "-x c++ -std=c++17", "-x c++ -std=c++20"}) {
        const auto result =
            test::run(std::string("echo '#include \"abi/sgemm_ladder.h\"\nint main(void) { return 0; }' | ") +
                      "${CXX:-g++} " + language + " -Wall -Wextra -pedantic -Werror -I. -fsyntax-only -");
        INFO(language << ": " << result.err);
        CHECK(result.exit_code == 0);
    }
}

TEST_CASE("a C program can name everything in solve.h") {
    const auto result = test::run(R"(echo '
#include "abi/solve.h"
const solve_info_t *solve_info(void) {
    static const solve_info_t info = {sizeof(solve_info_t), SOLVE_ABI_VERSION, "x", "y", "z", SOLVE_MEMORY_HOST,
                                      SOLVE_ARITHMETIC_FP32, 0,
                                      SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE | SOLVE_ENTRY_CHAIN | SOLVE_ENTRY_GEMM |
                                          SOLVE_ENTRY_CHAIN_ENQUEUE,
                                      SOLVE_FLAG_BASELINE | SOLVE_FLAG_EMULATED};
    return &info;
}
int solve_gemm(const solve_gemm_t *call) {
    return call->transpose_a == SOLVE_T || call->bias_kind == SOLVE_BIAS_OF_ROWS ? SOLVE_UNSUPPORTED : SOLVE_OK;
}
int solve_chain_enqueue(const solve_chain_t *call) { return call->L < 0 ? SOLVE_INVALID_ARGUMENT : SOLVE_OK; }
int main(void) {
    solve_gemm_t call = solve_gemm_one();
    solve_chain_t chain = solve_chain_one();
    if (chain.alpha != 1.0f || chain.beta != 0.0f || chain.E || chain.size != sizeof(chain)) return 1;
    if (solve_chain_enqueue(&chain) != SOLVE_OK) return 1;
    return call.alpha == 1.0f && call.batch == 1 && !call.C_array && call.size == sizeof(call) ? solve_gemm(&call) : 1;
}' | gcc -x c -std=c11 -Wall -Wextra -pedantic -Werror -I. -o /dev/null -)");
    INFO(result.err);
    CHECK(result.exit_code == 0);
}
