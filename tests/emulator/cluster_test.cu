// Blocks of a cluster, and the chain that they make.
#include "../../plugins/chain/20_chain_clusters.cu"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../plugins/common/ptx/wgmma.h"
#include "../catch.h"
#include "environment.h"

namespace {

constexpr int kMostBlocks = 8;

__global__ void tell_neighbours(int* seen, int size) {
    extern __shared__ char memory[];
    int* const own = reinterpret_cast<int*>(memory);
    ladder::Cluster cluster(memory, size);
    own[threadIdx.x] = 100 * int(blockIdx.x) + int(threadIdx.x);
    cluster.sync();
    const int from = (cluster.rank() + 1) % size, sum = *cluster.of_rank(&own[threadIdx.x], from);
    cluster.sync();
    own[threadIdx.x] = -1;  // nobody reads it any more
    seen[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

struct Sent {
    float given[kMostBlocks][4];
    ladder::Mbarrier all;
};

__global__ void send_to_all(float* seen, int size) {
    extern __shared__ ladder::SharedKilobyte room[];
    auto& sent = *reinterpret_cast<Sent*>(room);
    ladder::Cluster cluster(room->bytes, size);
    if (threadIdx.x == 0) sent.all.init(1), cluster.announce(sent.all, size * sizeof(sent.given[0]));
    __syncthreads();
    cluster.begin();
    cluster.wait_for_begun();
    if (threadIdx.x < unsigned(size)) {
        const float number = 100 * float(blockIdx.x), four[] = {number, number + 1, number + 2, number + 3};
        cluster.send4(sent.given[cluster.rank()], four, threadIdx.x, sent.all);
    }
    cluster.wait_for_sent(sent.all);
    if (threadIdx.x < unsigned(4 * size)) seen[blockIdx.x * 4 * size + threadIdx.x] = (&sent.given[0][0])[threadIdx.x];
}

struct Chain {
    int M, N, K, L;
    int padding = 0, shift = 0;  // of rows, and of pointers, in floats
    float alpha = 2, beta = -1;
};

// Small integers, whose sums are exact in any order.
std::vector<float> integers(int rows, int64_t ld, int shift, int step) {
    std::vector<float> values(rows * ld + shift + 4, NAN);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * step % 7) - 3;
    return values;
}

// The first 16-byte boundary and `shift` floats more.
template <class Vector>
auto begin_of(Vector& values, int shift) {
    return values.data() + (16 - reinterpret_cast<uintptr_t>(values.data()) % 16) % 16 / 4 + shift;
}

template <int kChunk>
void launch_with(const solve_chain_t& call, int rows) {
    const ladder::DeviceFigures device = ladder::current_device();
    rows == 8    ? chain_20::launch_with<8, kChunk>(call, device)
    : rows == 12 ? chain_20::launch_with<12, kChunk>(call, device)
    : rows == 20 ? chain_20::launch_with<20, kChunk>(call, device)
                 : chain_20::launch_with<32, kChunk>(call, device);
}

// Elements of E that are wrong, and those beside it that were written, by a launch with tiles of 8, 12, 20 or 32 rows
// whose warps multiply 16 or 32 n; with an infinity in A, or without.
int wrong_of(const Chain& chain, int rows, int chunk, bool infinity = false) {
    const auto& [M, N, K, L, padding, shift, alpha, beta] = chain;
    auto a = integers(M, N + padding, shift, 3), b = integers(N, K + padding, shift, 5),
         c = integers(K, L + padding, shift, 2), e = integers(M, L + padding, shift, 4);
    const std::vector<float> before = e;
    solve_chain_t call = solve_chain_one();
    call.M = M, call.N = N, call.K = K, call.L = L;
    float* const A = begin_of(a, shift);
    if (infinity) {  // which past the last column of D would meet zeros, and spoil the row of E
        A[0] = INFINITY;
        std::fill_n(begin_of(b, shift), K, 1.0f);
        std::fill(c.begin(), c.end(), 1.0f);
    }
    call.A = A, call.lda = N + padding;
    call.B = begin_of(b, shift), call.ldb = K + padding;
    call.C = begin_of(c, shift), call.ldc = L + padding;
    call.E = begin_of(e, shift), call.lde = L + padding;
    call.alpha = alpha, call.beta = beta;
    (chunk == 16 ? launch_with<16> : launch_with<32>)(call, rows);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    int wrong = 0;
    const size_t first = call.E - e.data();
    std::vector<float> left = e;
    for (int i = 0; i < M; ++i) {
        std::vector<float> row(K, 0.0f);
        for (int k = 0; k < K; ++k) {
            for (int n = 0; n < N; ++n) row[k] += call.A[i * call.lda + n] * call.B[n * call.ldb + k];
        }
        for (int l = 0; l < L; ++l) {
            float sum = 0;
            for (int k = 0; k < K; ++k) sum += row[k] * call.C[k * call.ldc + l];
            const size_t at = first + i * call.lde + l;
            const float want = alpha * sum + (beta != 0 ? beta * before[at] : 0);
            wrong += !(e[at] == want || (std::isnan(want) && std::isnan(e[at])));
            left[at] = before[at];
        }
    }
    return wrong + (left != before);
}

}  // namespace

TEST_CASE("the blocks of a cluster read each other's shared memory between two barriers") {
    for (const int size : {1, 2, 8}) {
        CAPTURE(size);
        std::vector<int> seen(3 * size * 4);
        tell_neighbours<<<3 * size, 4, 4 * sizeof(int), nullptr>>>(seen.data(), size);
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
        int wrong = 0;
        for (int i = 0; i < 3 * size * 4; ++i) {
            const int block = i / 4, next = block / size * size + (block + 1) % size;
            wrong += seen[i] != 100 * next + i % 4;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("the blocks of a cluster send each other what they then wait for") {
    for (const int size : {2, 8}) {
        CAPTURE(size);
        std::vector<float> seen(3 * size * 4 * size);
        send_to_all<<<3 * size, 32, 1024, nullptr>>>(seen.data(), size);
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
        int wrong = 0;
        for (int i = 0; i < 3 * size * 4 * size; ++i) {
            const int block = i / (4 * size), from = block / size * size + i / 4 % size;
            wrong += seen[i] != 100.0f * from + i % 4;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("a chain of clusters is right in every order of threads, at remainders, paddings and misaligned pointers") {
    int number = 0;
    for (const Chain& chain : {
             Chain{32, 16, 32, 32},
             Chain{64, 256, 256, 64},  // a whole cluster, and all chunks
             Chain{1, 1, 1, 1},
             Chain{33, 128, 40, 70},  // more tiles of E than blocks
             Chain{5, 17, 250, 9},    // blocks without a tile of E
             Chain{40, 31, 33, 36, 4},
             Chain{40, 32, 36, 68, 1},
             Chain{40, 32, 36, 68, 4, 1, 1, 0},
         }) {
        const Environment order("EMULATOR_SEED", ++number), threads("EMULATOR_THREADS", number % 2 ? 8 : 2);
        CAPTURE(chain.M, chain.N, chain.K, chain.L, chain.padding, chain.shift);
        const int rows[] = {8, 12, 20, 32};  // every second launch takes the blocks in another order
        CHECK(wrong_of(chain, rows[number % 4], 32) == 0);
        CHECK(wrong_of(chain, rows[(number + 2) % 4], std::max(chain.N, chain.K) > 128 ? 32 : 16) == 0);
    }
    CHECK(wrong_of({40, 20, 33, 40}, 20, 16, true) == 0);
}

TEST_CASE("one launch is for what is small") {
    const auto small = [](int M, int N, int K, int L) {
        const ladder::DeviceFigures h100 = {.capability = 90, .sms = 132, .shared_of_block = 227 << 10};
        return chain_20::is_for_clusters(ladder::dense_chain(nullptr, nullptr, nullptr, nullptr, M, N, K, L), h100);
    };
    for (const int n : {1, 128, 256}) CHECK(small(n, n, n, n));
    CHECK_FALSE(small(257, 257, 257, 257));  // more columns of D than a cluster has
    CHECK_FALSE(small(8192, 64, 64, 64));    // more blocks than find room
    CHECK_FALSE(small(64, 64, 64, 8192));
    CHECK_FALSE(small(64, 8192, 64, 64));
}
