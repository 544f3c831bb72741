#include "checks/workspace_check.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "checks/bound.h"
#include "checks/gemm_check.h"
#include "checks/guarded_matrix.h"
#include "checks/small_product.h"

namespace judge {

namespace {

constexpr Shape kShape{17, 300, 36};       // a long contraction, which is what a workspace is for
constexpr int64_t kLarge = 1 << 18;        // floats
constexpr uint32_t kGarbage = 0xffffffff;  // NaN, and as a whole number neither 0 nor 1

class WorkspaceCheck {
  public:
    WorkspaceCheck(const GemmForm& form, const Plugin& plugin, Device& device)
        : form_(form),
          plugin_(plugin),
          device_(device),
          operands_(random_operands(kShape, 1, Data::uniform)),
          exact_(exact_product(operands_)),
          A_(device, kShape.a_elements(), 0),
          B_(device, kShape.b_elements(), 0),
          C_(device, kShape.c_elements(), 0),
          large_(device, kLarge, 0) {
        const Operands turned = transposed(operands_);  // B^T and A^T
        device.write(A_.data(), (form.transpose_a ? turned.b : operands_.a).data(), A_.elements());
        device.write(B_.data(), (form.transpose_b ? turned.a : operands_.b).data(), B_.elements());
        device.fill(large_.data(), kLarge, kGarbage);
    }

    std::string run() {
        // Where an order of sums is left to threads, it is often the same by chance. The emulator has none.
        const int calls = plugin_.is_emulated() ? 2 : 24;
        std::vector<float> first;
        for (int i = 0; i < calls; ++i) {
            const char* const what =
                i == 0 ? "with a workspace of 1 MiB that holds garbage" : "with that workspace again";
            if (const std::string wrong = wrong_with(&large_); !wrong.empty()) return what + (": " + wrong);
            if (first.empty()) first = c_;
            if (std::memcmp(first.data(), c_.data(), first.size() * sizeof(float)) != 0) {
                return fmt::format("{}: equal calls gave different bits", what);
            }
        }
        // From here on it is the caller's.
        device_.fill(large_.data(), kLarge, kPoison);
        if (const std::string wrong = wrong_without_large(nullptr); !wrong.empty()) {
            return "without a workspace, after one was lent: " + wrong;
        }
        for (const int64_t floats : {int64_t{64}, int64_t{1} << 12, int64_t{1} << 15}) {
            GuardedMatrix small(device_, floats, 0);
            device_.fill(small.data(), floats, kGarbage);
            if (const std::string wrong = wrong_without_large(&small); !wrong.empty()) {
                return fmt::format("with a workspace of {} bytes: {}", 4 * floats, wrong);
            }
        }
        return {};
    }

  private:
    std::string wrong_without_large(GuardedMatrix* workspace) {
        large_.arm(Access::none);
        const std::string wrong = wrong_with(workspace);
        large_.disarm();
        if (large_.misused() || device_.count_other(large_.data(), kLarge, kPoison) > 0) {
            return "used the workspace of an earlier call";
        }
        return wrong;
    }

    // Makes the call; C is then in c_.
    std::string wrong_with(GuardedMatrix* workspace) {
        device_.fill(C_.data(), C_.elements(), kPoison);
        device_.synchronize();
        solve_gemm_t call = dense_call(form_, kShape, A_.data(), B_.data(), C_.data());
        if (workspace) {
            call.workspace = workspace->data(), call.workspace_bytes = workspace->elements() * sizeof(float);
            workspace->arm();
        }
        const int code = plugin_.solve_gemm(&call);
        const std::string error = code == SOLVE_OK ? std::string() : plugin_.last_error();
        device_.synchronize();
        c_.resize(C_.elements());
        device_.read(c_.data(), C_.data(), c_.size());
        if (workspace) {
            workspace->disarm();
            if (!workspace->trespass().empty()) return workspace->trespass() + " it";
            if (workspace->damage() > 0) return "wrote outside it";
        }
        if (A_.damage() + B_.damage() + C_.damage() > 0) return "wrote outside the matrices";
        if (code == SOLVE_OK) return first_wrong();
        if (code != SOLVE_UNSUPPORTED) return fmt::format("returned {}: {}", code, error);
        return device_.count_other(C_.data(), C_.elements(), kPoison) == 0 ? ""
                                                                           : "calls it unsupported, but wrote to C";
    }

    std::string first_wrong() const {
        for (size_t at = 0; at < c_.size(); ++at) {
            const double bound = kUnitRoundoff * (rho_bound(kShape.N, plugin_.arithmetic()) + 4) * exact_.magnitude[at];
            if (std::abs(c_[at] - exact_.sum[at]) <= bound) continue;
            return fmt::format("({}, {}): got {:.9g}, want {:.9g} +- {:.3g}", at / kShape.K, at % kShape.K, c_[at],
                               exact_.sum[at], bound);
        }
        return {};
    }

    const GemmForm form_;
    const Plugin& plugin_;
    Device& device_;
    const Operands operands_;
    const Exact exact_;
    const GuardedMatrix A_, B_, C_;
    GuardedMatrix large_;
    std::vector<float> c_;
};

}  // namespace

std::string check_workspaces(const Plugin& plugin, Device& device) {
    for (const std::string& name : form_names()) {
        if (const std::string wrong = WorkspaceCheck(parse_form(name), plugin, device).run(); !wrong.empty()) {
            return fmt::format("solve_gemm {}, {} {}", name, to_string(kShape), wrong);
        }
    }
    return {};
}

}  // namespace judge
