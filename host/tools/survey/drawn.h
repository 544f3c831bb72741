// The calls of the survey: random shapes, and the memory that their matrices lie in.
//
// A shape: M, N and K log-uniform from 1 to 8192 with 1e5 <= MNK <= 3e11; one in three with matrices that begin 4 bytes
// past a boundary of 16 and have rows of odd length; one in three with A, B or both transposed. Shape i of a seed is
// the same however many there are, so that a run that was cut off goes on where it ended.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "../../../abi/solve.h"
#include "../graph_race.h"

namespace survey {

constexpr int kLargest = 8192;
constexpr size_t kWorkspace = size_t{64} << 20;                  // lent to each call, as PyTorch lends cuBLAS some
constexpr size_t kArena = size_t(kLargest + 1) * kLargest + 64;  // floats of one matrix, with rows longer by one

struct Drawn {
    int M, N, K;
    bool misaligned, transpose_a, transpose_b;
    int batch = 1;  // the next product's matrices behind this one's

    double products() const { return double(M) * N * K; }
    std::string form() const { return std::string(transpose_a ? "T" : "N") + (transpose_b ? "T" : "N"); }
};

inline Drawn draw(uint64_t seed, int index) {
    std::mt19937_64 bits(seed * 1000003 + index);
    const auto part = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
    const auto size = [&] { return static_cast<int>(std::exp(part() * std::log(kLargest + 1.0))); };
    Drawn drawn{};
    do {
        drawn.M = size(), drawn.N = size(), drawn.K = size();
    } while (drawn.products() < 1e5 || drawn.products() > 3e11);
    drawn.misaligned = part() < 1.0 / 3;
    if (part() < 1.0 / 3) {
        const int form = 1 + static_cast<int>(3 * part());
        drawn.transpose_a = form & 1, drawn.transpose_b = form & 2;
    }
    return drawn;
}

struct Arena {
    float *a = microbench::allocate<float>(kArena), *b = microbench::allocate<float>(kArena),
          *c = microbench::allocate<float>(kArena), *other = microbench::allocate<float>(kArena);
    char* workspace = microbench::allocate<char>(kWorkspace);
    graph_race::Clock clock;

    Arena() {
        graph_race::fill<<<2048, 256>>>(a, kArena, 1);
        graph_race::fill<<<2048, 256>>>(b, kArena, 2);
        MUST(cudaDeviceSynchronize());
    }
};

inline solve_gemm_t call_of(const Drawn& drawn, const Arena& arena, float* c) {
    solve_gemm_t call = solve_gemm_one();
    const int64_t skip = drawn.misaligned ? 1 : 0;
    const auto length = [&](int cols) { return drawn.misaligned ? int64_t{cols | 1} : int64_t{cols}; };
    call.M = drawn.M, call.N = drawn.N, call.K = drawn.K;
    call.transpose_a = drawn.transpose_a, call.transpose_b = drawn.transpose_b;
    call.A = arena.a + skip, call.lda = length(drawn.transpose_a ? drawn.M : drawn.N);
    call.B = arena.b + skip, call.ldb = length(drawn.transpose_b ? drawn.N : drawn.K);
    call.C = c + skip, call.ldc = length(drawn.K);
    call.batch = drawn.batch;
    call.stride_a = call.lda * (call.transpose_a ? call.N : call.M);
    call.stride_b = call.ldb * (call.transpose_b ? call.K : call.N);
    call.stride_c = call.ldc * call.M;
    call.stream = arena.clock.stream;
    call.workspace = arena.workspace, call.workspace_bytes = kWorkspace;
    return call;
}

}  // namespace survey
