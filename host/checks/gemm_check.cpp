#include "checks/gemm_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "base/counted.h"
#include "base/scoped_variable.h"
#include "checks/bound.h"
#include "checks/far_rows.h"
#include "checks/gemm_cases.h"
#include "checks/guarded_matrix.h"
#include "checks/one_buffer.h"
#include "checks/padding.h"
#include "checks/refusals.h"
#include "checks/workspace_check.h"
#include "values/data.h"

namespace judge {

namespace {

// The matrices of all products, one behind the other with a gap between two of them. Padding and gaps are what
// between_rows() says; behind the last row of the last one there is neither.
class Stack {
  public:
    Stack(int count, bool transposed, int rows, int cols, int padding, bool nan, uint64_t seed,
          bool interleaved = false, bool c_is_read = false)
        : transposed_(transposed),
          ld_(leading_dimension((transposed ? rows : cols) * (interleaved ? count : 1), padding)),
          stride_(interleaved ? (transposed ? rows : cols) : (transposed ? cols : rows) * ld_ + 5),
          values_(elements(count, transposed ? cols : rows, transposed ? rows : cols)) {
        for (size_t at = 0; at < values_.size(); ++at) values_[at] = between_rows(at, c_is_read);
        for (int p = 0; p < count && !nan; ++p) {
            for (int i = 0; i < rows; ++i) {
                for (int j = 0; j < cols; ++j) values_[place(p, i, j)] = uniform(seed, place(p, i, j));
            }
        }
    }

    size_t place(int64_t product, int64_t row, int64_t col) const {
        return product * stride_ + (transposed_ ? col * ld_ + row : row * ld_ + col);
    }
    double at(int64_t product, int64_t row, int64_t col) const { return values_[place(product, row, col)]; }
    void set(int64_t product, int64_t row, int64_t col, float value) { values_[place(product, row, col)] = value; }
    int64_t ld() const { return ld_; }
    int64_t stride() const { return stride_; }
    const std::vector<float>& values() const { return values_; }

  private:
    // `lines` as they lie in memory, each of `length`.
    size_t elements(int64_t count, int64_t lines, int64_t length) const {
        return (count - 1) * stride_ + (lines == 0 ? 0 : (lines - 1) * ld_ + length);
    }

    bool transposed_;
    int64_t ld_, stride_;
    std::vector<float> values_;
};

// A stack in the device's memory and, where it is asked for, the array of its matrices' addresses.
class OnDevice {
  public:
    OnDevice(Device& device, const Stack& stack, int count, bool by_array)
        : device_(device), stack_(stack), floats_(device, stack.values().size(), 0) {
        device.write(floats_.data(), stack.values().data(), stack.values().size());
        if (!by_array) return;
        array_.emplace(device, 2 * count, 0);
        std::vector<float*> pointers;
        for (int p = 0; p < count; ++p) pointers.push_back(floats_.data() + p * stack.stride());
        static_assert(sizeof(float*) == 2 * sizeof(float));
        device.write(array_->data(), reinterpret_cast<const float*>(pointers.data()), 2 * pointers.size());
    }

    float* data() const { return floats_.data(); }
    float* const* array() const { return reinterpret_cast<float* const*>(array_->data()); }
    size_t damage() const { return floats_.damage() + (array_ ? array_->damage() : 0); }

    void arm(Access access) {
        floats_.arm(access);
        if (array_) array_->arm(Access::read);
    }
    // What was done to the matrices or to their array that may not be; empty if nothing was.
    std::string misuse(const char* name) {
        for (GuardedMatrix* const memory : {&floats_, array_ ? &*array_ : nullptr}) {
            if (!memory) continue;
            const char* const part = memory == &floats_ ? "" : "the array of ";
            memory->disarm();
            if (memory->misused()) return fmt::format("wrote to {}{}", part, name);
            if (!memory->trespass().empty()) return fmt::format("{} {}{}", memory->trespass(), part, name);
        }
        return {};
    }

    std::vector<float> after(void* stream) const {
        std::vector<float> values(stack_.values().size());
        device_.read_after(stream, values.data(), floats_.data(), values.size());
        return values;
    }

  private:
    Device& device_;
    const Stack& stack_;
    GuardedMatrix floats_;
    std::optional<GuardedMatrix> array_;
};

class GemmCaseCheck {
  public:
    GemmCaseCheck(const GemmCase& gemm, const Plugin& plugin, Device& device)
        : gemm_(gemm),
          plugin_(plugin),
          device_(device),
          arithmetic_(gemm.accuracy != 0 ? gemm.accuracy : plugin.arithmetic()),
          a_(gemm.form.batch, gemm.form.transpose_a, gemm.M, gemm.N, gemm.padding, gemm.alpha == 0, 1,
             gemm.interleaved),
          b_(gemm.form.batch, gemm.form.transpose_b, gemm.N, gemm.K, gemm.padding, gemm.alpha == 0, 2,
             gemm.interleaved),
          c_(gemm.form.batch, false, gemm.M, gemm.K, gemm.padding, gemm.beta == 0, 3, gemm.interleaved, gemm.beta != 0),
          bias_(gemm.form.batch, false, 1, std::max(gemm.M, gemm.K), 0, gemm.bias == SOLVE_BIAS_NONE, 4) {
        for (int p = 0; p < gemm.form.batch && gemm.specials; ++p) put_specials(p);
    }

    std::string run() const {
        const int count = gemm_.form.batch;
        OnDevice A(device_, a_, count, gemm_.arrays & kArrayOfA), B(device_, b_, count, gemm_.arrays & kArrayOfB),
            C(device_, c_, count, gemm_.arrays & kArrayOfC), bias(device_, bias_, count, false);
        // In place of what is found by an array: whoever uses that all the same gets NaN, or is found to have written.
        std::optional<GuardedMatrix> unused;
        if (gemm_.arrays != 0 && gemm_.arrays != kArrays) {
            unused.emplace(device_, std::max({a_.values().size(), b_.values().size(), c_.values().size()}), 0);
            device_.fill(unused->data(), unused->elements(), kPoison);
        }
        device_.synchronize();
        solve_gemm_t call = call_with(A, B, C, bias, unused ? unused->data() : nullptr);
        if (gemm_.side_stream) call.stream = device_.side_stream(), device_.occupy_default_stream();
        A.arm(Access::read), B.arm(Access::read), C.arm(Access::any), bias.arm(Access::read);
        const int code = plugin_.solve_gemm(&call);
        if (code != SOLVE_OK && code != SOLVE_UNSUPPORTED) {
            return fmt::format("returned {}: {}", code, plugin_.last_error());
        }
        const std::vector<float> after = C.after(call.stream);
        device_.synchronize();
        for (const auto& [memory, name] : {std::pair{&A, "A"}, {&B, "B"}, {&C, "C"}, {&bias, "the bias"}}) {
            if (const std::string misuse = memory->misuse(name); !misuse.empty()) return misuse;
        }
        if (A.damage() + B.damage() + C.damage() + bias.damage() > 0) {
            return "wrote outside the matrices";
        }
        if (unused && (unused->damage() > 0 || device_.count_other(unused->data(), unused->elements(), kPoison) > 0)) {
            return "wrote to a matrix whose place an array of pointers takes";
        }
        if (!same(A.after(nullptr), a_.values()) || !same(B.after(nullptr), b_.values())) return "changed its inputs";
        if (code == SOLVE_OK) return first_wrong(after);
        if (!same(after, c_.values())) return "calls it unsupported, but wrote to C";
        if (gemm_.accuracy == 0 || plugin_.arithmetic() == 0 || plugin_.arithmetic() > gemm_.accuracy) return {};
        call.accuracy = 0;
        if (plugin_.solve_gemm(&call) != SOLVE_OK) return {};
        device_.synchronize();
        return "calls it unsupported, though what it does where no accuracy is asked for is as accurate (abi/solve.h)";
    }

  private:
    static bool same(const std::vector<float>& a, const std::vector<float>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    }

    // A row of zeros meets an infinity and a NaN of op(B), and a column of zeros those of op(A).
    void put_specials(int p) {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        for (int n = 0; n < gemm_.N; ++n) a_.set(p, gemm_.M / 2, n, 0), b_.set(p, n, gemm_.K / 2, 0);
        b_.set(p, gemm_.N - 1, 3, kInfinity), b_.set(p, 3, gemm_.K - 2, kNaN);
        a_.set(p, gemm_.M - 1, gemm_.N / 2, -kInfinity), a_.set(p, 2, 1, kNaN);
    }

    solve_gemm_t call_with(const OnDevice& A, const OnDevice& B, const OnDevice& C, const OnDevice& bias,
                           float* unused) const {
        solve_gemm_t call = solve_gemm_one();
        call.M = gemm_.M, call.N = gemm_.N, call.K = gemm_.K;
        call.transpose_a = gemm_.form.transpose_a, call.transpose_b = gemm_.form.transpose_b;
        call.batch = gemm_.form.batch;
        call.lda = a_.ld(), call.ldb = b_.ld(), call.ldc = c_.ld();
        call.alpha = gemm_.alpha, call.beta = gemm_.beta;
        call.bias_kind = gemm_.bias;
        const auto stride = [&](unsigned shared, const Stack& stack) {
            return gemm_.shared & shared ? 0 : stack.stride();
        };
        if (gemm_.bias != SOLVE_BIAS_NONE) call.bias = bias.data(), call.stride_bias = stride(kSharedBias, bias_);
        call.accuracy = gemm_.accuracy;
        call.A = A.data(), call.stride_a = stride(kSharedA, a_);
        call.B = B.data(), call.stride_b = stride(kSharedB, b_);
        call.C = C.data(), call.stride_c = c_.stride();
        if (gemm_.arrays & kArrayOfA) call.A_array = A.array(), call.A = unused;
        if (gemm_.arrays & kArrayOfB) call.B_array = B.array(), call.B = unused;
        if (gemm_.arrays & kArrayOfC) call.C_array = C.array(), call.C = unused;
        return call;
    }

    // The first element that is off; empty if there is none.
    std::string first_wrong(const std::vector<float>& after) const {
        std::vector<float> left = after;  // what is not an element of C must be as before
        // Of a large product, which takes the judge longer than the plugin, some rows and the last ones.
        const bool large = int64_t{gemm_.M} * gemm_.N * gemm_.K > 1 << 24;
        for (int p = 0; p < gemm_.form.batch; ++p) {
            for (int i = 0; i < gemm_.M; ++i) {
                const bool looked_at = !large || i % 61 == 0 || i >= gemm_.M - 3;
                for (int k = 0; k < gemm_.K; ++k) {
                    const size_t at = c_.place(p, i, k);
                    const std::string wrong = looked_at ? wrong_at(p, i, k, after[at]) : "";
                    if (!wrong.empty()) return wrong;
                    left[at] = c_.values()[at];
                }
            }
        }
        return same(left, c_.values()) ? "" : "wrote past the end of a row of C, or between two products";
    }

    std::string wrong_at(int p, int i, int k, float got) const {
        const auto own = [&](unsigned shared) { return gemm_.shared & shared ? 0 : p; };
        double sum = 0, magnitude = 0;
        for (int n = 0; n < gemm_.N && gemm_.alpha != 0; ++n) {
            const double product = a_.at(own(kSharedA), i, n) * b_.at(own(kSharedB), n, k);
            sum += product;
            magnitude += std::abs(product);
        }
        const double old = gemm_.beta == 0 ? 0 : gemm_.beta * c_.at(p, i, k);
        const double added =
            gemm_.bias == SOLVE_BIAS_NONE ? 0 : bias_.at(own(kSharedBias), 0, gemm_.bias == SOLVE_BIAS_OF_ROWS ? i : k);
        // An empty sum is 0, whatever alpha is.
        const double scaled = gemm_.N == 0 || gemm_.alpha == 0 ? 0 : gemm_.alpha * sum;
        const double want = scaled + old + added;
        if (std::isnan(want) && (gemm_.specials || std::isnan(gemm_.alpha) || std::isnan(gemm_.beta))) {
            return std::isnan(got) ? std::string()
                                   : fmt::format("product {}, ({}, {}): got {:.9g}, want NaN", p, i, k, got);
        }
        // An infinity that is cut into narrower numbers becomes NaN.
        if (!std::isfinite(want)) return std::isfinite(got) ? "a finite number where an infinity is due" : "";
        // Beside the product: alpha, beta and the sums with C and the bias round once each.
        const double bound = kUnitRoundoff * ((rho_bound(gemm_.N, arithmetic_) + 4) *
                                                  (gemm_.N == 0 ? 0 : std::abs(gemm_.alpha)) * magnitude +
                                              4 * (std::abs(old) + std::abs(added)));
        if (std::abs(got - want) <= bound) return {};
        return fmt::format("product {}, ({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", p, i, k, got, want, bound);
    }

    const GemmCase& gemm_;
    const Plugin& plugin_;
    Device& device_;
    const uint32_t arithmetic_;  // that C must be as accurate as
    Stack a_, b_;
    const Stack c_, bias_;
};

// In the emulator, which executes none of them: as many products, rows, columns and terms as a grid has no blocks for
// along two of its axes. A plugin that makes product after product, some of them a minute for so many, is not asked for
// the products: it has no grid of them.
std::string wrong_of_many(const Plugin& plugin, Device& device) {
    if (!plugin.is_emulated()) return {};
    const GuardedMatrix A(device, kMany, 0), B(device, kMany, 0), C(device, kMany, 0);
    const ScopedVariable launches_only("EMULATOR_CHECK_LAUNCHES_ONLY", "1");
    constexpr int kFew = 257;
    constexpr std::chrono::milliseconds kMostOfFew{2};
    bool one_by_one = false;
    for (const auto& [shape, batch] : {std::pair{Shape{1, 1, 1}, kFew},
                                       {{1, 1, 1}, kMany},
                                       {{kMany, 1, 1}, 1},
                                       {{1, kMany, 1}, 1},
                                       {{1, 1, kMany}, 1}}) {
        if (batch == kMany && one_by_one) continue;
        const solve_gemm_t call = dense_call({false, false, batch}, shape, A.data(), B.data(), C.data());
        const auto start = std::chrono::steady_clock::now();
        const int code = plugin.solve_gemm(&call);
        if (batch == kFew) one_by_one = std::chrono::steady_clock::now() - start > kMostOfFew;
        if (code == SOLVE_OK || code == SOLVE_UNSUPPORTED) continue;
        return fmt::format("solve_gemm of {} at {} returned {}: {}", counted(batch, "product"), to_string(shape), code,
                           plugin.last_error());
    }
    return {};
}

}  // namespace

std::string check_gemm(const Plugin& plugin, Device& device) {
    for (const GemmCase& gemm : gemm_cases(plugin, device.side_stream() != nullptr)) {
        if (const std::string wrong = GemmCaseCheck(gemm, plugin, device).run(); !wrong.empty()) {
            return fmt::format("{}: {}", gemm.text(), wrong);
        }
    }
    if (const std::string wrong = wrong_of_many(plugin, device); !wrong.empty()) return wrong;
    if (const std::string wrong = check_workspaces(plugin, device); !wrong.empty()) return wrong;
    const GemmEntry entry = gemm_entry(plugin);
    if (const std::string wrong = check_refusals(entry, device); !wrong.empty()) return wrong;
    if (const std::string wrong = check_one_buffer(entry, plugin.arithmetic(), device); !wrong.empty()) return wrong;
    if (const std::string wrong = check_far_rows(entry, plugin.arithmetic(), device); !wrong.empty()) return wrong;
    return check_refusals_of_fields(entry, device);
}

solve_gemm_t dense_call(const GemmForm& form, const Shape& shape, const float* A, const float* B, float* C) {
    solve_gemm_t call = solve_gemm_one();
    call.transpose_a = form.transpose_a, call.transpose_b = form.transpose_b;
    call.M = shape.M, call.N = shape.N, call.K = shape.K;
    call.batch = form.batch;
    call.A = A, call.lda = form.transpose_a ? shape.M : shape.N, call.stride_a = shape.a_elements();
    call.B = B, call.ldb = form.transpose_b ? shape.N : shape.K, call.stride_b = shape.b_elements();
    call.C = C, call.ldc = shape.K, call.stride_c = shape.c_elements();
    return call;
}

solve_gemm_t call_of(const Problem& problem) {
    return dense_call(problem.form().value_or(GemmForm{}), problem.shape(), problem.A(), problem.B(), problem.C());
}

}  // namespace judge
