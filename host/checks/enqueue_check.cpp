#include "checks/enqueue_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/scoped_variable.h"
#include "checks/bound.h"
#include "checks/far_rows.h"
#include "checks/guarded_matrix.h"
#include "checks/one_buffer.h"
#include "checks/padding.h"
#include "checks/refusals.h"
#include "values/data.h"

namespace judge {

namespace {

struct GemmCall {
    int M, N, K;
    int padding;  // of every row, in elements, or kToVectors
    float alpha, beta;
    bool side_stream;
    bool repeated = false;                // equal calls must leave equal bits
    const char* callers_order = nullptr;  // in the emulator, of the caller's stream, which is not the default one

    bool specials = false;  // zeros of one operand opposite infinities and NaN of the other

    int lda() const { return leading_dimension(N, padding); }
    int ldb() const { return leading_dimension(K, padding); }
    int ldc() const { return leading_dimension(K, padding); }
    std::string text() const {
        return fmt::format(
            "solve_enqueue, {}x{}x{}, lda {}, ldb and ldc {}, alpha {}, beta {}{}", M, N, K, lda(), ldb(), alpha, beta,
            callers_order && std::strcmp(callers_order, "beside") == 0 ? ", beside another call on another stream"
            : side_stream || callers_order                             ? ", on a stream of its own"
            : specials                                                 ? ", with infinities and NaN"
                                                                       : "");
    }
};

// rows x cols uniform numbers, or NaN, with the leading dimension ld; in the padding, which the last row has not, since
// what lies past its end is not the matrix's, what between_rows() says.
std::vector<float> padded(int rows, int cols, size_t ld, bool nan, bool c_is_read, uint64_t seed) {
    std::vector<float> values(rows == 0 ? 0 : (rows - 1) * ld + cols);
    for (size_t at = 0; at < values.size(); ++at) values[at] = between_rows(at, c_is_read);
    for (int i = 0; i < rows && !nan; ++i) {
        for (int j = 0; j < cols; ++j) values[i * ld + j] = uniform(seed, i * ld + j);
    }
    return values;
}

// The first element that is off, or whose padding was written; empty if there is none.
std::string first_wrong(const GemmCall& call, uint32_t arithmetic, const std::vector<float>& a,
                        const std::vector<float>& b, const std::vector<float>& before,
                        const std::vector<float>& after) {
    const size_t lda = call.lda(), ldb = call.ldb(), ldc = call.ldc();
    // Of a large product, which takes the judge longer than the plugin, every eighth or 61st row and the last ones.
    const int64_t work = int64_t{call.M} * call.N * call.K;
    const int step = work > 1 << 26 ? 61 : work > 1 << 22 ? 8 : 1;
    for (int i = 0; i < call.M; ++i) {
        if (i % step != 0 && i < call.M - (step > 8 ? 3 : step)) continue;
        for (size_t k = 0; k < ldc; ++k) {
            const size_t at = i * ldc + k;
            if (at == after.size()) break;  // the last row has no padding
            if (k >= size_t(call.K)) {
                if (std::memcmp(&after[at], &before[at], sizeof(float)) == 0) continue;
                return fmt::format("wrote past the end of row {} of C", i);
            }
            double sum = 0, magnitude = 0;
            for (int n = 0; n < call.N && call.alpha != 0; ++n) {
                const double product = double(a[i * lda + n]) * b[n * ldb + k];
                sum += product;
                magnitude += std::abs(product);
            }
            const double old = call.beta == 0 ? 0 : double(call.beta) * before[at];
            const bool empty = call.N == 0 || call.alpha == 0;  // which is 0, whatever alpha is
            const double want = (empty ? 0 : call.alpha * sum) + old;
            // Beside the product: alpha, beta and the sum of the two round once each.
            const double bound =
                kUnitRoundoff * ((rho_bound(call.N, arithmetic) + 3) * (empty ? 0 : std::abs(call.alpha) * magnitude) +
                                 3 * std::abs(old));
            if (std::isnan(want) ? std::isnan(after[at]) : std::isinf(want) && !std::isfinite(after[at])) continue;
            if (!std::isfinite(want) || !(std::abs(after[at] - want) <= bound)) {
                return fmt::format("({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", i, k, after[at], want, bound);
            }
        }
    }
    return {};
}

std::string check(const GemmCall& call, const Plugin& plugin, Device& device) {
    const bool a_unread = call.alpha == 0, c_unread = call.beta == 0;
    auto a = padded(call.M, call.N, call.lda(), a_unread, false, 1);
    auto b = padded(call.N, call.K, call.ldb(), a_unread, false, 2);
    if (call.specials) {
        for (int n = 0; n < call.N; ++n) a[call.M / 2 * call.lda() + n] = b[n * call.ldb() + call.K / 2] = 0;
        a[call.lda() + 3] = -std::numeric_limits<float>::infinity();
        b[5 * call.ldb() + 1] = kNaN;
    }
    const auto c = padded(call.M, call.K, call.ldc(), c_unread, !c_unread, 3);
    GuardedMatrix A(device, a.size(), 0), B(device, b.size(), 0), C(device, c.size(), 0);
    device.write(A.data(), a.data(), a.size());
    device.write(B.data(), b.data(), b.size());
    device.write(C.data(), c.data(), c.size());
    device.synchronize();

    void* const stream = call.side_stream ? device.side_stream() : nullptr;
    if (call.side_stream) device.occupy_default_stream();
    for (GuardedMatrix* const input : {&A, &B}) input->arm(a_unread ? Access::none : Access::read);
    C.arm();
    const auto enqueue = [&] {
        return plugin.solve_enqueue(A.data(), call.lda(), B.data(), call.ldb(), C.data(), call.ldc(), call.M, call.N,
                                    call.K, call.alpha, call.beta, stream);
    };
    const ScopedVariable order("EMULATOR_CALLERS_ORDER", call.callers_order, call.callers_order != nullptr);
    const int code = enqueue();
    if (code != SOLVE_OK) return fmt::format("returned {}: {}", code, plugin.last_error());
    const std::string error = call.callers_order ? plugin.last_error() : std::string();
    std::vector<float> after(c.size());
    device.read_after(stream, after.data(), C.data(), after.size());
    device.synchronize();
    for (const auto& [matrix, name] : {std::pair{&A, 'A'}, {&B, 'B'}, {&C, 'C'}}) {
        matrix->disarm();
        if (matrix->misused()) return fmt::format("{} {}", a_unread ? "used" : "wrote to", name);
        if (!matrix->trespass().empty()) return fmt::format("{} {}", matrix->trespass(), name);
    }
    if (A.damage() + B.damage() + C.damage() > 0) return "wrote outside the matrices";
    const int repeats = plugin.is_emulated() ? 1 : 3;  // there the order of blocks changes from call to call
    for (int i = 0; call.repeated && i < repeats; ++i) {
        const uint64_t bits = device.hash(C.data(), c.size());
        device.write(C.data(), c.data(), c.size());
        enqueue();
        device.synchronize();
        if (device.hash(C.data(), c.size()) != bits) return "equal calls gave different bits";
    }
    const std::string wrong = first_wrong(call, plugin.arithmetic(), a, b, c, after);
    return error.empty() || wrong.empty() ? error + wrong : wrong + "; " + error;
}

}  // namespace

std::string check_enqueue(const Plugin& plugin, Device& device) {
    std::vector<GemmCall> calls;
    for (const Shape& shape : {Shape{129, 66, 131}, Shape{64, 64, 64}, Shape{5, 0, 7}}) {
        for (const int padding : {0, 1, 4}) {
            // Emulated, tiles of 128 x 128 take as long at their edges as in the middle: once is enough.
            const bool smaller = plugin.is_emulated() && shape.M == 129 && padding != 1;
            const Shape& size = smaller ? Shape{65, 34, 67} : shape;
            for (const auto& [alpha, beta] : {std::pair{1.0f, 0.0f}, {-0.5f, 0.75f}, {0.0f, 0.5f}, {0.0f, 0.0f}}) {
                calls.push_back({size.M, size.N, size.K, padding, alpha, beta, false});
            }
        }
    }
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    calls.push_back({5, 0, 7, 3, kInfinity, -2.0f, false});
    calls.push_back({5, 0, 8, 0, kNaN, 0.0f, false});
    calls.push_back({17, 9, 35, 1, -0.0f, -0.0f, false});  // are 0, too
    calls.push_back({17, 9, 35, 1, 1e-9f, 0.0f, false});   // is not
    for (const float beta : {1e-9f, 1.0f}) calls.push_back({9, 17, 20, 0, 0.0f, beta, false});
    for (const int padding : {0, 1}) calls.push_back({20, 24, 28, padding, 1.0f, 1.0f, false});
    for (const Shape& equal : {Shape{24, 24, 40}, {12, 28, 28}, {28, 12, 28}}) {  // what is taken for a square is none
        calls.push_back({equal.M, equal.N, equal.K, 0, 1.0f, 0.5f, false});
        calls.push_back({equal.M, equal.N, equal.K, 3, -0.5f, 1.0f, false});
    }
    if (plugin.arithmetic() == SOLVE_ARITHMETIC_FP32) {
        for (const auto& [alpha, beta] :
             {std::pair{kNaN, 0.0f}, {1.0f, kNaN}, {0.0f, kNaN}, {kInfinity, 0.0f}, {1.0f, -kInfinity}}) {
            calls.push_back({9, 6, 7, 0, alpha, beta, false});
        }
        for (const int size : {64, 35}) calls.push_back({size, size, size, 0, 1.0f, 0.0f, false, false, nullptr, true});
    }
    // Each size with each remainder of 4, in rows of whole vectors.
    for (int i = 0; i < 4; ++i) {
        calls.push_back({33 + i, 17 + (i + 1) % 4, 66 + (3 * i) % 4, kToVectors, 1.0f, 0.0f, false});
        calls.push_back({8 - i, 4 + (2 * i + 1) % 4, 4 + i, kToVectors, -0.5f, 0.75f, false});
    }
    // A long contraction, which may be cut into parts whose sums are then added: in any order if there are two.
    calls.push_back({33, 1600, 40, 0, 1.0f, 0.0f, false, true});
    // One size or two of 1, for which there may be ways of their own.
    for (const Shape& thin : {Shape{1, 22, 27}, {22, 1, 27}, {27, 22, 1}, {1, 1, 29}, {1, 29, 1}, {29, 1, 1}}) {
        calls.push_back({thin.M, thin.N, thin.K, 3, -0.5f, 0.75f, false});
    }
    // Larger than the tiles that a dispatcher takes small products with.
    calls.push_back({261, 258, 259, 1, -0.5f, 0.75f, false});
    if (!plugin.is_emulated()) calls.push_back({519, 513, 521, 1, -0.5f, 0.75f, false});
    // More than a block has threads, or a path for short rows takes.
    for (const Shape& size : {Shape{4097, 2, 3}, {2, 4097, 3}, {3, 2, 4097}}) {
        calls.push_back({size.M, size.N, size.K, 1, -0.5f, 0.75f, false});
    }
    if (device.side_stream()) calls.push_back({129, 66, 131, 0, 1.0f, 0.5f, true});
    for (const char* const order : {"first", "last", "beside"}) {
        if (!plugin.is_emulated()) break;
        calls.push_back({65, 66, 67, 0, 1.0f, 0.5f, false, false, order});
        calls.push_back({17, 300, 36, 0, 1.0f, 0.0f, false, false, order});
    }
    for (const GemmCall& call : calls) {
        if (const std::string wrong = check(call, plugin, device); !wrong.empty()) {
            return fmt::format("solve is right, but {}: {}", call.text(), wrong);
        }
    }
    const GemmEntry entry = enqueue_entry(plugin);
    std::string wrong = check_refusals(entry, device);
    if (wrong.empty()) wrong = check_one_buffer(entry, plugin.arithmetic(), device);
    if (wrong.empty()) wrong = check_far_rows(entry, plugin.arithmetic(), device);
    return wrong.empty() ? wrong : "solve is right, but " + wrong;
}

}  // namespace judge
