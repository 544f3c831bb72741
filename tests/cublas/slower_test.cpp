// What slower.h says of calls that it was not learned of, as a survey measured them.
#include "../../abi/cublas/slower.cpp"

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/catch.h"

namespace {

struct Surveyed {
    solve_gemm_t call;
    bool is_slower;
};

// As the survey lays them out: aligned, with rows as long as they are, or all of it by one number off.
Surveyed read_line(const std::string& line) {
    std::istringstream text(line);
    std::string form, rows;
    char x = 0;
    double far_end = 0;
    solve_gemm_t call = solve_gemm_one();
    call.accuracy = SOLVE_ARITHMETIC_FP32;
    text >> call.M >> x >> call.N >> x >> call.K >> form >> rows >> far_end;
    REQUIRE(text);
    call.transpose_a = form[0] == 'T' ? SOLVE_T : SOLVE_N;
    call.transpose_b = form[1] == 'T' ? SOLVE_T : SOLVE_N;
    const int off = rows == "odd";
    static float memory[8];
    call.A = call.B = memory + 4 - reinterpret_cast<uintptr_t>(memory) / 4 % 4 + off;
    call.lda = (form[0] == 'T' ? call.M : call.N) | off, call.ldb = (form[1] == 'T' ? call.N : call.K) | off;
    return {call, far_end < 1};
}

std::vector<Surveyed> read_survey() {
    std::ifstream file("tests/cublas/survey.tsv");
    REQUIRE(file);
    std::vector<Surveyed> found;
    for (std::string line; std::getline(file, line);) {
        if (line[0] != '#') found.push_back(read_line(line));
    }
    return found;
}

}  // namespace

TEST_CASE("it is right for 95 % of the calls of ten seeds, and says no more than slower.py check does") {
    int right = 0, said = 0, found = 0;
    const std::vector<Surveyed> all = read_survey();
    for (const Surveyed& each : all) {
        const bool says = drop_in::says_slower(each.call);
        right += says == each.is_slower, said += says, found += says && each.is_slower;
    }
    CHECK(all.size() == 3000);
    CHECK(right >= 0.95 * all.size());
    CHECK(said == 8);  // as in tests/structure/slower_test.py
    CHECK(found == 3);
}

TEST_CASE("of a batch, of other accuracies and of sizes that it was not learned of it says nothing") {
    for (const Surveyed& each : read_survey()) {
        if (!drop_in::says_slower(each.call)) continue;
        solve_gemm_t call = each.call;
        call.batch = 2;
        CHECK_FALSE(drop_in::says_slower(call));
        call.batch = 1, call.accuracy = SOLVE_ARITHMETIC_FP32_EMULATED;
        CHECK_FALSE(drop_in::says_slower(call));
        call.accuracy = each.call.accuracy, call.N = 8193;
        CHECK_FALSE(drop_in::says_slower(call));
    }
}

TEST_CASE("a cached answer is that of the trees, whichever calls came before") {
    const std::vector<Surveyed> all = read_survey();
    size_t alike = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        for (const size_t which : {i, i / 2, i - i % 7}) {
            const solve_gemm_t& call = all[which].call;
            alike += drop_in::says_slower(call) == drop_in::trees_say_slower(drop_in::asked_of(call));
        }
    }
    CHECK(alike == 3 * all.size());
}
