// The rungs that make FP32's accuracy of narrower products, on data that are hard for them, against FP64 and beside a
// sequential FP32 sum.
#include "split_products.h"

TEST_CASE("two numbers of FP16 lose nothing of ordinary data, and say so of the others") {
    using Fp16 = rung_83::Fp16<64, 64>;
    for (const Fill& fill :
         {Fill(normal), Fill(positive), times(0x1p50f), times(0x1p-50f), uneven_lines(100), wide(8)}) {
        CHECK(level_of<Fp16>(fill, fill) == 0);
    }
    CHECK(level_of<Fp16>(wide(20), normal) == 1);
    CHECK(level_of<Fp16>(normal, wide(20)) == 1);
    CHECK(level_of<Fp16>(times(0x1p-70f), normal) == 1);
    CHECK(level_of<Fp16>(normal, times(0x1p-140f)) == 1);
    CHECK(level_of<Fp16>(normal, times(0x1p70f)) == 1);
    for (const float special : {NAN, kInfinity, -kInfinity}) {
        const Fill one = [&](std::mt19937&, int line, int n) { return line == 19 && n == 149 ? special : 1.0f; };
        CHECK(level_of<Fp16>(one, normal) == 2);
        CHECK(level_of<Fp16>(normal, one) == 2);
    }
    // One small number in 64 is an accident, as it is one of normal data.
    const auto small = [](int count, float value) -> Fill {
        return [=](std::mt19937&, int line, int n) { return line == 3 && n >= 80 && n < 80 + count ? value : 1.0f; };
    };
    CHECK(level_of<Fp16>(small(1, 0x1p-25f), normal) == 0);
    CHECK(level_of<Fp16>(small(2, 0x1p-25f), normal) == 1);
    CHECK(level_of<Fp16>(small(1, 0x1p-35f), normal) == 1);
    CHECK(level_of<Fp16>(small(5, 0.0f), normal) == 0);
}

TEST_CASE("three numbers of BF16 lose nothing over 169 binades, and say so of the others") {
    using Bf16 = rung_85::Bf16<128, 128>;
    for (const Fill& fill : {Fill(normal), wide(40), wide(80), times(0x1p125f), times(0x1p-149f), uneven_lines(250)}) {
        CHECK(level_of<Bf16>(fill, normal) == 0);
        CHECK(level_of<Bf16>(normal, fill) == 0);
    }
    CHECK(level_of<Bf16>(wide(100), normal) == 2);
    for (const float special : {NAN, kInfinity, -kInfinity}) {
        const Fill one = [&](std::mt19937&, int line, int n) { return line == 19 && n == 149 ? special : 1.0f; };
        CHECK(level_of<Bf16>(one, normal) == 2);
    }
}

TEST_CASE("products of numbers that are split are at least as accurate as a sequential FP32 sum, whatever the data") {
    for (const Data& each : kData) {
        INFO(each.name);
        for (const Multiply& multiply : kEveryWay) {
            INFO("way " << &multiply - kEveryWay);
            const Errors errors = errors_of(multiply, 20, 260, 24, each.a, each.b);
            CHECK(errors.not_finite == 0);
            CHECK(errors.largest <= errors.largest_sequential);
            CHECK(errors.normwise <=
                  std::max(each.factor * errors.normwise_sequential, each.is_positive ? 0x1p-22 : 0));
        }
    }
}

TEST_CASE("where n are many BF16's sums are compensated: what is off does not grow with n, and infinities stay") {
    const auto positive_times = [](float factor) -> Fill {
        return [=](std::mt19937& random, int line, int n) { return positive(random, line, n) * factor; };
    };
    for (const Multiply multiply : {with_bf16<128, 128>, with_bf16<128, 128, false>, with_bf16<64, 128>,
                                    with_bf16<64, 64>, inside<true, 2, false>}) {
        const auto normwise = [&](int N) {
            return errors_of(multiply, 20, N, 24, positive_times(0x1p-100f), positive_times(0x1p60f)).normwise;
        };
        CHECK(normwise(4800) < 1.1 * normwise(1200));
        // One column becomes infinite after some steps, when something has been lost already of all.
        const auto large_from = [](std::mt19937& random, int line, int n) {
            return positive(random, line, n) * (line == 5 && n > 400 ? 0x1p50f : 1.0f);
        };
        for (const int N : {800, 1300}) {
            Product product(20, N, 24, positive_times(0x1p90f), large_from);
            CHECK(multiply(product.call()) == SOLVE_OK);
            for (int i = 0; i < 20 * 24; ++i) CHECK(std::isinf(product.C[i]) == (i % 24 == 5));
        }
    }
}

TEST_CASE("small products in BF16 of numbers of a wide range are no further off than FP32's, and sums may overflow") {
    for (const Multiply multiply : {inside<true, 1>, inside<true, 2>, inside<true, 4>, inside<true, 4, false>}) {
        const Errors errors = errors_of(multiply, 64, 256, 64, wide(40), wide(40));
        CHECK(errors.largest < 0.8 * errors.largest_sequential);
        CHECK(errors.normwise < errors.normwise_sequential);
        // Half of the n have a finite sum, as slices and blocks do, and all of them have not.
        const auto large = [](std::mt19937& random, int line, int n) {
            return line == 5 ? 0x1.6p60f : n % 64 == 0 ? 0x1p-60f : positive(random, line, n);
        };
        Product product(20, 256, 24, large, large);
        CHECK(multiply(product.call()) == SOLVE_OK);
        for (int i = 0; i < 20 * 24; ++i) CHECK(std::isinf(product.C[i]) == (i == 5 * 24 + 5));
    }
}

TEST_CASE("products of one step, of which a slice has none, and boxes of more n than sums of 16 n are for, are right") {
    for (const int N : {40, 64, 65, 128}) {
        INFO(N);
        for (const Multiply multiply : {with_fp16<64, 128>, with_bf16<64, 128>}) {
            CHECK(errors_of(multiply, 70, N, 24, normal, normal).largest < 4);
            CHECK(errors_of(multiply, 70, N, 24, wide(40), wide(40)).largest < 7);
        }
    }
    for (const Multiply multiply : {inside<true, 2>, inside<true, 4>}) {
        const Errors errors = errors_of(multiply, 20, 520, 24, wide(40), wide(40));
        CHECK(errors.not_finite == 0);
        CHECK(errors.largest < errors.largest_sequential);
    }
}

TEST_CASE("compensated tiles follow each other in a block, and are stored in rows, as others are") {
    for (const float beta : {0.0f, 0.75f}) {
        Product product(1200, 710, 24, wide(40), wide(40));
        const std::vector<float> before(product.C.size(), 2.0f);
        product.C = before;
        solve_gemm_t call = product.call();
        call.beta = beta;
        CHECK(with_bf16<128, 128>(call) == SOLVE_OK);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        // What beta adds is nothing beside sums of numbers up to 2^80.
        const Errors errors = product.errors();
        CHECK(errors.not_finite == 0);
        CHECK(errors.largest <= errors.largest_sequential);
    }
}

TEST_CASE("a product of numbers that are split has NaN and infinities where FP32 has them") {
    for (const Multiply multiply : kEveryWay) {
        Product product(8, 70, 9, normal, normal);
        product.A[2 * 70 + 5] = kInfinity;
        product.A[3 * 70 + 6] = NAN;
        product.B[7 * 9 + 4] = -kInfinity;
        product.A[4 * 70 + 7] = 0.0f;
        CHECK(multiply(product.call()) == SOLVE_OK);
        int misplaced = 0;
        for (int i = 0; i < 8; ++i) {
            for (int k = 0; k < 9; ++k) {
                float sum = 0;
                for (int n = 0; n < 70; ++n) sum = std::fmaf(product.A[i * 70 + n], product.B[n * 9 + k], sum);
                const float c = product.C[i * 9 + k];
                misplaced += std::isnan(c) != std::isnan(sum) || (std::isinf(sum) && c != sum);
            }
        }
        CHECK(misplaced == 0);
    }
}

TEST_CASE("what is too short to be packed is right in many tiles, also where rows of C are not aligned") {
    const Multiply multiply = GENERATE(with_fp16<64, 64>, with_fp16<128, 128>, with_bf16<64, 128>, with_bf16<128, 128>);
    const int threads = GENERATE(1, 5);
    const Environment given("EMULATOR_THREADS", threads);
    Product product(2500, 2, 3, normal, normal);
    std::fill(product.C.begin(), product.C.end(), 1.0f);
    solve_gemm_t call = product.call();
    call.beta = 0.75f;
    CHECK(multiply(call) == SOLVE_OK);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < 2500; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double sum =
                double(product.A[2 * i]) * product.B[k] + double(product.A[2 * i + 1]) * product.B[3 + k];
            wrong += std::fabs(product.C[3 * i + k] - (sum + 0.75)) > 1e-5;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("what was split for the call before does not decide the next one's way") {
    const Multiply multiply =
        GENERATE(with_bf16<64, 64>, with_bf16<64, 128>, with_bf16<128, 128>, with_bf16<64, 64, false>, inside<true, 2>);
    Product tame(20, 100, 24, normal, normal), wild(20, 100, 24, wide(40), wide(40));
    const solve_gemm_t call = tame.call();
    const std::vector<float> a = tame.A, b = tame.B;
    CHECK(multiply(call) == SOLVE_OK);
    const std::vector<float> first = tame.C;
    // The same call on other contents of the same memory, as a graph is replayed.
    tame.A = wild.A, tame.B = wild.B;
    REQUIRE(call.A == tame.A.data());
    CHECK(multiply(call) == SOLVE_OK);
    const Errors errors = tame.errors();
    CHECK(errors.largest <= 2 * errors.largest_sequential);  // FP16 would be 1000 times as far off
    tame.A = a, tame.B = b;
    CHECK(multiply(call) == SOLVE_OK);
    CHECK(tame.C == first);
}

TEST_CASE("what is split on its way to shared memory is wild for the tiles and the n that it is in") {
    const Multiply multiply = GENERATE(inside<true, 1>, inside<true, 2>, inside<true, 4>, inside<true, 2, false>);
    const auto product = [&](const Fill& a) {
        Product product(140, 200, 20, a, normal);
        CHECK(multiply(product.call()) == SOLVE_OK);
        return product;
    };
    const int from = GENERATE(0, 127, 199);
    // Two of 64 that are small, one among 64 that is not, or large; in row 130, and in n from there on.
    const float value = GENERATE(0x1p-40f, 0x1p60f, 0x1p120f, kInfinity);
    const Product tame = product(normal), wild = product([&](std::mt19937&random, int line, int n) {
                                              const float number = normal(random, line, n);
                                              return line == 130 && n >= from && n < from + 2 ? value : number;
                                          });
    int changed = 0;
    for (int row = 0; row < 128; ++row) {
        changed += !std::equal(&tame.C[row * 20], &tame.C[row * 20] + 20, &wild.C[row * 20]);
    }
    CHECK(changed == 0);
    const Errors errors = wild.errors();
    if (std::isinf(value)) {
        CHECK(errors.not_finite == 20);
    } else {
        CHECK(errors.not_finite == 0);
        CHECK(errors.largest <= errors.largest_sequential);
    }
}

TEST_CASE("an operand that is split into the wide format at once waits for one that is not") {
    const Multiply multiply = GENERATE(inside<true, 1>, inside<true, 2>, inside<true, 2, false>);
    const bool is_infinite = GENERATE(false, true);
    const auto tame = [&](std::mt19937& random, int line, int n) {
        const float number = normal(random, line, n);
        return is_infinite && line == 50 && n == 199 ? kInfinity : number;
    };
    const bool is_a_wild = GENERATE(false, true);
    Product product(70, 200, 90, is_a_wild ? wide(40) : Fill(tame), is_a_wild ? Fill(tame) : wide(40));
    CHECK(multiply(product.call()) == SOLVE_OK);
    const Errors errors = product.errors();
    CHECK(errors.not_finite == (is_infinite ? is_a_wild ? 70 : 90 : 0));
    if (!is_infinite) CHECK(errors.largest <= 2 * errors.largest_sequential);
}

TEST_CASE("three products of FP16 without memory for a workspace are FP32 as it stands") {
    Product product(20, 70, 24, normal, normal);
    const solve_gemm_t call = product.call();
    ladder::SplitJob job{};
    job.operands.a = ladder::lines_of_a(call, 0), job.operands.b = ladder::lines_of_b(call, 0), job.operands.N = call.N;
    job.C = call.C, job.ldc = call.ldc;
    using Fp16 = rung_83::Fp16<128, 128>;
    const int bytes = sizeof(rung_83::Tiles<Fp16>::Shared);
    ladder::allow_shared(rung_83::split<Fp16, false>, bytes);
    rung_83::split<Fp16, false><<<1, rung_83::Tiles<Fp16>::kThreads, bytes>>>(job);
    CHECK(cudaGetLastError() == cudaSuccess);
    const Errors errors = product.errors();
    CHECK(errors.largest == errors.largest_sequential);
}

// cuBLAS's FP16 products with FP32 output, of 64 n each, added in FP32, on an H200: what the tensor core itself rounds.
TEST_CASE("the emulated error of three products of FP16 is what an H200 measured, to a fifth") {
    const auto normwise = [](const Fill& fill) {
        return errors_of(with_fp16<128, 128>, 40, 1024, 40, fill, fill).normwise;
    };
    CHECK(std::fabs(normwise(normal) / 1.6e-7 - 1) < 0.2);
    CHECK(std::fabs(normwise(positive) / 1.9e-7 - 1) < 0.2);
}

// The table of plugins/notes/83_split.md: build/tests/emulated_rungs_test "accuracy of the split rungs"
TEST_CASE("accuracy of the split rungs", "[.]") {
    std::printf("| data | N | way | FP32 in a row | 83 | 85 |\n|---|--:|---|---|---|---|\n");
    for (const Data& each : kData) {
        const unsigned level = std::max(level_of<rung_83::Fp16<64, 64>>(each.a, each.b), 0u);
        for (const int N : {64, 1024, 8192}) {
            const Errors narrow = errors_of(rung_83::multiply_all<>, 64, N, 64, each.a, each.b);
            const Errors any = errors_of(rung_85::multiply_all, 64, N, 64, each.a, each.b);
            std::printf("| %s | %d | %s | %.1e (%.1f) | %.1e (%.1f) | %.1e (%.1f) |\n", each.name, N,
                        level == 0 ? "FP16" : "BF16", narrow.normwise_sequential, narrow.largest_sequential,
                        narrow.normwise, narrow.largest, any.normwise, any.largest);
        }
    }
}
