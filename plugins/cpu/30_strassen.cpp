// Strassen: seven products of half the size instead of eight, once or twice over.
//
// Against 20: the same packed kernel, fed differently. Cut A, B and C in quarters; seven products of sums of quarters,
// each added to one or two quarters of C, give the whole. A level saves an eighth of the multiplications and costs 18
// additions of quarters. Written with temporary matrices those additions go through memory and eat most of the gain;
// here a sum is taken while a panel is packed, which reads its matrices anyway, and a tile goes from registers to all
// its destinations, so no temporary exists. Halves of an odd size are rounded up, the missing row or column is zeros
// in the packed panel and is not stored.
//
// TFLOP/s shown are "effective", 2 M N K over the time: two levels do (7/8)^2 = 77% of those multiply-adds.
//
// ACCURACY IS NORMWISE ONLY (Higham, Accuracy and Stability of Numerical Algorithms, ch. 23): an error is bounded by
// the largest elements of A and B, not by the |A||B| of its own element, so a small element of C beside large ones
// may have no correct digit, however few the levels. On data of one magnitude, such as the judge's, two levels stay
// within its elementwise bound; on rows of very different scales they do not. In the same way a NaN or an infinity
// spoils whole quarters of C. Below 2 * kCutoff none of this applies: it is 20.
//
// Limit: memory, not multiply-adds. One Zen 4 core at 2048 (one level): of 20's 164 ms in the micro-kernel it saves an
// eighth, 20 ms, then pays 10 ms there for storing to several places and 14 ms for packing sums: no gain, and on two
// cores, which share the memory, a small loss. What a faster kernel wins on the multiplications, it must win there too.
// Source: Strassen; Huang for the fusing.
#include "../common/cpu/packed_gemm.h"
#include "../common/export/host.h"

namespace cpu_30 {

using ladder::Destination, ladder::Product, ladder::Term;

// The least half that is divided into: 2 * 1024 is the least size with a level. Multiplying grows with the cube of the
// size and packing with its square: dividing 1024 gains nothing, and a second level at 2048 costs a tenth.
constexpr int64_t kCutoff = 1024;
// From 4096 on there are two. Each makes the normwise error bound about 3 times as large (Higham, theorem 23.2), and a
// third one would pack sums of eight matrices.
constexpr int kLevels = 2;

static_assert(kCutoff >= 4, "no quarter of a quarter may be empty: a sum has at least one term");
static_assert(1 << kLevels <= ladder::kMostDestinations, "a level doubles the places that a product is added to");

// Signs of the quarters 11, 12, 21, 22 in the sums of A and of B, and with which the product is added to those of C.
struct Step {
    int a[4], b[4], c[4];
};
constexpr Step kProducts[7] = {
    {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}},   // (A11 + A22) (B11 + B22)
    {{0, 0, 1, 1}, {1, 0, 0, 0}, {0, 0, 1, -1}},  // (A21 + A22) B11
    {{1, 0, 0, 0}, {0, 1, 0, -1}, {0, 1, 0, 1}},  // A11 (B12 - B22)
    {{0, 0, 0, 1}, {-1, 0, 1, 0}, {1, 0, 1, 0}},  // A22 (B21 - B11)
    {{1, 1, 0, 0}, {0, 0, 0, 1}, {-1, 1, 0, 0}},  // (A11 + A12) B22
    {{-1, 0, 1, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}},  // (A21 - A11) (B11 + B12)
    {{0, 1, 0, -1}, {0, 0, 1, 1}, {1, 0, 0, 0}},  // (A12 - A22) (B21 + B22)
};

// Appends quarter q of each block with a sign. All blocks are split where the largest is, at rows and cols: one that
// is smaller has smaller quarters.
template <class Block>
void append_quarter(std::vector<Block>& out, const std::vector<Block>& blocks, int q, int sign, int64_t rows,
                    int64_t cols) {
    const int64_t row = q / 2 * rows, col = q % 2 * cols;
    for (Block block : blocks) {
        block.rows = std::min(block.rows - row, rows);
        block.cols = std::min(block.cols - col, cols);
        if (block.rows <= 0 || block.cols <= 0) continue;
        block.data += row * block.leading + col;
        block.sign *= float(sign);
        out.push_back(block);
    }
}

// Replaces a product by seven of half the size, `levels` times over, in the order in which they must be done.
void divide(const Product& whole, int levels, std::vector<Product>& out) {
    if (levels == 0 || std::min({whole.M, whole.N, whole.K}) < 2 * kCutoff) return out.push_back(whole);
    const int64_t M = (whole.M + 1) / 2, N = (whole.N + 1) / 2, K = (whole.K + 1) / 2;
    bool written[4] = {};
    for (const Step& step : kProducts) {
        Product half{M, N, K, {}, {}, {}};
        for (int q = 0; q < 4; ++q) {
            if (step.a[q]) append_quarter(half.a, whole.a, q, step.a[q], M, N);
            if (step.b[q]) append_quarter(half.b, whole.b, q, step.b[q], N, K);
            if (!step.c[q]) continue;
            const size_t old = half.c.size();
            append_quarter(half.c, whole.c, q, step.c[q], M, K);
            // The first product to reach a quarter of C sets it (unless the whole is added), the others add to it.
            for (size_t i = old; i < half.c.size(); ++i) half.c[i].add |= written[q];
            written[q] = true;
        }
        divide(half, levels - 1, out);
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    std::vector<Product> products;
    divide({M, N, K, {{A, N, M, N, 1}}, {{B, K, N, K, 1}}, {{C, K, M, K, 1, false}}}, kLevels, products);
    ladder::multiply(products);
}

}  // namespace cpu_30

SOLVE_EXPORT(cpu_30::multiply,
             .summary = "Strassen over 20_packed: normwise accuracy only, TFLOP/s are effective (2MNK)",
             .source = "Strassen, Huang")
