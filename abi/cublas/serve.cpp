#include "serve.h"

#include <atomic>
#include <memory>
#include <string>

#include "engine.h"
#include "gpu.h"
#include "log.h"
#include "slower.h"
#include "verify.h"

namespace drop_in {

thread_local int Depth::depth_ = 0;

namespace {

// Every N-th call of the process is checked.
bool is_to_verify() {
    static std::atomic<uint64_t> calls{0};
    return settings().verify_every > 0 && ++calls % settings().verify_every == 0;
}

bool is_left_to_cublas(const solve_gemm_t& call) {
    switch (settings().serve) {
        case Serve::all:
            return false;
        case Serve::faster:
            return says_slower(call);
        case Serve::by_gpu:
            break;
    }
    // Of another engine nothing is known. Nor is ours opened for this, which only logs may never do.
    return settings().engine.empty() && says_slower(call) && is_like_h100();
}

}  // namespace

std::optional<int> serve(const Call& call) {
    if (const char* const why = reason_to_pass_on(call)) {
        record(call, std::string("cublas: ") + why);
        return std::nullopt;
    }
    const solve_gemm_t ours = as_ours(call, settings().accuracy);
    if (is_left_to_cublas(ours)) {
        record(call, "cublas: expected to be faster");
        return std::nullopt;
    }
    if (settings().mode == Mode::log) {
        record(call, "cublas: only logged");
        return std::nullopt;
    }
    if (!has_engine()) {
        record(call, "cublas: no library of ours");
        return std::nullopt;
    }
    const std::shared_ptr<const Verification> verification = is_to_verify() ? begin_verification(ours) : nullptr;
    std::string why;
    const int code = multiply(ours, why);
    if (code == SOLVE_OK) {
        record(call, "sgemm-ladder");
        if (verification) finish_verification(*verification, call.entry);
        return cublas::kSuccess;
    }
    // C may be written in part already. Where it is not read, cuBLAS can do it all the same; else it is lost.
    const bool is_lost = code != SOLVE_INVALID_ARGUMENT && code != SOLVE_UNSUPPORTED && ours.beta != 0.0f;
    record(call, std::string(is_lost ? "failed: " : "cublas: ") + why);
    if (!is_lost) return std::nullopt;
    note(std::string(call.entry) + " failed: " + why, true);
    return cublas::kExecutionFailed;
}

}  // namespace drop_in
