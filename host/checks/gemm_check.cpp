#include "checks/gemm_check.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "checks/bound.h"
#include "checks/guarded_matrix.h"
#include "values/data.h"

namespace judge {

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

enum class Batch { strided, arrays, shared_b };

struct GemmCase {
    int M, N, K;
    GemmForm form;
    int padding = 0;  // of every row, in elements
    float alpha = 1, beta = 0;
    uint32_t bias = SOLVE_BIAS_NONE;
    Batch batch = Batch::strided;
    bool workspace = false, side_stream = false;

    std::string text() const {
        constexpr const char* kBias[] = {"no bias", "a bias of rows", "a bias of columns"};
        constexpr const char* kBatch[] = {"strides", "arrays of pointers", "a shared B"};
        return fmt::format("solve_gemm {}, {}x{}x{}, rows padded by {}, alpha {}, beta {}, {}, {} of them by {}{}{}",
                           to_string(form), M, N, K, padding, alpha, beta, kBias[bias], form.batch,
                           kBatch[static_cast<int>(batch)], workspace ? ", with a workspace" : "",
                           side_stream ? ", on a stream of its own" : "");
    }
};

// The matrices of all products, one behind the other with a gap between two of them. Padding and gaps are NaN.
class Stack {
  public:
    Stack(int count, bool transposed, int rows, int cols, int padding, bool nan, uint64_t seed)
        : transposed_(transposed),
          ld_((transposed ? rows : cols) + padding),
          stride_((transposed ? cols : rows) * ld_ + 5),
          values_(count * stride_, kNaN) {
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
    int64_t ld() const { return ld_; }
    int64_t stride() const { return stride_; }
    const std::vector<float>& values() const { return values_; }

  private:
    bool transposed_;
    int64_t ld_, stride_;
    std::vector<float> values_;
};

// A stack in the device's memory, and the array of its matrices' addresses.
class OnDevice {
  public:
    OnDevice(Device& device, const Stack& stack, int count)
        : device_(device), stack_(stack), floats_(device, stack.values().size(), 0), array_(device, 2 * count, 0) {
        device.write(floats_.data(), stack.values().data(), stack.values().size());
        std::vector<float*> pointers;
        for (int p = 0; p < count; ++p) pointers.push_back(floats_.data() + p * stack.stride());
        static_assert(sizeof(float*) == 2 * sizeof(float));
        device.write(array_.data(), reinterpret_cast<const float*>(pointers.data()), 2 * pointers.size());
    }

    float* data() const { return floats_.data(); }
    float* const* array() const { return reinterpret_cast<float* const*>(array_.data()); }
    size_t damage() const { return floats_.damage() + array_.damage(); }

    std::vector<float> after(void* stream) const {
        std::vector<float> values(stack_.values().size());
        device_.read_after(stream, values.data(), floats_.data(), values.size());
        return values;
    }

  private:
    Device& device_;
    const Stack& stack_;
    GuardedMatrix floats_, array_;
};

class GemmCaseCheck {
  public:
    GemmCaseCheck(const GemmCase& gemm, const Plugin& plugin, Device& device)
        : gemm_(gemm),
          plugin_(plugin),
          device_(device),
          a_(gemm.form.batch, gemm.form.transpose_a, gemm.M, gemm.N, gemm.padding, gemm.alpha == 0, 1),
          b_(gemm.form.batch, gemm.form.transpose_b, gemm.N, gemm.K, gemm.padding, gemm.alpha == 0, 2),
          c_(gemm.form.batch, false, gemm.M, gemm.K, gemm.padding, gemm.beta == 0, 3),
          bias_(gemm.form.batch, false, 1, std::max(gemm.M, gemm.K), 0, gemm.bias == SOLVE_BIAS_NONE, 4) {}

    std::string run() const {
        const int count = gemm_.form.batch;
        const OnDevice A(device_, a_, count), B(device_, b_, count), C(device_, c_, count), bias(device_, bias_, count);
        const GuardedMatrix workspace(device_, gemm_.workspace ? 1 << 18 : 0, 0);
        device_.synchronize();
        solve_gemm_t call = call_with(A, B, C, bias);
        if (gemm_.workspace) call.workspace = workspace.data(), call.workspace_bytes = workspace.elements() * 4;
        if (gemm_.side_stream) call.stream = device_.side_stream(), device_.occupy_default_stream();
        const int code = plugin_.solve_gemm(&call);
        if (code != SOLVE_OK && code != SOLVE_UNSUPPORTED) {
            return fmt::format("returned {}: {}", code, plugin_.last_error());
        }
        const std::vector<float> after = C.after(call.stream);
        device_.synchronize();
        if (A.damage() + B.damage() + C.damage() + bias.damage() + workspace.damage() > 0) {
            return "wrote outside the matrices";
        }
        if (!same(A.after(nullptr), a_.values()) || !same(B.after(nullptr), b_.values())) return "changed its inputs";
        if (code == SOLVE_OK) return first_wrong(after);
        return same(after, c_.values()) ? "" : "calls it unsupported, but wrote to C";
    }

  private:
    static bool same(const std::vector<float>& a, const std::vector<float>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    }

    solve_gemm_t call_with(const OnDevice& A, const OnDevice& B, const OnDevice& C, const OnDevice& bias) const {
        solve_gemm_t call = solve_gemm_one();
        call.M = gemm_.M, call.N = gemm_.N, call.K = gemm_.K;
        call.transpose_a = gemm_.form.transpose_a, call.transpose_b = gemm_.form.transpose_b;
        call.batch = gemm_.form.batch;
        call.lda = a_.ld(), call.ldb = b_.ld(), call.ldc = c_.ld();
        call.alpha = gemm_.alpha, call.beta = gemm_.beta;
        call.bias_kind = gemm_.bias;
        if (gemm_.bias != SOLVE_BIAS_NONE) call.bias = bias.data(), call.stride_bias = bias_.stride();
        if (gemm_.batch == Batch::arrays) {
            call.A_array = A.array(), call.B_array = B.array(), call.C_array = C.array();
        } else {
            call.A = A.data(), call.stride_a = a_.stride();
            call.B = B.data(), call.stride_b = gemm_.batch == Batch::shared_b ? 0 : b_.stride();
            call.C = C.data(), call.stride_c = c_.stride();
        }
        return call;
    }

    // The first element that is off; empty if there is none.
    std::string first_wrong(const std::vector<float>& after) const {
        std::vector<float> left = after;  // what is not an element of C must be as before
        for (int p = 0; p < gemm_.form.batch; ++p) {
            for (int i = 0; i < gemm_.M; ++i) {
                for (int k = 0; k < gemm_.K; ++k) {
                    const size_t at = c_.place(p, i, k);
                    if (const std::string wrong = wrong_at(p, i, k, after[at]); !wrong.empty()) return wrong;
                    left[at] = c_.values()[at];
                }
            }
        }
        return same(left, c_.values()) ? "" : "wrote past the end of a row of C, or between two products";
    }

    std::string wrong_at(int p, int i, int k, float got) const {
        const int p_of_b = gemm_.batch == Batch::shared_b ? 0 : p;
        double sum = 0, magnitude = 0;
        for (int n = 0; n < gemm_.N && gemm_.alpha != 0; ++n) {
            const double product = a_.at(p, i, n) * b_.at(p_of_b, n, k);
            sum += product;
            magnitude += std::abs(product);
        }
        const double old = gemm_.beta == 0 ? 0 : gemm_.beta * c_.at(p, i, k);
        const double added =
            gemm_.bias == SOLVE_BIAS_NONE ? 0 : bias_.at(p, 0, gemm_.bias == SOLVE_BIAS_OF_ROWS ? i : k);
        const double want = gemm_.alpha * sum + old + added;
        // Beside the product: alpha, beta and the sums with C and the bias round once each.
        const double bound =
            kUnitRoundoff * ((rho_bound(gemm_.N, plugin_.arithmetic()) + 4) * std::abs(gemm_.alpha) * magnitude +
                             4 * (std::abs(old) + std::abs(added)));
        if (std::abs(got - want) <= bound) return {};
        return fmt::format("product {}, ({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", p, i, k, got, want, bound);
    }

    const GemmCase& gemm_;
    const Plugin& plugin_;
    Device& device_;
    const Stack a_, b_, c_, bias_;
};

std::vector<GemmCase> cases(bool has_side_stream) {
    std::vector<GemmCase> list;
    for (const std::string& name : form_names()) {
        const auto form = [&](int batch) { return parse_form(name, batch); };
        list.push_back({129, 66, 131, form(1)});
        list.push_back({64, 64, 64, form(2), 4});
        list.push_back({64, 64, 64, form(2), 0, 1, 0, SOLVE_BIAS_NONE, Batch::shared_b});
        list.push_back({33, 20, 35, form(3), 1, -0.5f, 0.75f, SOLVE_BIAS_OF_ROWS});
        list.push_back({16, 16, 16, form(5), 0, 2, 0, SOLVE_BIAS_OF_COLUMNS, Batch::arrays});
        list.push_back({3, 300, 70, form(2), 2, 1, 1, SOLVE_BIAS_NONE, Batch::strided, true});
        list.push_back({70, 131, 2, form(2), 1, 0.5f, 0, SOLVE_BIAS_NONE, Batch::arrays, true});
        list.push_back({17, 9, 35, form(3), 1, 0, 0.5f, SOLVE_BIAS_OF_COLUMNS});
        list.push_back({17, 9, 35, form(2), 1, 0, 0});
        list.push_back({5, 0, 7, form(2), 3, 1, -2, SOLVE_BIAS_OF_ROWS});
        if (has_side_stream) {
            list.push_back({129, 66, 131, form(2), 0, 1, 0.5f, SOLVE_BIAS_OF_ROWS, Batch::strided, false, true});
        }
    }
    return list;
}

// A call that must be refused as invalid, of the good one that `spoil` has made bad.
template <class Spoil>
std::string accepted(const Plugin& plugin, Device& device, const char* what, Spoil spoil) {
    const GuardedMatrix memory(device, 3 * 64, 0);
    device.fill(memory.data(), memory.elements(), kPoison);
    device.synchronize();
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 8;
    call.lda = call.ldb = call.ldc = 8;
    call.A = memory.data(), call.B = memory.data() + 64, call.C = memory.data() + 128;
    spoil(call);
    const int code = plugin.solve_gemm(&call);
    device.synchronize();
    if (device.count_other(memory.data(), memory.elements(), kPoison) > 0) {
        return fmt::format("solve_gemm with {} writes to memory", what);
    }
    return code == SOLVE_INVALID_ARGUMENT ? "" : fmt::format("solve_gemm with {} returns {}", what, code);
}

std::string check_refusals(const Plugin& plugin, Device& device) {
    const std::string found[] = {
        accepted(plugin, device, "a size of 0", [](solve_gemm_t& call) { call.size = 0; }),
        accepted(plugin, device, "a negative M", [](solve_gemm_t& call) { call.M = -1; }),
        accepted(plugin, device, "a negative batch", [](solve_gemm_t& call) { call.batch = -1; }),
        accepted(plugin, device, "no A", [](solve_gemm_t& call) { call.A = nullptr; }),
        accepted(plugin, device, "no C", [](solve_gemm_t& call) { call.C = nullptr; }),
        accepted(plugin, device, "a bias at null", [](solve_gemm_t& call) { call.bias_kind = SOLVE_BIAS_OF_ROWS; }),
        accepted(plugin, device, "transpose_a 2", [](solve_gemm_t& call) { call.transpose_a = 2; }),
        accepted(plugin, device, "an lda that is short for a transposed A",
                 [](solve_gemm_t& call) { call.transpose_a = SOLVE_T, call.N = 4, call.lda = 7; }),
        accepted(plugin, device, "an ldb that is short for a transposed B",
                 [](solve_gemm_t& call) { call.transpose_b = SOLVE_T, call.K = 4, call.ldb = 7; }),
    };
    for (const std::string& wrong : found) {
        if (!wrong.empty()) return wrong;
    }
    return {};
}

}  // namespace

std::string check_gemm(const Plugin& plugin, Device& device) {
    for (const GemmCase& gemm : cases(device.side_stream() != nullptr)) {
        if (const std::string wrong = GemmCaseCheck(gemm, plugin, device).run(); !wrong.empty()) {
            return fmt::format("{}: {}", gemm.text(), wrong);
        }
    }
    return check_refusals(plugin, device);
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
