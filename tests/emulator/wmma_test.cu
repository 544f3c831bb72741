#include <cuda_runtime.h>
#include <mma.h>

#include <string>
#include <type_traits>
#include <vector>

#include "../catch.h"
#include "environment.h"
#include "messages.h"

namespace {

namespace wmma = nvcuda::wmma;
template <class Layout>
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, Layout>;
template <class Layout>
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, Layout>;
using FragmentC = wmma::fragment<wmma::accumulator, 16, 16, 8, float>;

constexpr int kLd = 20;  // from row to row, or from column to column, of every matrix

// Where element (row, col) of a matrix in that layout lies.
constexpr int at(bool row_major, int row, int col) {
    return row_major ? row * kLd + col : col * kLd + row;
}

template <class LayoutA, class LayoutB>
__global__ void multiply(const float* A, const float* B, const float* C, float* D, wmma::layout_t layout,
                         bool rounded) {
    FragmentA<LayoutA> a;
    FragmentB<LayoutB> b;
    FragmentC c, d;
    wmma::load_matrix_sync(a, A, kLd);
    wmma::load_matrix_sync(b, B, kLd);
    wmma::load_matrix_sync(c, C, kLd, layout);
    if (rounded) {
        for (int i = 0; i < a.num_elements; ++i) a.x[i] = wmma::__float_to_tf32(a.x[i]);
        for (int i = 0; i < b.num_elements; ++i) b.x[i] = wmma::__float_to_tf32(b.x[i]);
    }
    wmma::fill_fragment(d, -1.0f);
    wmma::mma_sync(d, a, b, c);
    wmma::store_matrix_sync(D, d, kLd, layout);
}

enum class At { load, multiply, store };

__global__ void one_lane_leaves(const float* in, float* out, At at) {
    FragmentA<wmma::row_major> a;
    FragmentB<wmma::row_major> b;
    FragmentC c;
    wmma::fill_fragment(c, 0.0f);
    wmma::fill_fragment(b, 0.0f);
    if (at == At::load && threadIdx.x == 9) return;
    wmma::load_matrix_sync(a, in, kLd);
    if (at == At::multiply && threadIdx.x == 9) return;
    wmma::mma_sync(c, a, b, c);
    if (at == At::store && threadIdx.x == 9) return;
    wmma::store_matrix_sync(out, c, kLd, wmma::mem_row_major);
}

__global__ void load_from(const float* from, unsigned ld) {
    FragmentA<wmma::row_major> a;
    wmma::load_matrix_sync(a, from, ld);
}

// Each lane stores its part of a matrix, and reads another lane's.
__global__ void through_shared(float* out, bool synchronised) {
    __shared__ alignas(32) float patch[16][kLd];
    FragmentC c;
    wmma::fill_fragment(c, 3.0f);
    wmma::store_matrix_sync(&patch[0][0], c, kLd, wmma::mem_row_major);
    if (synchronised) __syncwarp();
    for (int i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = patch[15 - threadIdx.x / 2][threadIdx.x % 2 * 8 + i];
}

struct alignas(32) Tile16 {
    float values[16 * kLd + 8];
};

Tile16 filled(int factor) {
    Tile16 buffer;
    int i = 0;
    for (float& value : buffer.values) value = float(i++ * factor % 61 - 30);
    return buffer;
}

template <class LayoutA, class LayoutB>
void check_product(wmma::layout_t layout) {
    const Tile16 a = filled(7), b = filled(11), c = filled(5);
    Tile16 d = {};
    multiply<LayoutA, LayoutB><<<1, 32>>>(a.values, b.values, c.values, d.values, layout, false);
    CHECK(cudaGetLastError() == cudaSuccess);
    const bool rows_a = std::is_same_v<LayoutA, wmma::row_major>, rows_b = std::is_same_v<LayoutB, wmma::row_major>;
    const bool rows_c = layout == wmma::mem_row_major;
    int wrong = 0;
    for (int i = 0; i < 16; ++i) {
        for (int j = 0; j < 16; ++j) {
            float want = c.values[at(rows_c, i, j)];
            for (int k = 0; k < 8; ++k) want += a.values[at(rows_a, i, k)] * b.values[at(rows_b, k, j)];
            wrong += d.values[at(rows_c, i, j)] != want;
        }
        wrong += d.values[i * kLd + 16] != 0.0f;  // past the 16 columns nothing is written
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("wmma loads, multiplies and stores rows and columns") {
    for (const wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
        check_product<wmma::row_major, wmma::row_major>(layout);
        check_product<wmma::row_major, wmma::col_major>(layout);
        check_product<wmma::col_major, wmma::row_major>(layout);
        check_product<wmma::col_major, wmma::col_major>(layout);
    }
}

TEST_CASE("wmma cuts its operands to TF32 unless they are rounded first") {
    Tile16 a = {}, b = {}, c = {}, d = {};
    a.values[0] = 1.0f + 0x1.8p-11f;  // three quarters of the way from 1 to the next TF32 number
    b.values[0] = 1.0f;
    const auto product = [&](bool rounded) {
        multiply<wmma::row_major, wmma::row_major>
            <<<1, 32>>>(a.values, b.values, c.values, d.values, wmma::mem_row_major, rounded);
        return d.values[0];
    };
    CHECK(product(false) == 1.0f);
    CHECK(product(true) == 1.0f + 0x1p-10f);
}

TEST_CASE("__float_to_tf32 rounds to the nearest, ties away from zero") {
    CHECK(wmma::__float_to_tf32(1.0f + 0x1p-11f) == 1.0f + 0x1p-10f);
    CHECK(wmma::__float_to_tf32(-1.0f - 0x1p-11f) == -1.0f - 0x1p-10f);
    CHECK(wmma::__float_to_tf32(1.0f + 0x1.fp-12f) == 1.0f);
    CHECK(wmma::__float_to_tf32(0x1.fffp0f) == 2.0f);
    CHECK(wmma::__float_to_tf32(__int_as_float(0x7f800000)) == __int_as_float(0x7f800000));
    CHECK(wmma::__float_to_tf32(__int_as_float(0x7fffffff)) != wmma::__float_to_tf32(__int_as_float(0x7fffffff)));
}

TEST_CASE("a lane that does not take part in a wmma call is a fault") {
    const Tile16 in = filled(7);
    Tile16 out = {};
    const auto text = [&](At at) {
        one_lane_leaves<<<1, 32>>>(in.values, out.values, at);
        return fault();
    };
    CHECK(text(At::load).find("1 of the warp's 32 threads is not at this wmma::load_matrix_sync") != std::string::npos);
    CHECK(text(At::multiply).find("1 of the warp's 32 threads is not at this wmma::mma_sync") != std::string::npos);
    CHECK(text(At::store).find("1 of the warp's 32 threads is not at this wmma::store_matrix_sync") !=
          std::string::npos);
}

TEST_CASE("a missing __syncwarp between store_matrix_sync and a read gives a wrong result") {
    const auto right = [](bool synchronised) {
        std::vector<float> out(256);
        through_shared<<<1, 32>>>(out.data(), synchronised);
        return out == std::vector<float>(256, 3.0f);
    };
    for (int seed = 0; seed < 10; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        CHECK(right(true));
        CHECK_FALSE(right(false));
    }
}

TEST_CASE("wmma takes no misaligned matrix") {
    const Tile16 in = filled(7);
    load_from<<<1, 32>>>(in.values, kLd);
    CHECK(cudaGetLastError() == cudaSuccess);
    load_from<<<1, 32>>>(in.values + 4, kLd);
    CHECK(fault().find("the address is not a multiple of 32 bytes") != std::string::npos);
    load_from<<<1, 32>>>(in.values, 18);
    CHECK(fault().find("the stride of the rows is not a multiple of 16 bytes") != std::string::npos);
}
