#include "worker/plugin_call.h"

#include <cstddef>
#include <vector>

#include "checks/gemm_check.h"

namespace judge {

bool does(const Plugin& plugin, Operation operation) {
    switch (operation) {
        case Operation::chain:
            return plugin.solve_chain != nullptr;
        case Operation::full_gemm:
            return plugin.solve_gemm != nullptr;
        default:
            return plugin.solve != nullptr;
    }
}

Call call_of(const Plugin& plugin, const Problem& problem) {
    const Shape& shape = problem.shape();
    if (shape.is_chain()) {
        return [&problem, shape, solve_chain = plugin.solve_chain] {
            solve_chain(problem.input(0), problem.input(1), problem.input(2), problem.output(), shape.M, shape.N,
                        shape.K, shape.L);
        };
    }
    if (problem.form()) {
        return [call = call_of(problem), solve_gemm = plugin.solve_gemm] { solve_gemm(&call); };
    }
    return [&problem, shape, solve = plugin.solve] {
        solve(problem.A(), problem.B(), problem.C(), shape.M, shape.N, shape.K);
    };
}

void start_threads_of(const Plugin& baseline, Operation operation) {
    constexpr int kSize = 192;
    const std::vector<float> one(size_t{kSize} * kSize);
    std::vector<float> product(one.size());
    const float* const in = one.data();
    if (operation == Operation::gemm) {
        baseline.solve(in, in, product.data(), kSize, kSize, kSize);
    } else if (operation == Operation::chain) {
        baseline.solve_chain(in, in, in, product.data(), kSize, kSize, kSize, kSize);
    } else {
        const solve_gemm_t call = dense_call({}, {kSize, kSize, kSize}, in, in, product.data());
        baseline.solve_gemm(&call);
    }
}

}  // namespace judge
