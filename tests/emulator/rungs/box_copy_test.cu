// Boxes of a matrix that are copied into shared memory, and TF32 products whose left operand is in registers.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../../plugins/common/gemm/box_launch.h"
#include "../../../plugins/cuda/81_wgmma_tf32.cu"
#include "../../catch.h"

namespace {

constexpr int kBoxRows = 8;

// The box at (row, col), or with the one below it as a pair has it, as rows of 32 again.
__global__ void read_box(const __grid_constant__ ladder::BoxSource source, int row, int col, bool pair, bool plain,
                         float* out) {
    __shared__ alignas(1024) float box[2 * kBoxRows][32];
    __shared__ ladder::Mbarrier full;
    if (threadIdx.x == 0) full.init(1);
    __syncthreads();
    if (threadIdx.x == 0) {
        full.arrive_expecting((pair ? 2 : 1) * kBoxRows * 32 * sizeof(float));
        if (pair) {
            source.copy_to_pair(box, row, col, kBoxRows, full);
        } else {
            source.copy(box, row, col, full);
        }
    }
    full.wait(0);
    for (int i = threadIdx.x; i < (pair ? 2 : 1) * kBoxRows * 32; i += blockDim.x) {
        const int piece = i % 32 / 4;
        out[i] = box[i / 32][(plain ? piece : ladder::place_of_piece(i / 32, piece)) * 4 + i % 4];
    }
}

__global__ void read_box_by_fours(const __grid_constant__ ladder::BoxSource source, int row, int col, float* out) {
    __shared__ alignas(1024) float box[32][32];
    __shared__ ladder::Mbarrier full;
    if (threadIdx.x == 0) full.init(1);
    __syncthreads();
    if (threadIdx.x == 0) full.arrive_expecting(sizeof(box)), source.copy_by_fours(box, row, col, full);
    full.wait(0);
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) {
        out[i] = box[i / 32][ladder::place_of_piece(i / 32, i % 32 / 4) * 4 + i % 4];
    }
}

std::vector<float> box_of(const std::vector<float>& matrix, int ld, int rows, int cols, int row, int col, bool pair,
                          ladder::BoxForm form = ladder::BoxForm::tf32) {
    ladder::BoxSource source;
    REQUIRE(source.describe(matrix.data(), ld, rows, cols, kBoxRows, form));
    std::vector<float> out((pair ? 2 : 1) * kBoxRows * 32, NAN);
    read_box<<<1, 32>>>(source, row, col, pair, form == ladder::BoxForm::plain, out.data());
    CHECK(cudaGetLastError() == cudaSuccess);
    return out;
}

// A product of small integers, whose sums are exact in TF32: what solve_gemm is to leave.
struct Product {
    int M, N, K, batch = 1;
    bool transpose_a = false, transpose_b = false;
    int padding = 0, shift = 0;  // of rows, and of pointers, in floats
    float alpha = 1, beta = 0;
};

template <class T>
int wrong_elements(const Product& product) {
    const auto& [M, N, K, batch, ta, tb, padding, shift, alpha, beta] = product;
    const auto integers = [&](int rows, int cols, int step) {
        std::vector<float> values(size_t(rows) * (cols + padding) * batch + shift + 4, NAN);
        for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * step % 7) - 3;
        return values;
    };
    const auto begin = [&](auto& values) {
        return values.data() + (16 - reinterpret_cast<uintptr_t>(values.data()) % 16) % 16 / 4 + shift;
    };
    auto a = integers(ta ? N : M, ta ? M : N, 3), b = integers(tb ? K : N, tb ? N : K, 5), c = integers(M, K, 4);
    const std::vector<float> before = c;
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K, call.batch = batch, call.alpha = alpha, call.beta = beta;
    call.transpose_a = ta ? SOLVE_T : SOLVE_N, call.transpose_b = tb ? SOLVE_T : SOLVE_N;
    call.A = begin(a), call.lda = (ta ? M : N) + padding, call.stride_a = (ta ? N : M) * call.lda;
    call.B = begin(b), call.ldb = (tb ? N : K) + padding, call.stride_b = (tb ? K : N) * call.ldb;
    float* const C = begin(c);
    call.C = C, call.ldc = K + padding, call.stride_c = M * call.ldc;
    CHECK(ladder::enqueue_boxes(call, {ladder::way_of<T>(call, rung_81::wgmma_tf32<T>)}) == SOLVE_OK);
    CHECK(cudaGetLastError() == cudaSuccess);
    std::vector<float> want = before;
    for (int p = 0; p < batch; ++p) {
        const float *const A = call.A + p * call.stride_a, *const B = call.B + p * call.stride_b;
        for (int i = 0; i < M; ++i) {
            for (int k = 0; k < K; ++k) {
                float sum = 0;
                for (int n = 0; n < N; ++n) {
                    sum += A[ta ? n * call.lda + i : i * call.lda + n] * B[tb ? k * call.ldb + n : n * call.ldb + k];
                }
                float& element = want[C - c.data() + p * call.stride_c + i * call.ldc + k];
                element = alpha * sum + (beta != 0 ? beta * element : 0);
            }
        }
    }
    int wrong = 0;
    for (size_t i = 0; i < c.size(); ++i) wrong += !(c[i] == want[i] || (std::isnan(c[i]) && std::isnan(want[i])));
    return wrong;
}

}  // namespace

TEST_CASE("a box of a matrix is where wgmma looks for it, and zero outside the matrix") {
    const int rows = 20, cols = 45, ld = 48;
    std::vector<float> matrix(rows * ld);
    for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = float(i % 1000 + 1);
    for (const bool pair : {false, true}) {
        for (const auto& [row, col] : {std::pair{0, 0}, {3, 8}, {7, 32}, {16, 40}, {40, 0}, {0, 64}}) {
            const std::vector<float> box = box_of(matrix, ld, rows, cols, row, col, pair);
            int wrong = 0;
            for (size_t i = 0; i < box.size(); ++i) {
                const int y = row + int(i) / 32, x = col + int(i) % 32;
                wrong += box[i] != (y < rows && x < cols ? matrix[y * ld + x] : 0.0f);
            }
            CHECK(wrong == 0);
        }
    }
    ladder::BoxSource source;
    CHECK_FALSE(source.describe(matrix.data() + 1, ld, rows, cols, kBoxRows));
    CHECK_FALSE(source.describe(matrix.data(), ld + 1, rows, cols, kBoxRows));
}

TEST_CASE("a box is rounded to TF32, to the nearest, ties to even, but for NaN and infinities") {
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> given = {1 + 0x1p-11f,
                                      1 + 0x1.8p-10f,
                                      1 + 0x1.001p-11f,
                                      -1 - 0x1.ffp-12f,
                                      0x1.fffffep0f,
                                      0x1p-149f,
                                      infinity,
                                      -infinity,
                                      0.0f,
                                      NAN};
    const std::vector<float> want = {1.0f, 1 + 0x1p-9f, 1 + 0x1p-10f, -1.0f, 2.0f, 0.0f, infinity, -infinity, 0.0f};
    std::vector<float> matrix(12, 0.0f);
    std::copy(given.begin(), given.end(), matrix.begin());
    const std::vector<float> box = box_of(matrix, 12, 1, 12, 0, 0, false);
    for (size_t i = 0; i < want.size(); ++i) CHECK(box[i] == want[i]);
    CHECK(std::isnan(box[9]));
}

TEST_CASE("a box that is not for TF32 has all bits, in their places or in plain rows") {
    std::vector<float> matrix(20 * 48);
    for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = 1 + 0x1p-23f * float(i);
    for (const auto form : {ladder::BoxForm::swizzled, ladder::BoxForm::plain}) {
        const std::vector<float> box = box_of(matrix, 48, 20, 45, 16, 32, false, form);
        int wrong = 0;
        for (int i = 0; i < kBoxRows * 32; ++i) {
            const int y = 16 + i / 32, x = 32 + i % 32;
            wrong += box[i] != (y < 20 && x < 45 ? matrix[y * 48 + x] : 0.0f);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("a box by fours has every fourth row of a matrix first") {
    std::vector<float> matrix(44 * 48);
    for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = float(i);
    ladder::BoxSource source;
    REQUIRE(source.describe(matrix.data(), 48, 44, 45, 32, ladder::BoxForm::by_fours));
    std::vector<float> box(32 * 32, NAN);
    read_box_by_fours<<<1, 32>>>(source, 16, 32, box.data());
    CHECK(cudaGetLastError() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < 32 * 32; ++i) {
        const int y = 16 + i / 32 % 8 * 4 + i / 32 / 8, x = 32 + i % 32;
        wrong += box[i] != (y < 44 && x < 45 ? matrix[y * 48 + x] : 0.0f);
    }
    CHECK(wrong == 0);
    CHECK_FALSE(source.describe(matrix.data(), 48, 43, 45, 32, ladder::BoxForm::by_fours));
}

TEMPLATE_TEST_CASE("TF32 by wgmma is right with every tile, at edges, unaligned, transposed and in batches", "",
                   (rung_81::Tile<256, 128, 2>), (rung_81::Tile<128, 128, 2>), (rung_81::Tile<256, 128, 1>),
                   (rung_81::Tile<128, 128, 1>), (rung_81::Tile<64, 64, 1>)) {
    using T = TestType;
    // More than once round the ring, and several tiles.
    CHECK(wrong_elements<T>({T::kRows + 3, T::kStages * 32 + 45, T::kBlocks * T::kCols + 5}) == 0);
    CHECK(wrong_elements<T>({1, 1, 1}) == 0);
    CHECK(wrong_elements<T>({20, 32, T::kCols + 12, 1, false, false, 4, 0, 2, -1}) == 0);
    CHECK(wrong_elements<T>({37, 45, 54, 2, true, false, 3, 1, 0.5f, 1}) == 0);
    CHECK(wrong_elements<T>({37, 45, 54, 3, false, true, 2, 2}) == 0);
    CHECK(wrong_elements<T>({36, 64, 52, 2, true, true, 0, 0, 1, 2}) == 0);
}
