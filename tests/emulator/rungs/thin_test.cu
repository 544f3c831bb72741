// Rung 76: where a block's shared memory is small, and products of more chunks than one, which its own choice would
// spread over more blocks. Rung 78: more columns than one launch has.
#include "../../../plugins/cuda/76_few_rows.cu"
#include "../../../plugins/cuda/78_few_columns.cu"

#include <cmath>
#include <vector>

#include "../../catch.h"

using namespace rung_76;

namespace {

// Shared memory in bytes, what a block can have and what there is per SM: of the compute capabilities 7.5, 8.6 and 9.0.
constexpr ladder::SharedMemory kTuring{64 << 10, 64 << 10}, kAmpere{99 << 10, 100 << 10}, kHopper{227 << 10, 228 << 10};

// Elements of C that are wrong after few_rows, N uncut, by blocks of that many threads.
template <int kRows, bool kVector>
int wrong_after(int M, int N, int K, int across, int threads) {
    std::vector<float> a(M * N), b(N * K + 1), c(M * K, NAN);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7 % 11) - 5;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 5 % 13) - 6;
    const float* const from_b = b.data() + (kVector ? 0 : 1);
    const int shared = int{sizeof(float)} * shared_floats(kRows, threads, across);
    cudaFuncSetAttribute(few_rows<kRows, kVector>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    const dim3 grid(ladder::ceil_div(M, kRows) * ladder::ceil_div(K, across * kCols), 1);
    ladder::launch_early(few_rows<kRows, kVector>, grid, threads, shared, nullptr, a.data(), int64_t{N}, from_b,
                         int64_t{K}, c.data(), int64_t{K}, int64_t{0}, M, N, K, across, N, 0.5f, ladder::Epilogue{});
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += a[i * N + n] * from_b[n * K + k];
            wrong += c[i * K + k] != sum;
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("rung 76 is right for every number of threads, and for several chunks of N") {
    for (const int threads : {32, 128, 512}) {
        CAPTURE(threads);
        // As many n as three chunks and a half, and fewer than one step.
        const int chunk = kChunk * threads / 8;
        CHECK(wrong_after<1, true>(1, 3 * chunk + chunk / 2 + 1, 36, 8, threads) == 0);
        CHECK(wrong_after<1, false>(1, 3 * chunk - 1, 35, 8, threads) == 0);
        CHECK(wrong_after<8, true>(7, 2 * chunk + 3, 68, 8, threads) == 0);
        CHECK(wrong_after<4, false>(9, threads / 8 - 1, 33, 8, threads) == 0);
        CHECK(wrong_after<2, true>(2, chunk, 128, 32, threads) == 0);
    }
}

TEST_CASE("of a matrix larger than what stays in L2, all but that is evict-first") {
    int size = 0;
    REQUIRE(cudaDeviceGetAttribute(&size, cudaDevAttrL2CacheSize, 0) == cudaSuccess);
    REQUIRE(size > 0);
    CHECK(ladder::evict_first_fraction(size / 4) == 0);
    const double kept = ladder::kept_in_l2(ladder::current_device());
    CHECK((kept > size / 4 && kept <= size / 2));
    CHECK(ladder::evict_first_fraction(kept) == 0);
    CHECK(ladder::evict_first_fraction(2 * kept) == 0.5f);
    CHECK(ladder::evict_first_fraction(8 * kept) == 0.875f);
    CHECK(ladder::evict_first_fraction(0) == 0);  // no bytes at all, as of N = 0
}

TEST_CASE("rung 76's blocks fit the shared memory that there is, one per SM") {
    const ladder::ThinPlan plan{.beside = 8, .blocks = 128, .depth = 4096};
    CHECK(block_for(1, plan, kHopper).threads == kThreads);
    CHECK(block_for(8, plan, kHopper).threads == kThreads);
    CHECK(block_for(1, plan, kAmpere).threads == kThreads);
    CHECK(block_for(8, plan, kAmpere).threads == kThreads / 2);
    CHECK(block_for(1, plan, kTuring).threads == kThreads / 2);
    CHECK(block_for(8, plan, kTuring).threads == kThreads / 4);
    for (const auto& gpu : {kTuring, kAmpere, kHopper}) {
        for (const int rows : {1, 2, 4, 8}) {
            for (const int beside : {1, 2, 4, 8, 16, 32}) {
                for (const int depth : {1, 3, 100, 100000}) {
                    CAPTURE(gpu.of_sm, rows, beside, depth);
                    const auto block = block_for(rows, {.beside = beside, .depth = depth}, gpu);
                    CHECK((block.threads >= 32 && block.threads <= kThreads && block.threads % 32 == 0));
                    CHECK(block.shared >= int{sizeof(float)} * shared_floats(rows, block.threads, beside));
                    CHECK(block.shared <= gpu.of_block);
                    CHECK(2 * block.shared > gpu.of_sm);
                }
            }
        }
    }
}

TEST_CASE("rung 78 is right for more columns than a launch has") {
    // The last columns, one or seven, are a launch of their own; beside C and in what beta does not read there is NaN.
    for (const int K : {9, 16, 23}) {
        CAPTURE(K);
        const int M = 70, N = 37, ldc = K + 3;
        std::vector<float> a(M * N), b(N * K), c(M * ldc, NAN);
        for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7 % 11) - 5;
        for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 5 % 13) - 6;
        rung_78::multiply({a.data(), N, b.data(), K, c.data(), ldc, M, N, K, 2.0f, 0.0f});
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        int wrong = 0;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < ldc; ++k) {
                float sum = 0;
                for (int n = 0; n < N && k < K; ++n) sum += a[i * N + n] * b[n * K + k];
                wrong += k < K ? c[i * ldc + k] != 2 * sum : !std::isnan(c[i * ldc + k]);
            }
        }
        CHECK(wrong == 0);
    }
}
