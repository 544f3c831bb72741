// Products in FP64, to compare a plugin's with. Every matrix is row-major, contiguous and in the memory of the device
// that the reference belongs to; `x` and the results are the host's.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "values/comparison.h"
#include "values/shape.h"

namespace judge {

// Some rows of a product, one after the other, element by element.
struct RowSums {
    std::vector<double> exact, magnitude;  // of A * B and of |A| * |B|, in FP64
    std::vector<float> sequential;         // in FP32, one fused multiply-add after the other
};

// Any call may throw DeviceLost, and OutOfMemory where the device needs memory beside the matrices.
class Reference {
  public:
    virtual ~Reference() = default;

    // Compares the given rows of C[M x K], or all of them if `rows` is empty, with A[M x N] * B[N x K]. An element is
    // wrong if it is off by more than rho_bound * u * (|A||B|).
    virtual Comparison compare(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                               const std::vector<int>& rows) = 0;

    // The same of a chain: E[M x L] with A[M x N] * B[N x K] * C[K x L]; rho is over u |A||B||C|.
    virtual Comparison compare_chain(const float* A, const float* B, const float* C, const float* E, const Shape& shape,
                                     double rho_bound, const std::vector<int>& rows) = 0;

    // These rows of A[M x N] * B[N x K], in FP64 and in FP32.
    virtual RowSums row_sums(const float* A, const float* B, const Shape& shape, const std::vector<int>& rows) = 0;

    // matrix[rows x cols] * x, or |matrix| * x if `absolute`.
    virtual std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                         bool absolute) = 0;

    // Multiply-adds that compare() does in about two seconds: above it, rows are sampled.
    virtual double comparison_budget() const = 0;
};

std::unique_ptr<Reference> make_host_reference();
std::unique_ptr<Reference> make_cuda_reference();  // of the current GPU; only where nvcc compiled the program

}  // namespace judge
