#include "checks/plain_entries.h"

#include "abi/solve.h"
#include "checks/chain_check.h"
#include "checks/gemm_check.h"
#include "checks/small_product.h"

namespace judge {

std::vector<PlainEntry> plain_entries(const Plugin& plugin, Operation operation, const GemmForm& form) {
    std::vector<PlainEntry> entries;
    if (operation == Operation::gemm && plugin.solve) {
        entries.push_back({"solve", false, [&](const Shape& shape, const float* A, const float* B, float* C) {
                               plugin.solve(A, B, C, shape.M, shape.N, shape.K);
                               return SOLVE_OK;
                           }});
    }
    if (operation == Operation::gemm && plugin.solve_enqueue) {
        entries.push_back({"solve_enqueue", true, [&](const Shape& shape, const float* A, const float* B, float* C) {
                               const auto& [M, N, K, L] = shape;
                               return plugin.solve_enqueue(A, N, B, K, C, K, M, N, K, 1, 0, nullptr);
                           }});
    }
    if (operation == Operation::full_gemm) {
        entries.push_back({"solve_gemm", true, [&, form](const Shape& shape, const float* A, const float* B, float* C) {
                               const Operands operands{shape, {A, A + shape.a_elements()}, {B, B + shape.b_elements()}};
                               const Operands turned = transposed(operands);  // B^T and A^T
                               const solve_gemm_t call =
                                   dense_call({form.transpose_a, form.transpose_b}, shape,
                                              (form.transpose_a ? turned.b : operands.a).data(),
                                              (form.transpose_b ? turned.a : operands.b).data(), C);
                               return plugin.solve_gemm(&call);
                           }});
    }
    if (operation != Operation::chain) return entries;
    // With an identity in the middle, which is right in either order.
    const auto middle = [](const Shape& shape) {
        Matrix identity(size_t(shape.N) * shape.N);
        for (int n = 0; n < shape.N; ++n) identity[size_t(n) * shape.N + n] = 1;
        return identity;
    };
    if (plugin.solve_chain) {
        entries.push_back(
            {"solve_chain", false, [&, middle](const Shape& shape, const float* A, const float* B, float* C) {
                 const Matrix identity = middle(shape);
                 const auto& [M, N, K, L] = shape;
                 plugin.solve_chain(A, identity.data(), B, C, M, N, N, K);
                 return SOLVE_OK;
             }});
    }
    if (plugin.solve_chain_enqueue) {
        entries.push_back(
            {"solve_chain_enqueue", true, [&, middle](const Shape& shape, const float* A, const float* B, float* C) {
                 const Matrix identity = middle(shape);
                 const solve_chain_t call = dense_chain({shape.M, shape.N, shape.N, shape.K}, A, identity.data(), B, C);
                 return plugin.solve_chain_enqueue(&call);
             }});
    }
    return entries;
}

}  // namespace judge
