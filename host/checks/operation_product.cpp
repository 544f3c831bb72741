#include "checks/operation_product.h"

#include "checks/gemm_check.h"
#include "checks/guarded_matrix.h"
#include "checks/process_state.h"
#include "checks/small_product.h"

namespace judge {

namespace {

void multiply_by_chain(const Plugin& plugin, Device& device, const float* A, const float* B, float* C, int M, int N,
                       int K) {
    Matrix identity(size_t(K) * K);
    for (int k = 0; k < K; ++k) identity[size_t(k) * K + k] = 1;
    const GuardedMatrix third(device, identity.size(), 0);
    device.write(third.data(), identity.data(), identity.size());
    device.synchronize();
    const CallGuard guard;
    plugin.solve_chain(A, B, third.data(), C, M, N, K, K);
    device.synchronize();
}

void multiply_by_gemm(const Plugin& plugin, Device& device, GemmForm form, const float* A, const float* B, float* C,
                      const Shape& shape) {
    form.batch = 1;
    const GuardedMatrix a(device, form.transpose_a ? shape.a_elements() : 0, 0),
        b(device, form.transpose_b ? shape.b_elements() : 0, 0);
    if (form.transpose_a) device.transpose(a.data(), A, shape.M, shape.N);
    if (form.transpose_b) device.transpose(b.data(), B, shape.N, shape.K);
    device.synchronize();
    const solve_gemm_t call =
        dense_call(form, shape, form.transpose_a ? a.data() : A, form.transpose_b ? b.data() : B, C);
    const CallGuard guard;
    if (plugin.solve_gemm(&call) == SOLVE_UNSUPPORTED) throw Unsupported(plugin.last_error());
    device.synchronize();
}

}  // namespace

Multiply multiply_by(const Plugin& plugin, Device& device, const Problem& problem) {
    if (const auto form = problem.form()) {
        return [&, form](const float* A, const float* B, float* C, int M, int N, int K) {
            multiply_by_gemm(plugin, device, *form, A, B, C, {M, N, K});
        };
    }
    if (problem.shape().is_chain()) {
        return [&](const float* A, const float* B, float* C, int M, int N, int K) {
            multiply_by_chain(plugin, device, A, B, C, M, N, K);
        };
    }
    return [&](const float* A, const float* B, float* C, int M, int N, int K) {
        const CallGuard guard;
        plugin.solve(A, B, C, M, N, K);
    };
}

}  // namespace judge
