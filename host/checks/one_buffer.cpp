#include "checks/one_buffer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "checks/bound.h"
#include "checks/guarded_matrix.h"
#include "values/data.h"

namespace judge {

namespace {

// The matrix is cut after N rows and N columns: [A11 B; A C], where B may be the transposed A.
struct Blocks {
    int M, N, K;
    int padding;          // of every row, in elements
    bool b_is_a = false;  // C -= A A^T, of a Cholesky decomposition; else C -= A B, of an LU decomposition

    int64_t ld() const { return N + K + padding; }
    int64_t elements() const { return (N + M) * ld(); }
    int64_t a(int i, int n) const { return (N + i) * ld() + n; }
    int64_t b(int n, int k) const { return b_is_a ? a(k, n) : n * ld() + N + k; }
    int64_t c(int i, int k) const { return (N + i) * ld() + N + k; }
};

std::string wrong_of(const GemmEntry& entry, const Blocks& blocks, uint32_t arithmetic, Device& device) {
    std::vector<float> before(blocks.elements());
    for (size_t at = 0; at < before.size(); ++at) before[at] = uniform(5, at);
    GuardedMatrix matrix(device, blocks.elements(), 0);
    device.write(matrix.data(), before.data(), before.size());
    device.synchronize();

    solve_gemm_t call = solve_gemm_one();
    call.transpose_b = blocks.b_is_a ? SOLVE_T : SOLVE_N;
    call.M = blocks.M, call.N = blocks.N, call.K = blocks.K;
    call.lda = call.ldb = call.ldc = blocks.ld();
    call.A = matrix.data() + blocks.a(0, 0);
    call.B = matrix.data() + blocks.b(0, 0);
    call.C = matrix.data() + blocks.c(0, 0);
    call.alpha = -1, call.beta = 1;
    const int code = entry.call(call);
    if (code == SOLVE_UNSUPPORTED) return {};
    if (code != SOLVE_OK) return fmt::format("returned {}", code);
    std::vector<float> after(before.size());
    device.read_after(nullptr, after.data(), matrix.data(), after.size());
    device.synchronize();
    if (matrix.damage() > 0) return "wrote outside the matrix";

    std::vector<float> left = after;  // what is not in C must be as before
    for (int i = 0; i < blocks.M; ++i) {
        for (int k = 0; k < blocks.K; ++k) {
            double sum = 0, magnitude = 0;
            for (int n = 0; n < blocks.N; ++n) {
                const double product = double(before[blocks.a(i, n)]) * before[blocks.b(n, k)];
                sum += product;
                magnitude += std::abs(product);
            }
            const int64_t at = blocks.c(i, k);
            const double want = before[at] - sum;
            const double bound =
                kUnitRoundoff * ((rho_bound(blocks.N, arithmetic) + 4) * magnitude + 4 * std::abs(before[at]));
            if (!(std::abs(after[at] - want) <= bound)) {
                return fmt::format("({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", i, k, after[at], want, bound);
            }
            left[at] = before[at];
        }
    }
    const bool same = std::memcmp(left.data(), before.data(), left.size() * sizeof(float)) == 0;
    return same ? "" : "wrote outside C, into another block";
}

}  // namespace

std::string check_one_buffer(const GemmEntry& entry, uint32_t arithmetic, Device& device) {
    for (const Blocks& blocks : {Blocks{37, 16, 45, 0}, Blocks{64, 32, 64, 0}, Blocks{6, 4, 4, 4},
                                 Blocks{41, 17, 41, 3, true}, Blocks{64, 32, 64, 0, true}}) {
        if (blocks.b_is_a && !entry.takes_transposed) continue;
        const std::string wrong = wrong_of(entry, blocks, arithmetic, device);
        if (wrong.empty()) continue;
        return fmt::format(
            "{} of blocks of one matrix, no element of which is in two of them: {}x{}x{}, leading dimension {}, C -= "
            "A {}: {}",
            entry.name, blocks.M, blocks.N, blocks.K, blocks.ld(), blocks.b_is_a ? "A^T" : "B", wrong);
    }
    return {};
}

}  // namespace judge
