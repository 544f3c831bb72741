#include "host/checks/bound.h"

#include <cmath>

#include "tests/catch.h"

using namespace judge;

namespace {

// What every sum of N terms is held to, and all that several narrower products in place of one are.
double of_any_sum(int N) {
    return rho_bound(N, SOLVE_ARITHMETIC_FP32_EMULATED);
}

}  // namespace

TEST_CASE("rho may reach N up to 81, and 9 sqrt N from there") {
    CHECK(of_any_sum(0) == 0);
    CHECK(of_any_sum(1) == 1);
    CHECK(of_any_sum(80) == 80);
    CHECK(of_any_sum(81) == 81);
    CHECK(of_any_sum(100) == Approx(90));
    CHECK(of_any_sum(1024) == Approx(288));
    CHECK(of_any_sum(2147483647) == Approx(9 * std::sqrt(2147483647.0)));
}

TEST_CASE("FP32 is held to 40 times a sequential sum's typical error too") {
    CHECK(rho_bound(17) == 17);
    CHECK(rho_bound(18) == Approx(40 * 0.43));
    CHECK(rho_bound(1 << 24) == rho_bound(18));
    CHECK(rho_bound(1 << 20, SOLVE_ARITHMETIC_FP32, Data::wide) == Approx(66));
    CHECK(rho_bound(1 << 20, SOLVE_ARITHMETIC_FP32, Data::positive) == Approx(9 * 1024));
    CHECK(rho_bound(64, SOLVE_ARITHMETIC_FP32, Data::wide, true) == 64);
}

TEST_CASE("integers are exact: off by less than one unit, whatever the arithmetic") {
    for (const int N : {1, 100, 1 << 20, 3'000'000, 10'000'000}) {
        CAPTURE(N);
        const double magnitude = (N < 1 << 20 ? 16.0 : 400.0 / 81 * 1.02) * N;  // the most, and what is left of it
        const double bound = rho_bound(N, SOLVE_ARITHMETIC_BF16, Data::integers, true);
        CHECK(bound * magnitude * 0x1p-24 <= 1);
        CHECK(bound == rho_bound(N, SOLVE_ARITHMETIC_FP32, Data::integers));
    }
    CHECK(rho_bound(0, SOLVE_ARITHMETIC_FP32, Data::integers) == 0);
}

TEST_CASE("a chain is held to the bounds of two sums of any terms") {
    CHECK(chain_rho_bound(1024, 64, SOLVE_ARITHMETIC_FP32, Data::uniform, false) == Approx(288 + 64));
    CHECK(chain_rho_bound(1024, 64, SOLVE_ARITHMETIC_FP32, Data::integers, false) == Approx(288 + 64));
    CHECK(chain_rho_bound(1024, 64, SOLVE_ARITHMETIC_TF32, Data::uniform, false) ==
          Approx(rho_bound(1024, SOLVE_ARITHMETIC_TF32) + rho_bound(64, SOLVE_ARITHMETIC_TF32)));
}

TEST_CASE("a sequential sum's typical error is what it is said to be") {
    for (const Data data : {Data::uniform, Data::normal, Data::positive, Data::wide, Data::wide20, Data::wide40,
                            Data::uneven, Data::tiny, Data::huge}) {
        const auto a = judge::random_a(5, data, 1'000'000), b = judge::random_b(6, data, 1);
        for (const int N : {1, 16, 1000}) {
            double squares = 0;
            constexpr int kSums = 1000;
            for (int i = 0; i < kSums; ++i) {
                double exact = 0, magnitude = 0;
                float sum = 0;
                for (int n = 0; n < N; ++n) {
                    const double product = double(element(a, i * N + n)) * element(b, i * N + n);
                    exact += product;
                    magnitude += std::abs(product);
                    sum = float(product + sum);
                }
                if (magnitude > 0) squares += std::pow((sum - exact) / magnitude * 0x1p24, 2) / kSums;
            }
            CAPTURE(to_string(data), N);
            CHECK(std::sqrt(squares) < 1.1 * typical_rho(N, data));
            if (N > 16 && data != Data::wide20 && data != Data::wide40)
                CHECK(std::sqrt(squares) > 0.8 * typical_rho(N, data));
        }
    }
}

TEST_CASE("operands rounded to p bits add 2^(25-p) to the bound of rho, less where N errors average out") {
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
        return rho_bound(4096, SOLVE_ARITHMETIC_TF32, data, truncated) - of_any_sum(4096);
    };
    CHECK(term(Data::uniform, false) == Approx(16384 * 12 / 64.0));
    CHECK(term(Data::positive, false) == term(Data::uniform, false));
    CHECK(term(Data::normal, false) == Approx(16384 * 9 * 1.5708 / 64));
    CHECK(term(Data::wide, false) == Approx(16384 * 9 * 5.53 / 64));
    CHECK(term(Data::uniform, true) == 2 * term(Data::uniform, false));
    CHECK(term(Data::positive, true) == 32768);  // truncation errors of positive products do not cancel
    for (const Data data : {Data::normal, Data::positive, Data::wide}) {
        CHECK(rho_bound(4096, SOLVE_ARITHMETIC_FP32_EMULATED, data, true) == of_any_sum(4096));
    }
}

TEST_CASE("the spread of each distribution is that of its elements") {
    for (const std::string& name : data_names()) {
        CAPTURE(name);
        const Data data = parse_data(name);
        double sum = 0, squares = 0;
        constexpr int kCount = 500'000;
        const auto row = judge::random_a(3, data, kCount);
        for (int i = 0; i < kCount; ++i) {
            const double value = element(row, i);
            sum += std::abs(value);
            squares += value * value;
        }
        // (rms |a| / mean |a|)^2, that of a product of two independent elements
        const double spread = squares / kCount / std::pow(sum / kCount, 2);
        if (data == Data::integers) continue;  // which no rounding changes
        const double term = rho_bound(1 << 20, SOLVE_ARITHMETIC_TF32, data) - of_any_sum(1 << 20);
        CHECK(term == Approx(16384 * 9 * spread / 1024).epsilon(0.03));
    }
}
