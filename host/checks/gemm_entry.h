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
};

inline GemmEntry gemm_entry(const Plugin& plugin) {
    return {"solve_gemm", [&plugin](const solve_gemm_t& call) { return plugin.solve_gemm(&call); }, true};
}

inline GemmEntry enqueue_entry(const Plugin& plugin) {
    return {"solve_enqueue",
            [&plugin](const solve_gemm_t& call) {
                return plugin.solve_enqueue(call.A, call.lda, call.B, call.ldb, call.C, call.ldc, call.M, call.N,
                                            call.K, call.alpha, call.beta, call.stream);
            },
            false};
}

}  // namespace judge
