#include "checks/refusals.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "checks/guarded_matrix.h"

namespace judge {

namespace {

// Three matrices of 8 x 8, of random numbers, and the good call of them.
class RefusedCall {
  public:
    explicit RefusedCall(Device& device) : device_(device), memory_(device, 3 * 64, 0) {
        device.fill_random(memory_.data(), memory_.elements(), {1});
        device.synchronize();
        before_ = device.hash(memory_.data(), memory_.elements());
        call.M = call.N = call.K = 8;
        call.lda = call.ldb = call.ldc = 8;
        call.A = memory_.data(), call.B = memory_.data() + 64, call.C = memory_.data() + 128;
    }

    bool has_written() {
        device_.synchronize();
        return device_.hash(memory_.data(), memory_.elements()) != before_ || memory_.damage() > 0;
    }

    std::vector<float> matrices() {  // A, B and C
        device_.synchronize();
        std::vector<float> all(memory_.elements());
        device_.read(all.data(), memory_.data(), all.size());
        return all;
    }

    solve_gemm_t call = solve_gemm_one();

  private:
    Device& device_;
    const GuardedMatrix memory_;
    uint64_t before_;
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
};

constexpr GemmRefusal kOfFields[] = {
    {"a size of 0", [](solve_gemm_t& call) { call.size = 0; }},
    {"a struct that is shorter", [](solve_gemm_t& call) { call.size = sizeof(call) - 8; }},
    {"a negative batch", [](solve_gemm_t& call) { call.batch = -1; }},
    {"a bias at null", [](solve_gemm_t& call) { call.bias_kind = SOLVE_BIAS_OF_ROWS; }},
    {"transpose_a 2", [](solve_gemm_t& call) { call.transpose_a = 2; }},
    {"an lda that is short for a transposed A",
     [](solve_gemm_t& call) { call.transpose_a = SOLVE_T, call.N = 4, call.lda = 7; }},
    {"an ldb that is short for a transposed B",
     [](solve_gemm_t& call) { call.transpose_b = SOLVE_T, call.K = 4, call.ldb = 7; }},
    {"an lda of -8 for a transposed A", [](solve_gemm_t& call) { call.transpose_a = SOLVE_T, call.lda = -8; }},
    {"an ldb of -8 for a transposed B", [](solve_gemm_t& call) { call.transpose_b = SOLVE_T, call.ldb = -8; }},
};

// Calls that leave C as it is: with the matrices there, and with null for those that have no elements.
constexpr GemmRefusal kEmptyOfBoth[] = {
    {"M 0", [](solve_gemm_t& call) { call.M = 0; }},
    {"K 0", [](solve_gemm_t& call) { call.K = 0; }},
    {"M 0 and neither A nor C", [](solve_gemm_t& call) { call.M = 0, call.A = call.C = nullptr; }},
    {"K 0 and neither B nor C", [](solve_gemm_t& call) { call.K = 0, call.B = nullptr, call.C = nullptr; }},
    {"N 0, beta 1 and neither A nor B",
     [](solve_gemm_t& call) { call.N = 0, call.beta = 1, call.A = nullptr, call.B = nullptr; }},
};

constexpr GemmRefusal kEmptyOfFields[] = {
    {"a batch of 0", [](solve_gemm_t& call) { call.batch = 0; }},
    {"a batch of 0 and beta 1", [](solve_gemm_t& call) { call.batch = 0, call.beta = 1; }},
    {"a batch of 0 and alpha 0", [](solve_gemm_t& call) { call.batch = 0, call.alpha = 0; }},
    {"a batch of 0, N 0 and beta 0.5", [](solve_gemm_t& call) { call.batch = 0, call.N = 0, call.beta = 0.5f; }},
    {"a batch of 0 and no matrices",
     [](solve_gemm_t& call) { call.batch = 0, call.A = nullptr, call.B = nullptr, call.C = nullptr; }},
    {"a batch of 3 and M 0", [](solve_gemm_t& call) { call.batch = 3, call.M = 0, call.A = call.C = nullptr; }},
    {"a batch of 3 and K 0", [](solve_gemm_t& call) { call.batch = 3, call.K = 0, call.B = call.C = nullptr; }},
    {"a batch of 3, N 0, beta 1 and neither A nor B",
     [](solve_gemm_t& call) {
         call.batch = 3, call.M = 2, call.stride_c = 16;
         call.N = 0, call.beta = 1, call.A = call.B = nullptr;
     }},
};

std::string accepted(const GemmEntry& entry, Device& device, const std::string& what,
                     const std::function<void(solve_gemm_t&)>& spoil) {
    RefusedCall trial(device);
    spoil(trial.call);
    const int code = entry.call(trial.call);
    if (trial.has_written()) {
        return fmt::format("{} with {} writes to memory, and must refuse it (SOLVE_INVALID_ARGUMENT)", entry.name,
                           what);
    }
    if (code != SOLVE_INVALID_ARGUMENT) {
        return fmt::format("{} with {} returns {}, not SOLVE_INVALID_ARGUMENT", entry.name, what, code);
    }
    if (!entry.last_error || !entry.last_error().empty()) return {};
    return fmt::format("{} with {} returns SOLVE_INVALID_ARGUMENT, and solve_last_error has no text", entry.name, what);
}

// A good call after a refused one: what is kept of that spoils it, or is still told.
std::string wrong_afterwards(const GemmEntry& entry, Device& device) {
    RefusedCall trial(device);
    const solve_gemm_t good = trial.call;
    trial.call.M = -1;
    entry.call(trial.call);
    const int code = entry.call(good);
    const std::string after = fmt::format("{} at 8x8x8, after a call that it has refused,", entry.name);
    if (code == SOLVE_UNSUPPORTED) return {};
    if (code != SOLVE_OK) return fmt::format("{} returns {}", after, code);
    const std::string error = entry.last_error ? entry.last_error() : "";
    if (!error.empty()) return fmt::format("{} is right, and solve_last_error has a text: {}", after, error);
    const std::vector<float> all = trial.matrices();
    for (size_t at = 0; at < 64; ++at) {
        double sum = 0, magnitude = 0;
        for (size_t n = 0; n < 8; ++n) {
            const double product = double(all[at / 8 * 8 + n]) * all[64 + n * 8 + at % 8];
            sum += product, magnitude += std::abs(product);
        }
        if (std::abs(all[128 + at] - sum) <= 0.02 * magnitude) continue;  // of any class
        return fmt::format("{} leaves {:.9g} at ({}, {}) of C, not {:.9g}", after, all[128 + at], at / 8, at % 8, sum);
    }
    return {};
}

// What a later version may give a meaning to, and this one has none for.
constexpr GemmRefusal kUnknown[] = {
    {"bias_kind 3", [](solve_gemm_t& call) { call.bias_kind = 3, call.bias = call.A; }},
    {"accuracy 99", [](solve_gemm_t& call) { call.accuracy = 99; }},
};

std::string wrong_of_unknown(const GemmEntry& gemm, Device& device, const GemmRefusal& unknown) {
    RefusedCall trial(device);
    unknown.spoil(trial.call);
    const int code = gemm.call(trial.call);
    if (trial.has_written()) {
        return fmt::format("{} with {}, which has no meaning, writes to memory, and must refuse it", gemm.name,
                           unknown.what);
    }
    if (code == SOLVE_INVALID_ARGUMENT || code == SOLVE_UNSUPPORTED) return {};
    return fmt::format("{} with {} returns {}, and does not refuse it", gemm.name, unknown.what, code);
}

// Of each matrix, where all else is good: of whole matrices, of one row, column or term, which may go ways of their
// own, and where the product does not count.
std::string accepted_dimension(const GemmEntry& entry, Device& device) {
    struct Good {
        const char* what;
        void (*make)(solve_gemm_t& call);
    };
    constexpr Good kGood[] = {{"", [](solve_gemm_t&) {}},
                              {" at 1x8x8", [](solve_gemm_t& call) { call.M = 1; }},
                              {" at 8x1x8", [](solve_gemm_t& call) { call.N = 1; }},
                              {" at 8x8x1", [](solve_gemm_t& call) { call.K = 1; }},
                              {" and beta 0.5", [](solve_gemm_t& call) { call.beta = 0.5f; }},
                              {" and alpha 0", [](solve_gemm_t& call) { call.alpha = 0; }}};
    const std::pair<const char*, int64_t solve_gemm_t::*> fields[] = {
        {"lda", &solve_gemm_t::lda}, {"ldb", &solve_gemm_t::ldb}, {"ldc", &solve_gemm_t::ldc}};
    for (const Good& good : kGood) {
        for (const auto& [name, field] : fields) {
            for (const int64_t value : kShortDimensions) {
                solve_gemm_t sizes = solve_gemm_one();
                sizes.M = sizes.N = sizes.K = 8;
                good.make(sizes);
                if (value >= (field == &solve_gemm_t::lda ? sizes.N : sizes.K)) continue;
                const std::string what = fmt::format("{} {}{}", name, value, good.what);
                const std::string wrong = accepted(entry, device, what, [&](solve_gemm_t& call) {
                    good.make(call);
                    call.*field = value;
                });
                if (!wrong.empty()) return wrong;
            }
        }
    }
    return {};
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

// A plugin may call each unsupported, and then has nothing to write either.
std::string wrong_of_empty(const GemmEntry& entry, Device& device, const GemmRefusal& empty) {
    RefusedCall trial(device);
    empty.spoil(trial.call);
    const int code = entry.call(trial.call);
    if (trial.has_written()) return fmt::format("{} with {} writes to memory", entry.name, empty.what);
    if (code != SOLVE_OK && code != SOLVE_UNSUPPORTED) {
        return fmt::format("{} with {} returns {}", entry.name, empty.what, code);
    }
    const std::string error = code == SOLVE_OK && entry.last_error ? entry.last_error() : "";
    if (error.empty()) return {};
    return fmt::format("{} with {} returns SOLVE_OK, and solve_last_error has a text: {}", entry.name, empty.what,
                       error);
}

}  // namespace

std::string check_refusals(const GemmEntry& entry, Device& device) {
    for (const GemmRefusal& refusal : kOfBoth) {
        if (const std::string wrong = accepted(entry, device, refusal.what, refusal.spoil); !wrong.empty())
            return wrong;
    }
    if (const std::string wrong = accepted_dimension(entry, device); !wrong.empty()) return wrong;
    for (const GemmRefusal& empty : kEmptyOfBoth) {
        if (const std::string wrong = wrong_of_empty(entry, device, empty); !wrong.empty()) return wrong;
    }
    return wrong_afterwards(entry, device);
}

std::string check_refusals_of_fields(const GemmEntry& gemm, Device& device) {
    for (const GemmRefusal& refusal : kOfFields) {
        if (const std::string wrong = accepted(gemm, device, refusal.what, refusal.spoil); !wrong.empty()) return wrong;
    }
    for (const GemmRefusal& empty : kEmptyOfFields) {
        if (const std::string wrong = wrong_of_empty(gemm, device, empty); !wrong.empty()) return wrong;
    }
    for (const GemmRefusal& unknown : kUnknown) {
        if (const std::string wrong = wrong_of_unknown(gemm, device, unknown); !wrong.empty()) return wrong;
    }
    return check_longer_struct(gemm, device);
}

}  // namespace judge
