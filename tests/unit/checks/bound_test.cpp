#include "host/checks/bound.h"

#include <cmath>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("rho may reach N up to 81, and 9 sqrt N from there") {
    CHECK(rho_bound(0) == 0);
    CHECK(rho_bound(1) == 1);
    CHECK(rho_bound(80) == 80);
    CHECK(rho_bound(81) == 81);
    CHECK(rho_bound(100) == Approx(90));
    CHECK(rho_bound(1024) == Approx(288));
    CHECK(rho_bound(2147483647) == Approx(9 * std::sqrt(2147483647.0)));
}

TEST_CASE("operands rounded to p bits add 2^(25-p) to the bound of rho, less where N errors average out") {
    CHECK(rho_bound(1024, SOLVE_ARITHMETIC_FP32_EMULATED) == rho_bound(1024));
    CHECK(rho_bound(1024, SOLVE_ARITHMETIC_TF32) == Approx(288 + 6144));
    CHECK(rho_bound(1024, SOLVE_ARITHMETIC_FP16) == rho_bound(1024, SOLVE_ARITHMETIC_TF32));
    CHECK(rho_bound(1024, SOLVE_ARITHMETIC_BF16) == Approx(288 + 8 * 6144));
    CHECK(rho_bound(1, SOLVE_ARITHMETIC_TF32) == 1 + 16384);
    CHECK(rho_bound(144, SOLVE_ARITHMETIC_TF32) == Approx(108 + 16384));
    CHECK(rho_bound(0, SOLVE_ARITHMETIC_BF16) == 0);
    CHECK(rho_bound(1024, 99) == rho_bound(1024));  // a claim that is unknown earns nothing
}

TEST_CASE("the term for rounded operands depends on how the products of the data spread") {
    const auto term = [](Data data, bool truncated) {
        return rho_bound(4096, SOLVE_ARITHMETIC_TF32, data, truncated) - rho_bound(4096);
    };
    CHECK(term(Data::uniform, false) == Approx(16384 * 12 / 64.0));
    CHECK(term(Data::positive, false) == term(Data::uniform, false));
    CHECK(term(Data::normal, false) == Approx(16384 * 9 * 1.5708 / 64));
    CHECK(term(Data::wide, false) == Approx(16384 * 9 * 5.53 / 64));
    CHECK(term(Data::uniform, true) == 2 * term(Data::uniform, false));
    CHECK(term(Data::positive, true) == 32768);  // truncation errors of positive products do not cancel
    for (const Data data : {Data::normal, Data::positive, Data::wide, Data::integers}) {
        CHECK(rho_bound(4096, SOLVE_ARITHMETIC_FP32, data, true) == rho_bound(4096));
    }
}

TEST_CASE("the spread of each distribution is that of its elements") {
    for (const std::string& name : data_names()) {
        CAPTURE(name);
        const Data data = parse_data(name);
        double sum = 0, squares = 0;
        constexpr int kCount = 200'000;
        for (int i = 0; i < kCount; ++i) {
            const double value = element({3, data}, i);
            sum += std::abs(value);
            squares += value * value;
        }
        // (rms |a| / mean |a|)^2, that of a product of two independent elements
        const double spread = squares / kCount / std::pow(sum / kCount, 2);
        const double term = rho_bound(1 << 20, SOLVE_ARITHMETIC_TF32, data) - rho_bound(1 << 20);
        CHECK(term == Approx(16384 * 9 * spread / 1024).epsilon(0.03));
    }
}
