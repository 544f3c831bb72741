// Rung 78: where a block's shared memory is small, and products of more turns than one, which its own choice would spread
// over more blocks.
#include "../../plugins/cuda/78_thin.cu"

#include <cmath>
#include <vector>

#include "../catch.h"

using namespace rung_78;

namespace {

// What a block can have, and an SM has, in bytes: of the compute capabilities 7.5, 8.6 and 9.0.
constexpr struct {
    int most_shared, of_sm;
} kTuring{64 << 10, 64 << 10}, kAmpere{99 << 10, 100 << 10}, kHopper{227 << 10, 228 << 10};

// Elements of C that are wrong after few_rows, N uncut, by blocks of that many threads.
template <int kRows, bool kVector>
int wrong_after(int M, int N, int K, int across, int threads) {
    std::vector<float> a(M * N), b(N * K + 1), c(M * K, NAN);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7 % 11) - 5;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 5 % 13) - 6;
    const float* const from_b = b.data() + (kVector ? 0 : 1);
    const int shared = int{sizeof(float)} * few_rows_floats(kRows, threads, across);
    cudaFuncSetAttribute(few_rows<kRows, kVector>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    const dim3 grid(ladder::ceil_div(M, kRows) * ladder::ceil_div(K, across * kOwn), 1);
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

TEST_CASE("rung 78's rows are right for every number of threads, and for several turns of N") {
    for (const int threads : {32, 128, 512}) {
        CAPTURE(threads);
        // As many n as three turns and a half, and fewer than one step.
        const int turn = kTurn * threads / 8;
        CHECK(wrong_after<1, true>(1, 3 * turn + turn / 2 + 1, 36, 8, threads) == 0);
        CHECK(wrong_after<1, false>(1, 3 * turn - 1, 35, 8, threads) == 0);
        CHECK(wrong_after<8, true>(7, 2 * turn + 3, 68, 8, threads) == 0);
        CHECK(wrong_after<4, false>(9, threads / 8 - 1, 33, 8, threads) == 0);
        CHECK(wrong_after<2, true>(2, turn, 128, 32, threads) == 0);
    }
}

TEST_CASE("of a matrix larger than half of L2, all but that half is evict-first") {
    int size = 0;
    REQUIRE(cudaDeviceGetAttribute(&size, cudaDevAttrL2CacheSize, 0) == cudaSuccess);
    REQUIRE(size > 0);
    CHECK(ladder::evict_first_fraction(size / 4, 0) == 0);
    CHECK(ladder::evict_first_fraction(size / 2, 0) == 0);
    CHECK(ladder::evict_first_fraction(size, 0) == 0.5f);
    CHECK(ladder::evict_first_fraction(4.0 * size, 0) == 0.875f);
    CHECK(ladder::evict_first_fraction(0, 0) == 0);  // no bytes at all, as of N = 0
}

TEST_CASE("rung 78's blocks fit the shared memory that there is, and an SM has room for one") {
    const Plan plan{.beside = 8, .blocks = 128, .depth = 4096};
    CHECK(block_for(1, plan, kHopper.most_shared, kHopper.of_sm).threads == kThreads);
    CHECK(block_for(8, plan, kHopper.most_shared, kHopper.of_sm).threads == kThreads);
    CHECK(block_for(1, plan, kAmpere.most_shared, kAmpere.of_sm).threads == kThreads);
    CHECK(block_for(8, plan, kAmpere.most_shared, kAmpere.of_sm).threads == kThreads / 2);
    CHECK(block_for(1, plan, kTuring.most_shared, kTuring.of_sm).threads == kThreads / 2);
    CHECK(block_for(8, plan, kTuring.most_shared, kTuring.of_sm).threads == kThreads / 4);
    for (const auto& gpu : {kTuring, kAmpere, kHopper}) {
        for (const int rows : {1, 2, 4, 8}) {
            for (const int beside : {1, 2, 4, 8, 16, 32}) {
                for (const int depth : {1, 3, 100, 100000}) {
                    CAPTURE(gpu.of_sm, rows, beside, depth);
                    const Block block = block_for(rows, {.beside = beside, .depth = depth}, gpu.most_shared, gpu.of_sm);
                    CHECK((block.threads >= 32 && block.threads <= kThreads && block.threads % 32 == 0));
                    CHECK(block.shared >= int{sizeof(float)} * few_rows_floats(rows, block.threads, beside));
                    CHECK(block.shared <= gpu.most_shared);
                    CHECK(2 * block.shared > gpu.of_sm);
                }
            }
        }
    }
}
