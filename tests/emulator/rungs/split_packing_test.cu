// How the operands of those rungs are packed, and what is done beside that: the last rows and columns of C.
#include "split_products.h"

TEST_CASE("operands are packed as long as the level is the format's own") {
    using Fp16 = rung_83::Fp16<64, 64>;
    Product product(30, 150, 20, normal, normal);
    const auto is_packed = [&](unsigned level, unsigned at) {
        ladder::PackState state{level};
        std::vector<char> packed(ladder::workspace_of_split<Fp16>(product.call()), 'x');
        ladder::enqueue_pack<Fp16>(operands_of(product.call(), packed, state), at);
        CHECK(cudaGetLastError() == cudaSuccess);
        return std::count(packed.begin(), packed.end(), 'x') < int(packed.size()) / 2;
    };
    CHECK(is_packed(0, 0));
    CHECK(is_packed(1, 1));
    CHECK_FALSE(is_packed(0, 1));
    CHECK_FALSE(is_packed(2, 1));
    // Of many blocks those that begin when the numbers are known to be wild pack nothing.
    Product many(1, 64 * 1100, 1, normal, normal);
    std::vector<char> packed(ladder::workspace_of_split<Fp16>(many.call()), 'x');
    ladder::PackState state{1};
    ladder::enqueue_pack<Fp16>(operands_of(many.call(), packed, state), 0);
    CHECK(std::count(packed.begin(), packed.end(), 'x') == int(packed.size()));
}

TEST_CASE("where each format has memory of its own products are the same bit for bit, wherever numbers are wild") {
    const auto [together, apart] =
        GENERATE(std::pair<Multiply, Multiply>(with_bf16<64, 64>, with_bf16<64, 64, false>),
                 std::pair<Multiply, Multiply>(with_bf16<64, 128>, with_bf16<64, 128, false>),
                 std::pair<Multiply, Multiply>(with_bf16<128, 128>, with_bf16<128, 128, false>));
    const auto one_line = [](int wild) -> Fill {
        return [=](std::mt19937& random, int line, int n) {
            return std::ldexp(normal(random, line, n), line == wild && n > 70 ? n % 41 - 20 : 0);
        };
    };
    const Data data[] = {{"tame", normal, normal},
                         {"wild", wide(40), wide(40)},
                         {"A is wild", wide(40), normal},
                         {"B is wild", normal, wide(40)},
                         {"a line of A is wild", one_line(66), normal},
                         {"lines of both are wild", one_line(0), one_line(100)},
                         {"too wild for BF16", normal, wide(100)}};
    int number = 0;
    for (const Data& each : data) {
        INFO(each.name);
        Product product(70, 193, 140, each.a, each.b);
        CHECK(apart(product.call()) == SOLVE_OK);
        const std::vector<float> expected = product.C;
        for (int order = 0; order < 2; ++order) {
            const Environment seed("EMULATOR_SEED", ++number), threads("EMULATOR_THREADS", order == 0 ? 1 : 5);
            std::fill(product.C.begin(), product.C.end(), NAN);
            CHECK(together(product.call()) == SOLVE_OK);
            CHECK(cudaDeviceSynchronize() == cudaSuccess);
            CHECK(product.C == expected);
        }
    }
}

TEST_CASE("where numbers are wild all squares are packed in BF16, also those of one number a line") {
    using Fp16 = rung_83::Fp16<64, 64>;
    using Bf16 = rung_85::Bf16<64, 64>;
    Product product(70, 193, 140, wide(40), wide(40));
    std::vector<char> packed(ladder::workspace_of_split<Fp16, Bf16>(product.call()));
    ladder::PackState state{};
    const int2 squares = rung_85::enqueue_pack_either<Fp16, Bf16>(operands_of(product.call(), packed, state), {});
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(state.level == 1);
    CHECK(state.wide_a == unsigned(squares.x));
    CHECK(state.wide_b == unsigned(squares.y));
}

namespace {

// Ways to multiply: 83, and 85 with memory of its own for each format or not, in tiles of kSide x kSide.
template <int kSide>
int by_way(int way, const solve_gemm_t& call, int2 edges) {
    using Fp16 = rung_83::Fp16<kSide, kSide>;
    using Bf16 = rung_85::Bf16<kSide, kSide>;
    return way == 0 ? rung_83::enqueue<Fp16>(call, edges) : rung_85::enqueue<Fp16, Bf16>(call, edges, way == 1);
}

// The largest error of a product with padded lines, over magnitudes; it is checked that the padding is left alone.
// Numbers are normal, those of A multiplied by scale(n). Where A is transposed, beta is 0.
double worst_error(int M, int N, int K, int transposed, int (*multiply)(int, const solve_gemm_t&, int2), int way,
                   int2 edges, float (*scale)(int n)) {
    const int pad = 3, batch = 2;
    const int rows_a = transposed & 1 ? N : M, lda = (transposed & 1 ? M : N) + pad;
    const int rows_b = transposed & 2 ? K : N, ldb = (transposed & 2 ? N : K) + pad, ldc = K + pad;
    std::mt19937 random(3);
    std::vector<float> A(size_t(batch) * rows_a * lda), B(size_t(batch) * rows_b * ldb), C(size_t(batch) * M * ldc);
    for (auto* each : {&A, &B, &C}) {
        for (float& value : *each) value = normal(random, 0, 0);
    }
    for (size_t i = 0; i < A.size(); ++i) A[i] *= scale(int(transposed & 1 ? i / lda % N : i % lda));
    const std::vector<float> before = C;
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K, call.alpha = 1.5f, call.beta = transposed & 1 ? 0.0f : -0.5f,
    call.batch = batch;
    call.A = A.data(), call.lda = lda, call.stride_a = int64_t{rows_a} * lda;
    call.B = B.data(), call.ldb = ldb, call.stride_b = int64_t{rows_b} * ldb;
    call.C = C.data(), call.ldc = ldc, call.stride_c = int64_t{M} * ldc;
    call.transpose_a = transposed & 1 ? SOLVE_T : SOLVE_N, call.transpose_b = transposed & 2 ? SOLVE_T : SOLVE_N;
    CHECK(multiply(way, call, edges) == SOLVE_OK);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    double worst = 0;
    int touched = 0;
    for (int i = 0; i < batch * M; ++i) {
        const float *const a = &A[i / M * call.stride_a], *const b = &B[i / M * call.stride_b];
        for (int k = 0; k < ldc; ++k) {
            const float c = C[size_t(i) * ldc + k], old = before[size_t(i) * ldc + k];
            touched += k >= K && c != old;
            double exact = 0, magnitude = 0;
            for (int n = 0; n < N && k < K; ++n) {
                const int row = i % M;
                const double product = double(transposed & 1 ? a[n * lda + row] : a[row * lda + n]) *
                                       (transposed & 2 ? b[k * ldb + n] : b[n * ldb + k]);
                exact += product, magnitude += std::fabs(product);
            }
            const double error = std::fabs(c - (1.5 * exact + call.beta * old));
            if (k < K) worst = std::max(worst, error / (magnitude + std::fabs(old)));
        }
    }
    CHECK(touched == 0);
    return worst;
}

float by_one(int) {
    return 1.0f;
}
// Too wide for FP16, and for BF16.
float wild(int n) {
    return std::ldexp(1.0f, n % 41 - 20);
}
float wildest(int n) {
    return std::ldexp(1.0f, n % 3 * 80 - 80);
}

}  // namespace

TEST_CASE("rows and columns of C that no tile has are computed beside the packing, however the operands lie") {
    const int2 edges = GENERATE(int2{1, 0}, int2{0, 2}, int2{3, 4}, int2{4, 1});
    const int transposed = GENERATE(0, 1, 2, 3), way = GENERATE(0, 1, 2);
    CHECK(worst_error(70 + edges.x, 150, 65 + edges.y, transposed, by_way<64>, way, edges, by_one) < 5 * 0x1p-24);
}

TEST_CASE("and by the kernel that multiplies large tiles, whether FP16 can hold the numbers, BF16, or FP32 alone") {
    const int2 edges{2, 3};
    const auto scale = GENERATE(by_one, wild, wildest);
    const int way = GENERATE(0, 1, 2), transposed = GENERATE(0, 3);
    CHECK(worst_error(140 + edges.x, 150, 129 + edges.y, transposed, by_way<128>, way, edges, scale) < 24 * 0x1p-24);
}

TEST_CASE("few rows and columns are left to the packing where that makes a wave of tiles less") {
    const auto edges = [](int M, int N, int K) {
        solve_gemm_t call = solve_gemm_one();
        call.M = M, call.N = N, call.K = K;
        const int2 found = ladder::best_split_way(call, 132).edges;
        return std::pair(found.x, found.y);
    };
    CHECK(edges(2049, 2049, 2049) == std::pair(1, 1));
    CHECK(edges(2050, 2048, 2048) == std::pair(2, 0));
    CHECK(edges(2048, 4096, 2051) == std::pair(0, 3));
    CHECK(edges(2048, 2048, 2048) == std::pair(0, 0));
    CHECK(edges(2047, 2047, 2047) == std::pair(0, 0));
    CHECK(edges(2070, 2048, 2048) == std::pair(0, 0));  // too many
    CHECK(edges(1153, 2048, 1152) == std::pair(0, 0));  // 90 tiles of 128 x 128 for 81: one wave
}
