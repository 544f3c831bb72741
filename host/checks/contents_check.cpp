#include "checks/contents_check.h"

#include <fmt/format.h>

#include "checks/device_product.h"
#include "checks/small_product.h"

namespace judge {

namespace {

struct ZeroStructure {
    const char* what;
    bool (*zero_in_a)(int row, int column);
    bool (*zero_in_b)(int row, int column);
};

constexpr int kBlock = 12;

constexpr ZeroStructure kStructures[] = {
    {"A strictly lower triangular and B strictly upper", [](int i, int n) { return n >= i; },
     [](int n, int k) { return n >= k; }},
    {"A strictly upper triangular and B strictly lower", [](int i, int n) { return n <= i; },
     [](int n, int k) { return n <= k; }},
    {"zeros in every fourth row of A and column of B", [](int i, int) { return i % 4 == 0; },
     [](int, int k) { return k % 4 == 0; }},
    {"a block-diagonal A", [](int i, int n) { return i / kBlock != n / kBlock; }, [](int, int) { return false; }},
    {"a block-diagonal B and zeros in every fourth column of A", [](int, int n) { return n % 4 == 0; },
     [](int n, int k) { return n / kBlock != k / kBlock; }},
};

bool is_wrong(Device& device, const Multiply& multiply, const Operands& operands) {
    const DeviceProduct product(device, multiply, operands);
    product.call();
    return !product.first_off(sequential_product(operands)).empty();
}

// Another one, further off than a rounding of C.
float changed(float value) {
    return value > 0 ? value - 8 : value + 8;
}

}  // namespace

std::string check_structured_zeros(Device& device, const Multiply& multiply, uint64_t seed) {
    constexpr Shape kShape{36, 46, 44};
    const Operands full = random_operands(kShape, seed, Data::integers);
    if (is_wrong(device, multiply, full)) return {};  // not for its zeros
    for (const ZeroStructure& structure : kStructures) {
        Operands operands = full;
        for (int i = 0; i < kShape.M; ++i) {
            for (int n = 0; n < kShape.N; ++n) {
                if (structure.zero_in_a(i, n)) operands.A(i, n) = 0;
            }
        }
        for (int n = 0; n < kShape.N; ++n) {
            for (int k = 0; k < kShape.K; ++k) {
                if (structure.zero_in_b(n, k)) operands.B(n, k) = 0;
            }
        }
        const DeviceProduct product(device, multiply, operands);
        product.call();
        const std::string off = product.first_off(sequential_product(operands));
        if (off.empty()) continue;
        return fmt::format("right on full matrices, but not with {}: at {} {}", structure.what, to_string(kShape), off);
    }
    return {};
}

std::string check_changed_elements(Device& device, const Multiply& multiply, uint64_t seed) {
    constexpr Shape kShape{34, 46, 38};
    constexpr int kEqualCalls = 12, kChanges = 6;
    Operands operands = random_operands(kShape, seed, Data::integers);
    Matrix want = sequential_product(operands);
    const DeviceProduct product(device, multiply, operands);
    for (int i = 0; i < kEqualCalls; ++i) product.call();
    if (!product.first_off(want).empty()) return {};  // not for a change
    for (int change = 0; change < kChanges; ++change) {
        const bool of_a = change % 2 == 0;
        Matrix& matrix = of_a ? operands.a : operands.b;
        const size_t columns = of_a ? kShape.N : kShape.K, at = random_bits(seed, uint64_t(change)) % matrix.size();
        const int row = int(at / columns), column = int(at % columns);
        const float before = matrix[at];
        matrix[at] = changed(before);
        for (int i = 0; of_a && i < kShape.K; ++i) {
            want[size_t(row) * kShape.K + i] += (matrix[at] - before) * operands.B(column, i);
        }
        for (int i = 0; !of_a && i < kShape.M; ++i) {
            want[size_t(i) * kShape.K + column] += operands.A(i, row) * (matrix[at] - before);
        }
        product.change(of_a, at, matrix[at]);
        product.call();
        const std::string off = product.first_off(want);
        if (off.empty()) continue;
        return fmt::format(
            "right at first, but not where only ({}, {}) of {} has changed after {} calls on the same matrices: at {} "
            "{}: a result is remembered",
            row, column, of_a ? 'A' : 'B', kEqualCalls + change, to_string(kShape), off);
    }
    return {};
}

}  // namespace judge
