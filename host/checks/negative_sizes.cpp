#include "checks/negative_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "checks/guarded_matrix.h"
#include "checks/problem.h"
#include "checks/process_state.h"
#include "checks/small_product.h"

namespace judge {

namespace {

constexpr uint64_t kSeed = 1;

bool all_are(const Matrix& matrix, uint32_t bits) {
    return std::all_of(matrix.begin(), matrix.end(), [=](float x) { return std::bit_cast<uint32_t>(x) == bits; });
}

Matrix read(Device& device, const GuardedMatrix& from) {
    Matrix to(from.elements());
    device.read(to.data(), from.data(), to.size());
    return to;
}

// The matrices are as large as if the sizes were positive.
std::string misuse_at(Device& device, const Multiply& multiply, const Shape& shape) {
    const Operands operands =
        random_operands({std::abs(shape.M), std::abs(shape.N), std::abs(shape.K)}, kSeed, Data::integers);
    GuardedMatrix A(device, operands.shape.a_elements(), 0), B(device, operands.shape.b_elements(), 0),
        C(device, operands.shape.c_elements(), 0);
    device.write(A.data(), operands.a.data(), operands.a.size());
    device.write(B.data(), operands.b.data(), operands.b.size());
    device.fill(C.data(), C.elements(), kPoison);
    device.synchronize();
    A.arm(Access::read), B.arm(Access::read), C.arm();
    {
        const CallGuard guard;
        multiply(A.data(), B.data(), C.data(), shape.M, shape.N, shape.K);
    }
    device.synchronize();
    for (GuardedMatrix* const matrix : {&A, &B, &C}) matrix->disarm();

    for (const auto& [matrix, name] : {std::pair{&A, 'A'}, {&B, 'B'}, {&C, 'C'}}) {
        if (!matrix->trespass().empty()) return fmt::format("{} {}", matrix->trespass(), name);
        if (matrix->damage() > 0) return fmt::format("wrote outside {}", name);
    }
    const Matrix c = read(device, C);
    const bool empty_sum = shape.N < 0 && all_are(c, 0);
    if (!all_are(c, kPoison) && !empty_sum) return "wrote to C";
    return read(device, A) == operands.a && read(device, B) == operands.b ? "" : "wrote to A or B";
}

}  // namespace

std::string misuse_of_negative_sizes(Device& device, const Multiply& multiply) {
    for (const Shape& shape : {Shape{-5, 7, 3}, {5, -7, 3}, {5, 7, -3}}) {
        const std::string found = misuse_at(device, multiply, shape);
        if (!found.empty()) return fmt::format("{} at M = {}, N = {}, K = {}", found, shape.M, shape.N, shape.K);
    }
    const Shape shape{3, 5, 2};
    Problem problem(device, shape, kSeed, 0, Data::integers);
    const Verdict after = problem.judge([&](const float* A, const float* B, float* C) {
        const CallGuard guard;
        multiply(A, B, C, shape.M, shape.N, shape.K);
        return std::string();
    });
    return after.status == Status::ok ? "" : "is wrong at 3x5x2 afterwards: " + after.message;
}

}  // namespace judge
