#include "checks/refusals.h"

#include <fmt/format.h>

#include "checks/guarded_matrix.h"

namespace judge {

namespace {

// Three matrices of 8 x 8, all poison, and the good call of them.
class RefusedCall {
  public:
    explicit RefusedCall(Device& device) : device_(device), memory_(device, 3 * 64, 0) {
        device.fill(memory_.data(), memory_.elements(), kPoison);
        device.synchronize();
        call.M = call.N = call.K = 8;
        call.lda = call.ldb = call.ldc = 8;
        call.A = memory_.data(), call.B = memory_.data() + 64, call.C = memory_.data() + 128;
    }

    bool has_written() {
        device_.synchronize();
        return device_.count_other(memory_.data(), memory_.elements(), kPoison) > 0 || memory_.damage() > 0;
    }

    solve_gemm_t call = solve_gemm_one();

  private:
    Device& device_;
    const GuardedMatrix memory_;
};

struct GemmRefusal {
    const char* what;
    void (*spoil)(solve_gemm_t& call);
};

constexpr GemmRefusal kOfBoth[] = {
    {"a negative M", [](solve_gemm_t& call) { call.M = -1; }},
    {"a negative N", [](solve_gemm_t& call) { call.N = -1; }},
    {"a negative K", [](solve_gemm_t& call) { call.K = -1; }},
    {"no A", [](solve_gemm_t& call) { call.A = nullptr; }},
    {"no B", [](solve_gemm_t& call) { call.B = nullptr; }},
    {"no C", [](solve_gemm_t& call) { call.C = nullptr; }},
    {"alpha 0 and no A", [](solve_gemm_t& call) { call.A = nullptr, call.alpha = 0; }},
    {"alpha 0 and no B", [](solve_gemm_t& call) { call.B = nullptr, call.alpha = 0; }},
    {"an lda that is short", [](solve_gemm_t& call) { call.lda = 7; }},
    {"an ldb that is short", [](solve_gemm_t& call) { call.ldb = 7; }},
    {"an ldc that is short", [](solve_gemm_t& call) { call.ldc = 7; }},
};

constexpr GemmRefusal kOfFields[] = {
    {"a size of 0", [](solve_gemm_t& call) { call.size = 0; }},
    {"a negative batch", [](solve_gemm_t& call) { call.batch = -1; }},
    {"a bias at null", [](solve_gemm_t& call) { call.bias_kind = SOLVE_BIAS_OF_ROWS; }},
    {"transpose_a 2", [](solve_gemm_t& call) { call.transpose_a = 2; }},
    {"an lda that is short for a transposed A",
     [](solve_gemm_t& call) { call.transpose_a = SOLVE_T, call.N = 4, call.lda = 7; }},
    {"an ldb that is short for a transposed B",
     [](solve_gemm_t& call) { call.transpose_b = SOLVE_T, call.K = 4, call.ldb = 7; }},
};

std::string accepted(const GemmEntry& entry, Device& device, const GemmRefusal& refusal) {
    RefusedCall trial(device);
    refusal.spoil(trial.call);
    const int code = entry.call(trial.call);
    if (trial.has_written()) return fmt::format("{} with {} writes to memory", entry.name, refusal.what);
    if (code == SOLVE_INVALID_ARGUMENT) return {};
    return fmt::format("{} with {} returns {}, not SOLVE_INVALID_ARGUMENT", entry.name, refusal.what, code);
}

// A struct of a later version, whose further field asks for something or, with 0, does not.
std::string check_longer_struct(const GemmEntry& gemm, Device& device) {
    struct Later {
        solve_gemm_t known;
        uint64_t further;
    };
    for (const uint64_t further : {uint64_t{1}, uint64_t{1} << 63, uint64_t{0}}) {
        RefusedCall trial(device);
        Later later{trial.call, further};
        later.known.size = sizeof(later);
        const int code = gemm.call(later.known);
        if (further == 0) {
            RefusedCall known(device);
            if (const int same = gemm.call(known.call); code != same) {
                return fmt::format(
                    "{} with a longer struct, whose further bytes are 0, returns {}, and {} without them", gemm.name,
                    code, same);
            }
            continue;
        }
        const char* const what = "a longer struct, whose further bytes are not all 0,";
        if (trial.has_written()) return fmt::format("{} with {} writes to memory", gemm.name, what);
        if (code != SOLVE_UNSUPPORTED) {
            return fmt::format("{} with {} returns {}, not SOLVE_UNSUPPORTED", gemm.name, what, code);
        }
    }
    return {};
}

std::string check_batch_of_none(const GemmEntry& gemm, Device& device) {
    RefusedCall trial(device);
    trial.call.batch = 0, trial.call.alpha = 0;
    const int code = gemm.call(trial.call);
    if (trial.has_written()) return fmt::format("{} with a batch of 0 writes to memory", gemm.name);
    if (code == SOLVE_OK || code == SOLVE_UNSUPPORTED) return {};
    return fmt::format("{} with a batch of 0 returns {}", gemm.name, code);
}

}  // namespace

std::string check_refusals(const GemmEntry& entry, Device& device) {
    for (const GemmRefusal& refusal : kOfBoth) {
        if (const std::string wrong = accepted(entry, device, refusal); !wrong.empty()) return wrong;
    }
    return {};
}

std::string check_refusals_of_fields(const GemmEntry& gemm, Device& device) {
    for (const GemmRefusal& refusal : kOfFields) {
        if (const std::string wrong = accepted(gemm, device, refusal); !wrong.empty()) return wrong;
    }
    if (const std::string wrong = check_longer_struct(gemm, device); !wrong.empty()) return wrong;
    return check_batch_of_none(gemm, device);
}

}  // namespace judge
