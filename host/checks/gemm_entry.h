// solve_gemm and solve_enqueue as one kind of function, for what both promise.
#pragma once

#include <functional>
#include <string>

#include "abi/solve.h"
#include "library/plugin.h"

namespace judge {

struct GemmEntry {
    std::string name;
    std::function<int(const solve_gemm_t&)> call;  // solve_enqueue takes of it what it has a parameter for
    bool takes_transposed;
    // The text of the last call's error, empty for none; empty itself where the plugin promises none.
    std::function<std::string()> last_error = {};
};

inline std::function<std::string()> promised_last_error(const Plugin& plugin) {
    if (!plugin.reports_errors()) return {};
    return [&plugin] { return plugin.last_error(); };
}

inline GemmEntry gemm_entry(const Plugin& plugin) {
    return {"solve_gemm", [&plugin](const solve_gemm_t& call) { return plugin.solve_gemm(&call); }, true,
            promised_last_error(plugin)};
}

inline GemmEntry enqueue_entry(const Plugin& plugin) {
    return {"solve_enqueue",
            [&plugin](const solve_gemm_t& call) {
                return plugin.solve_enqueue(call.A, call.lda, call.B, call.ldb, call.C, call.ldc, call.M, call.N,
                                            call.K, call.alpha, call.beta, call.stream);
            },
            false, promised_last_error(plugin)};
}

}  // namespace judge
