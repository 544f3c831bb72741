#include "host/checks/problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>

#include "host/checks/bound.h"
#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/checks/solves.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

TEST_CASE("a right product is ok, at any shape and misalignment") {
    for (const Shape& shape : {kShape, Shape{1, 1, 1}, Shape{1, 300, 2}, Shape{64, 1, 64}, Shape{33, 65, 129}}) {
        for (const int misalignment : {0, 1, 3, 63}) {
            CAPTURE(to_string(shape), misalignment);
            const Verdict verdict = verdict_on(shape, right(shape), misalignment);
            CAPTURE(verdict.message);
            CHECK(verdict.status == Status::ok);
            CHECK(verdict.message.empty());
            CHECK(verdict.comparison.compared == uint64_t(shape.c_elements()));
            CHECK(verdict.rho_bound == rho_bound(shape.N));
            CHECK(verdict.comparison.rho <= verdict.rho_bound);
            CHECK(verdict.unwritten == 0);
            CHECK(!verdict.sampled);
        }
    }
}

TEST_CASE("pointers are exactly as misaligned as was asked") {
    const auto device = make_host_device();
    for (const int misalignment : {0, 1, 2, 3, 4, 63}) {
        const Problem problem(*device, kShape, 1, misalignment);
        for (const float* matrix : {problem.A(), problem.B(), static_cast<const float*>(problem.C())}) {
            CAPTURE(misalignment);
            CHECK(reinterpret_cast<uintptr_t>(matrix) % 16 == 4u * unsigned(misalignment % 4));
        }
    }
}

TEST_CASE("A and B hold different numbers, the same for the same seed, others for another") {
    const auto device = make_host_device();
    const Shape shape{20, 20, 20};
    const Problem one(*device, shape, 1), same(*device, shape, 1, 5), other(*device, shape, 2);
    CHECK(std::equal(one.A(), one.A() + 400, same.A()));
    CHECK(std::equal(one.B(), one.B() + 400, same.B()));
    CHECK(!std::equal(one.A(), one.A() + 400, one.B()));
    CHECK(!std::equal(one.A(), one.A() + 400, other.A()));
    CHECK(!std::equal(one.B(), one.B() + 400, other.B()));
}

TEST_CASE("C holds NaN when the plugin is called") {
    uint64_t numbers = 0;
    verdict_on(kShape, [&](const float* A, const float* B, float* C) {
        for (int64_t i = 0; i < kShape.c_elements(); ++i) numbers += !std::isnan(C[i]);
        multiply(A, B, C, kShape);
        return std::string();
    });
    CHECK(numbers == 0);
}

TEST_CASE("a plugin that writes nothing is told so, with the count") {
    const Verdict verdict = verdict_on(kShape, [](const float*, const float*, float*) { return std::string(); });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == 143);
    CHECK(contains(verdict.message, "143 of 143 elements of C not written"));
    CHECK(contains(verdict.message, "launch fail?"));
}

TEST_CASE("a plugin that writes nothing is told so where the product is zero everywhere, too") {
    const auto device = make_host_device();
    for (uint64_t seed = 0;; ++seed) {
        Problem problem(*device, {3, 1, 1}, seed, 0, Data::integers);
        if (*problem.B() != 0) continue;
        const Verdict verdict = problem.judge([](const float*, const float*, float*) { return std::string(); });
        CHECK(verdict.status == Status::not_written);
        break;
    }
}

TEST_CASE("a plugin that writes nothing and reports an error is quoted") {
    const Verdict verdict =
        verdict_on(kShape, [](const float*, const float*, float*) { return std::string("invalid device function"); });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(contains(verdict.message, "the plugin says: invalid device function"));
    CHECK(!contains(verdict.message, "launch fail?"));
}

TEST_CASE("a launch that failed explains what was not written, or is wrong, and nothing else") {
    const std::string failure = "launch of gemm failed: invalid argument, grid 1, block 2048";
    const auto message_of = [&](const Solve& also, const CallErrors& errors) {
        const Verdict verdict =
            Problem(*make_host_device(), kShape, 5).judge([&](const float* A, const float* B, float* C) {
                also(A, B, C);
                return errors;
            });
        return to_string(verdict.status) + ": " + verdict.message;
    };
    const Solve nothing = [](auto...) { return std::string(); };
    const Solve off_by_one = right_and(kShape, [](float*, float*, float* C) { C[0] += 1; });
    CHECK(message_of(nothing, {{}, failure}) == "not-written: 143 of 143 elements of C not written; " + failure);
    CHECK(message_of(nothing, {"no luck", failure}) ==
          "not-written: 143 of 143 elements of C not written; the plugin says: no luck; " + failure);
    CHECK(message_of(nothing, {{}, ""}) == "not-written: 143 of 143 elements of C not written");  // all were launched
    CHECK(message_of(off_by_one, {{}, failure}).ends_with("; " + failure));
    CHECK(message_of(off_by_one, {{}, ""}).starts_with("wrong: "));
    CHECK(message_of(right(kShape), {{}, failure}) == "ok: ");  // it took another way
}

TEST_CASE("a plugin that skips the last row leaves one row unwritten") {
    const Shape short_of_one{kShape.M - 1, kShape.N, kShape.K};
    const Verdict verdict = verdict_on(kShape, right(short_of_one));
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == uint64_t(kShape.K));
    CHECK(contains(verdict.message, "11 of 143 elements of C not written"));
    CHECK(!contains(verdict.message, "launch fail?"));
}

TEST_CASE("one float written outside any matrix is out-of-bounds, and the message says where") {
    const auto write = [](float* at) { *at = 1.0f; };
    for (const int misalignment : {0, 1}) {
        CAPTURE(misalignment);
        const auto verdict_after = [&](const std::function<void(float*, float*, float*)>& also) {
            const Verdict verdict = verdict_on(kShape, right_and(kShape, also), misalignment);
            CHECK(verdict.status == Status::out_of_bounds);
            return verdict.message;
        };
        CHECK(contains(verdict_after([&](float*, float*, float* C) { write(C + kShape.c_elements()); }),
                       "matrices: 1 float around C"));
        CHECK(contains(verdict_after([&](float*, float*, float* C) { write(C - 1); }), "matrices: 1 float around C"));
        CHECK(contains(verdict_after([&](float*, float*, float* C) { write(C + kShape.c_elements() + 1023); }),
                       "1 float around C"));
        CHECK(contains(verdict_after([&](float* A, float*, float*) { write(A + kShape.a_elements()); }),
                       "matrices: 1 float around A"));
        CHECK(contains(verdict_after([&](float*, float* B, float*) { write(B - 1024); }), "1 float around B"));
    }
}

TEST_CASE("a plugin that changes an input is told which, though its C is right") {
    const Verdict of_a = verdict_on(kShape, right_and(kShape, [](float* A, float*, float*) { A[16] = 2.0f; }));
    CHECK(of_a.status == Status::input_modified);
    CHECK(contains(of_a.message, "inputs: 1 element of A"));
    const Verdict of_b = verdict_on(kShape, right_and(kShape, [](float*, float* B, float*) { B[0] = B[186] = 2.0f; }));
    CHECK(of_b.status == Status::input_modified);
    CHECK(contains(of_b.message, "inputs: 2 elements of B"));
}

TEST_CASE("inputs changed and then multiplied do not make a consistent wrong product right") {
    const Verdict verdict = verdict_on(kShape, [](const float* A, const float* B, float* C) {
        std::fill_n(const_cast<float*>(A), kShape.a_elements(), 0.0f);
        multiply(A, B, C, kShape);
        return std::string();
    });
    CHECK(verdict.status == Status::input_modified);
}

TEST_CASE("C += A * B is told that it reads C") {
    const Verdict verdict = verdict_on(kShape, [](const float* A, const float* B, float* C) {
        for (int64_t i = 0; i < kShape.M; ++i) {
            for (int64_t n = 0; n < kShape.N; ++n) {
                for (int64_t k = 0; k < kShape.K; ++k) C[i * kShape.K + k] += A[i * kShape.N + n] * B[n * kShape.K + k];
            }
        }
        return std::string();
    });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(contains(verdict.message, "reads C"));
}

TEST_CASE("A * B + 0 * C is told that it reads C") {
    const Verdict verdict = verdict_on(kShape, [](const float* A, const float* B, float* C) {
        std::vector<float> product(kShape.c_elements());
        multiply(A, B, product.data(), kShape);
        for (int64_t i = 0; i < kShape.c_elements(); ++i) C[i] = product[i] + 0.0f * -C[i];
        return std::string();
    });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(contains(verdict.message, "reads C"));
}

TEST_CASE("a read past a matrix spreads NaN into C, even when it is multiplied by zero") {
    const auto verdict_after_reading = [](bool past_a) {
        return verdict_on(kShape, right_and(kShape, [=](float* A, float* B, float* C) {
                              C[kShape.c_elements() - 1] += 0.0f * (past_a ? A[kShape.a_elements()] : B[-1]);
                          }));
    };
    for (const bool past_a : {true, false}) {
        const Verdict verdict = verdict_after_reading(past_a);
        CAPTURE(past_a, verdict.message);
        CHECK(verdict.status == Status::wrong);
        CHECK(verdict.comparison.nan == 1);
        CHECK(contains(verdict.message, "1 NaN of 143 elements; first at (12, 10)"));
    }
}

TEST_CASE("one wrong element is wrong, and the message says where") {
    const Verdict verdict =
        verdict_on(kShape, right_and(kShape, [](float*, float*, float* C) { C[4 * 11 + 6] += 0.001f; }));
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(verdict.comparison.wrong == 1);
    CHECK(contains(verdict.message, "1 wrong of 143 elements; first at (4, 6): got "));
}

TEST_CASE("one dropped term is wrong, also where N is large") {
    const Shape shape{16, 20'000, 16}, short_of_one{16, 19'999, 16};
    const Verdict verdict = verdict_on(shape, [=](const float* A, const float* B, float* C) {
        for (int64_t i = 0; i < shape.M; ++i)
            multiply(A + i * shape.N, B, C + i * shape.K, {1, short_of_one.N, shape.K});
        return std::string();
    });
    CHECK(verdict.status == Status::wrong);
    CHECK(verdict.comparison.wrong > 20);
}

TEST_CASE("operands rounded to 11 bits are right for TF32 and wrong for FP32") {
    const auto solve_in_tf32 = [](const float* A, const float* B, float* C) {
        const auto rounded = [](const float* matrix, int64_t elements) {
            std::vector<float> result(matrix, matrix + elements);
            for (float& value : result)
                value = std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000) & ~0x1fffu);
            return result;
        };
        multiply(rounded(A, kShape.a_elements()).data(), rounded(B, kShape.b_elements()).data(), C, kShape);
        return std::string();
    };
    const auto device = make_host_device();
    Problem problem(*device, kShape, 5);
    CHECK(problem.judge(solve_in_tf32, SOLVE_ARITHMETIC_FP32).status == Status::wrong);
    const Verdict claimed = problem.judge(solve_in_tf32, SOLVE_ARITHMETIC_TF32);
    CHECK(claimed.status == Status::ok);
    CHECK(claimed.rho_bound == rho_bound(kShape.N, SOLVE_ARITHMETIC_TF32));
    CHECK(claimed.comparison.rho > rho_bound(kShape.N));
    CHECK(problem.judge(solve_in_tf32).status == Status::wrong);
}

TEST_CASE("M and K swapped is wrong, though every element is written") {
    const Shape shape{8, 5, 6}, swapped{6, 5, 8};
    CHECK(verdict_on(shape, right(swapped)).status == Status::wrong);
}

TEST_CASE("what is read past a matrix is out of bounds, though nothing comes of it; a C that is wrong is that first") {
    const auto read_past = [](float* matrix, int64_t elements) {
        [[maybe_unused]] const float value = *static_cast<volatile float*>(matrix + elements + 10);
    };
    const Verdict past_b =
        verdict_on(kShape, right_and(kShape, [&](float*, float* B, float*) { read_past(B, kShape.b_elements()); }));
    CHECK(past_b.status == Status::out_of_bounds);
    CHECK(past_b.message == "C is right, but it read 40 bytes past the end of B");
    const Verdict twice = verdict_on(kShape, right_and(kShape, [&](float* A, float*, float* C) {
                                         read_past(A, kShape.a_elements());
                                         read_past(C, kShape.c_elements());
                                     }));
    CHECK(contains(twice.message, "40 bytes past the end of A, read 40 bytes past the end of C"));
    const Verdict wrong = verdict_on(kShape, right_and(kShape, [&](float* A, float*, float* C) {
                                         read_past(A, kShape.a_elements());
                                         C[0] += 100;
                                     }));
    CHECK(wrong.status == Status::wrong);
    CHECK(contains(wrong.message, "; it read 40 bytes past the end of A"));
}

TEST_CASE("an input that is written while the call runs is modified, though it holds what it held") {
    const Verdict verdict = verdict_on(kShape, right_and(kShape, [](float*, float* B, float*) {
                                           volatile float* const b = B + 20;
                                           const float before = *b;
                                           *b = 0;
                                           *b = before;
                                       }));
    CHECK(verdict.status == Status::input_modified);
    CHECK(verdict.message == "C is right, but it wrote to B, and put back what was there");
}

TEST_CASE("a right C with an error reported is suspicious") {
    const Verdict verdict = verdict_on(kShape, right(kShape, "out of resources"));
    CHECK(verdict.status == Status::suspicious);
    CHECK(verdict.message == "C is right, but the plugin says: out of resources");
}

TEST_CASE("a wrong C with an error reported stays wrong, and shows the error") {
    const Verdict verdict = verdict_on(kShape, [](const float*, const float*, float* C) {
        std::fill_n(C, kShape.c_elements(), 100.0f);
        return std::string("out of resources");
    });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::wrong);
    CHECK(contains(verdict.message, "143 wrong of 143"));
    CHECK(contains(verdict.message, "; the plugin says: out of resources"));
}

TEST_CASE("N == 0 wants zeros") {
    const Shape shape{6, 0, 7};
    CHECK(verdict_on(shape, right(shape)).status == Status::ok);
    const Verdict ones = verdict_on(shape, [](const float*, const float*, float* C) {
        std::fill_n(C, 42, 1.0f);
        return std::string();
    });
    CHECK(ones.status == Status::wrong);
    CHECK(ones.comparison.wrong == 42);
}

TEST_CASE("a plugin that returns early where N == 0 has not written C") {
    const Verdict verdict = verdict_on({6, 0, 7}, [](const float*, const float*, float*) { return std::string(); });
    CAPTURE(verdict.message);
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == 42);
}

TEST_CASE("M == 0 and K == 0 want nothing written") {
    for (const Shape& shape : {Shape{0, 5, 7}, Shape{5, 7, 0}, Shape{0, 0, 0}}) {
        CAPTURE(to_string(shape));
        CHECK(verdict_on(shape, right(shape)).status == Status::ok);
        const Verdict stray = verdict_on(shape, [](const float*, const float*, float* C) {
            C[0] = 0.0f;
            return std::string();
        });
        CHECK(stray.status == Status::out_of_bounds);
    }
}

TEST_CASE("matrices that do not fit are an OutOfMemory") {
    const auto device = make_host_device();
    CHECK_THROWS_AS(Problem(*device, {2147483647, 2147483647, 1}, 1), OutOfMemory);
}

TEST_CASE("elements that a thread writes after the call has returned are not written, and said to come late") {
    std::thread late;
    const Verdict verdict = verdict_on(kShape, [&](const float* A, const float* B, float* C) {
        if (late.joinable()) late.join();
        late = std::thread([=] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            multiply(A, B, C, kShape);
        });
        return std::string();
    });
    late.join();
    CHECK(verdict.status == Status::not_written);
    CHECK(verdict.unwritten == 143);
    CHECK(verdict.written_late == 143);
    CHECK(contains(verdict.message, "143 of them were written a moment later"));
}

TEST_CASE("the inputs are filled with the data asked for, and changes of them are found") {
    for (const std::string& name : data_names()) {
        CAPTURE(name);
        const auto device = make_host_device();
        Problem problem(*device, kShape, 5, 0, parse_data(name));
        CHECK(problem.A()[3] == element(judge::random_a(5, parse_data(name), kShape.N), 3));
        CHECK(problem.judge(right(kShape)).status == Status::ok);
        const auto changes_b = right_and(kShape, [](float*, float* B, float*) { B[0] += 1; });
        CHECK(problem.judge(changes_b).status == Status::input_modified);
    }
}

TEST_CASE("truncated operands are right on positive data for a plugin that is known to truncate") {
    const Shape shape{20, 4096, 20};
    const auto truncated = [](float value) { return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~0x1fffu); };
    const auto solve = [&](const float* A, const float* B, float* C) {
        std::vector<float> a(A, A + shape.a_elements()), b(B, B + shape.b_elements());
        std::transform(a.begin(), a.end(), a.begin(), truncated);
        std::transform(b.begin(), b.end(), b.begin(), truncated);
        multiply(a.data(), b.data(), C, shape);
        return std::string();
    };
    const auto device = make_host_device();
    Problem positive(*device, shape, 5, 0, Data::positive);
    CHECK(positive.judge(solve, SOLVE_ARITHMETIC_TF32, true).status == Status::ok);
    CHECK(positive.judge(solve, SOLVE_ARITHMETIC_TF32, false).status == Status::wrong);
    Problem uniform(*device, shape, 5);
    CHECK(uniform.judge(solve, SOLVE_ARITHMETIC_TF32, true).status == Status::ok);
    CHECK(uniform.judge(solve).status == Status::wrong);
}

TEST_CASE("an exact product of the same sizes or smaller ones leaves the inputs as they were") {
    const auto device = make_host_device();
    Problem problem(*device, kShape, 5);
    for (const Shape& shape : {kShape, Shape{3, 17, 2}}) {
        Shape called;
        const ExactFindings found =
            problem.check_exact_product(shape, [&](const float* A, const float* B, float* C, int M, int N, int K) {
                called = {M, N, K};
                multiply(A, B, C, called);
                C[M * K - 1] += 2;
            });
        CHECK(called == shape);
        CHECK(found.lost == 1);
        CHECK(problem.judge(right(kShape)).status == Status::ok);
    }
}
