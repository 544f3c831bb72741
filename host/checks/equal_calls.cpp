#include "checks/equal_calls.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "abi/solve.h"
#include "checks/bound.h"
#include "checks/chain_check.h"
#include "checks/circumstances.h"
#include "checks/gemm_check.h"
#include "checks/guarded_matrix.h"
#include "checks/process_state.h"
#include "checks/small_product.h"

namespace judge {

namespace {

// A sum that may be cut into parts, the same for the emulator, and a product that is worth several threads.
constexpr Shape kLongProduct{33, 1600, 40}, kEmulatedProduct{33, 520, 40}, kLargeProduct{130, 1030, 134};

// So many floats from a multiple of 256 bytes on, at most 4096.
class Placed {
  public:
    Placed(Device& device, int64_t elements, int offset)
        : memory_(device, elements + kUnit + kMost, 0),
          skipped_((-(reinterpret_cast<uintptr_t>(memory_.data()) / sizeof(float)) % kUnit) + offset) {}

    float* data() const { return memory_.data() + skipped_; }

  private:
    static constexpr uintptr_t kUnit = 256 / sizeof(float);
    static constexpr int kMost = 4096;  // the same room for any offset: what a matrix ends with lies at a page's end
    const GuardedMatrix memory_;
    const uintptr_t skipped_;
};

class EqualCalls {
  public:
    EqualCalls(Device& device, const EqualCallsTest& test, const Shape& shape)
        : device_(device), test_(test), shape_(shape), matrices_(at(0)) {}

    // Thoroughly: also with other addresses, and after other calls.
    EqualCallsFindings run(bool thoroughly) {
        bits_ = call(*matrices_, kPoison);
        if (!found_.wrong.empty() || (!test_.promises_bits && !is_within_bound(*matrices_))) return {};
        if (thoroughly && test_.promises_bits && !test_.emulated) repeat();
        if (!are_bits_equal_in_all(thoroughly)) look_for_cause();
        return found_;
    }

  private:
    struct Matrices {
        Placed A, B, C;
    };

    // Each from another number of floats on.
    std::unique_ptr<Matrices> at(int offset) const {
        const int64_t products = test_.products;
        std::unique_ptr<Matrices> matrices(new Matrices{{device_, products * shape_.a_elements(), offset},
                                                        {device_, products * shape_.b_elements(), 2 * offset},
                                                        {device_, products * shape_.c_elements(), 5 * offset}});
        device_.fill_random(matrices->A.data(), products * shape_.a_elements(), {kSeed});
        device_.fill_random(matrices->B.data(), products * shape_.b_elements(), {kSeed + 1});
        return matrices;
    }

    std::string at() const { return fmt::format("{} at {}", test_.name, to_string(shape_)); }
    size_t elements() const { return size_t(test_.products) * shape_.c_elements(); }

    uint64_t call(const Matrices& matrices, uint32_t before) {
        device_.fill(matrices.C.data(), elements(), before);
        device_.synchronize();
        call_shape(matrices, shape_);
        return device_.hash(matrices.C.data(), elements());
    }

    void call_shape(const Matrices& matrices, const Shape& shape) {
        int code = SOLVE_OK;
        {
            const CallGuard guard;
            code = test_.call(matrices.A.data(), matrices.B.data(), matrices.C.data(), shape);
        }
        device_.synchronize();
        if (code != SOLVE_OK && found_.wrong.empty()) found_.wrong = fmt::format("{}: returned {}", at(), code);
    }

    void repeat() {
        for (int i = 0; i < 6; ++i) compare(*matrices_, kPoison, "once in several calls");
    }

    void call_other_sizes() { call_shape(*matrices_, {shape_.M - 1, shape_.N / 2, shape_.K / 2 + 1}); }

    // As much as goes together in each of two calls.
    bool are_bits_equal_in_all(bool thoroughly) {
        const std::unique_ptr<Matrices> moved = thoroughly ? at(kMoved) : nullptr;
        if (thoroughly) call_other_sizes();
        bool are_equal = true;
        for (const bool busy : {false, true}) {
            const bool as_ever = busy || !thoroughly;
            std::function<void()> equal_call = [&] {
                are_equal &= (as_ever ? call(*matrices_, kPoison) : call(*moved, 0)) == bits_;
            };
            for (const Circumstance& circumstance : circumstances()) {
                if (circumstance.busy != busy) continue;
                equal_call = [with = circumstance.with, inner = equal_call] { with(inner); };
            }
            equal_call();
        }
        return are_equal && found_.wrong.empty();
    }

    // Each by itself.
    void look_for_cause() {
        for (int i = 0; i < 4; ++i) repeats_ &= call(*matrices_, kPoison) == bits_;
        if (!repeats_) fail(*matrices_, "once in several calls");
        compare(*matrices_, 0, "with zeros in C before the call");
        call_other_sizes();
        compare(*matrices_, kPoison, "after a call at other sizes");
        compare(*at(kMoved), kPoison, "with matrices elsewhere, equally aligned to 16 bytes");
        for (const Circumstance& circumstance : circumstances()) {
            circumstance.with([&] { compare(*matrices_, kPoison, circumstance.what); });
        }
        if (found_.wrong.empty() && found_.note.empty() && repeats_) {
            fail(*matrices_, "in several circumstances at once, or once in several calls");
        }
    }

    void compare(const Matrices& matrices, uint32_t before, const std::string& where) {
        if (!found_.wrong.empty() || call(matrices, before) == bits_) return;
        fail(matrices, where);
    }

    void fail(const Matrices& matrices, const std::string& where) {
        if (!found_.wrong.empty()) {
            found_.wrong += ", " + where;  // it returned an error
        } else if (test_.promises_bits) {
            found_.wrong =
                fmt::format("{}: equal calls gave different bits, which they may not (abi/solve.h): {}", at(), where);
        } else if (!is_within_bound(matrices)) {
            found_.wrong = fmt::format("{}: right, but not {}: {}", at(), where, off_);
        } else if (repeats_ && found_.note.empty()) {
            found_.note = fmt::format("at {} the bits of C are others {}", to_string(shape_), where);
        }
    }

    // Whether C is as near to the FP64 product as it must be; else off_ says where it is not.
    bool is_within_bound(const Matrices& matrices) {
        if (exact_.sum.empty()) {
            Operands operands = zeros(shape_);
            for (size_t i = 0; i < operands.a.size(); ++i) operands.a[i] = element({kSeed}, i);
            for (size_t i = 0; i < operands.b.size(); ++i) operands.b[i] = element({kSeed + 1}, i);
            exact_ = exact_product(operands);
        }
        Matrix c(elements());
        device_.read(c.data(), matrices.C.data(), c.size());
        const double rho = kUnitRoundoff * rho_bound(shape_.N, test_.arithmetic);
        for (size_t i = 0; i < c.size(); ++i) {
            if (std::abs(c[i] - exact_.sum[i]) <= rho * exact_.magnitude[i]) continue;  // false for NaN
            off_ = fmt::format("({}, {}) of C is {:.9g}, not {:.9g}", i / shape_.K, i % shape_.K, c[i], exact_.sum[i]);
            return false;
        }
        return true;
    }

    static constexpr uint64_t kSeed = 7;
    // Floats, and multiples of these: equal alignment to 16 bytes, and none to 32, 64 or a page.
    static constexpr int kMoved = 516;

    Device& device_;
    const EqualCallsTest& test_;
    const Shape shape_;
    const std::unique_ptr<Matrices> matrices_;
    uint64_t bits_ = 0;
    bool repeats_ = true;
    Exact exact_;
    std::string off_;
    EqualCallsFindings found_;
};

}  // namespace

EqualCallsFindings check_equal_calls(Device& device, const EqualCallsTest& test) {
    EqualCallsFindings found = EqualCalls(device, test, test.emulated ? kEmulatedProduct : kLongProduct).run(true);
    if (!test.emulated && found.wrong.empty() && found.note.empty()) {
        found = EqualCalls(device, test, kLargeProduct).run(false);
    }
    return found;
}

EqualCallsFindings check_equal_calls_of_enqueue(const Plugin& plugin, Device& device, bool emulated) {
    EqualCallsTest test{.name = "solve_enqueue", .emulated = emulated};
    test.call = [&](const float* A, const float* B, float* C, const Shape& shape) {
        const int N = shape.N, K = shape.K;
        return plugin.solve_enqueue(A, N, B, K, C, K, shape.M, N, K, 1, 0, nullptr);
    };
    return check_equal_calls(device, test);
}

EqualCallsFindings check_equal_calls_of_gemm(const Plugin& plugin, const GemmForm& form, Device& device,
                                             bool emulated) {
    EqualCallsTest test{.name = "solve_gemm", .products = 2, .emulated = emulated};
    test.call = [&](const float* A, const float* B, float* C, const Shape& shape) {
        const solve_gemm_t call = dense_call({form.transpose_a, form.transpose_b, 2}, shape, A, B, C);
        return plugin.solve_gemm(&call);
    };
    return check_equal_calls(device, test);
}

EqualCallsFindings check_equal_calls_of_chain(const Plugin& plugin, Device& device, bool emulated) {
    constexpr int kMost = kLargeProduct.K;
    const GuardedMatrix third(device, int64_t{kMost} * kMost, 0);  // of every call, which only reads it
    device.fill_random(third.data(), third.elements(), {99});
    EqualCallsTest test{.name = "solve_chain_enqueue", .emulated = emulated};
    test.call = [&](const float* A, const float* B, float* E, const Shape& shape) {
        const solve_chain_t call = dense_chain({shape.M, shape.N, shape.K, shape.K}, A, B, third.data(), E);
        return plugin.solve_chain_enqueue(&call);
    };
    return check_equal_calls(device, test);
}

}  // namespace judge
