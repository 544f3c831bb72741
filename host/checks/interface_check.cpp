#include "checks/interface_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "checks/almost_structured.h"
#include "checks/contents_check.h"
#include "checks/guarded_matrix.h"
#include "checks/problem.h"
#include "checks/process_state.h"
#include "checks/small_product.h"

namespace judge {

namespace {

struct PlaceOfFactor {
    int row, column;
};

// A row of zeros in A meets an infinity and a NaN in B, and a column of zeros in B those in A.
constexpr int kZeroRow = 31, kZeroColumn = 40;
constexpr std::array<PlaceOfFactor, 4> kNaNs = {{{kZeroRow, 7}, {kZeroRow, 50}, {11, kZeroColumn}, {60, kZeroColumn}}};
constexpr int kInfiniteRow = 23;

Operands operands_with_specials(uint64_t seed) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Operands operands = random_operands(kInterfaceShape, seed, Data::uniform);
    for (int n = 0; n < kInterfaceShape.N; ++n) operands.A(kZeroRow, n) = operands.B(n, kZeroColumn) = 0;
    operands.B(kInterfaceShape.N - 1, kNaNs[0].column) = kInfinity;
    operands.B(3, kNaNs[1].column) = kNaN;
    operands.A(kNaNs[2].row, 20) = -kInfinity;
    operands.A(kNaNs[3].row, 5) = kNaN;
    // In the last column: a tile that reaches past it must not have it once more, opposite zeros.
    operands.A(kInfiniteRow, kInterfaceShape.N - 1) = kInfinity;
    return operands;
}

std::optional<Verdict> broken(Status status, const std::string& message) {
    Verdict verdict;
    verdict.status = status;
    verdict.message = message;
    return verdict;
}

// What a call leaves in C, which is poisoned before it.
Matrix call(Device& device, const InterfaceTest& test, const GuardedMatrix& A, const GuardedMatrix& B,
            const GuardedMatrix& C, const Shape& shape) {
    device.fill(C.data(), C.elements(), kPoison);
    device.synchronize();
    {
        const CallGuard guard;
        test.multiply(A.data(), B.data(), C.data(), shape.M, shape.N, shape.K);
    }
    device.synchronize();
    Matrix c(C.elements());
    device.read(c.data(), C.data(), c.size());
    return c;
}

std::optional<Verdict> wrong_special(const Matrix& c) {
    for (const auto& [row, column] : kNaNs) {
        const float value = c[size_t(row) * kInterfaceShape.K + column];
        if (std::isnan(value)) continue;
        return broken(Status::wrong, fmt::format("right on finite numbers, but 0 times {} is not NaN: ({}, {}) of C is "
                                                 "{:.9g}: a term may not be left out because a factor of it is 0",
                                                 &row == &kNaNs[0].row || &row == &kNaNs[2].row ? "infinity" : "NaN",
                                                 row, column, value));
    }
    return std::nullopt;
}

// Many published kernels pad a tile's remainder of one matrix only. That costs a sum its infinity and nothing else.
std::string lost_infinity(const Matrix& c, const Operands& operands) {
    const Matrix want = sequential_product(operands);
    for (size_t i = 0; i < c.size(); ++i) {
        if (!std::isinf(want[i]) || c[i] == want[i]) continue;
        return fmt::format(
            "right on finite numbers, but a sum with one infinite term is not that infinity: ({}, {}) "
            "of C is {:.9g}, not {:.9g}: past the end of N zeros may meet it",
            i / kInterfaceShape.K, i % kInterfaceShape.K, c[i], want[i]);
    }
    return {};
}

std::optional<Verdict> check_specials_and_accesses(Device& device, const InterfaceTest& test, std::string& note) {
    const Operands operands = operands_with_specials(test.next_seed());
    GuardedMatrix A(device, kInterfaceShape.a_elements(), 0), B(device, kInterfaceShape.b_elements(), 0),
        C(device, kInterfaceShape.c_elements(), 0);
    device.write(A.data(), operands.a.data(), operands.a.size());
    device.write(B.data(), operands.b.data(), operands.b.size());
    device.fill(C.data(), C.elements(), kPoison);
    device.synchronize();
    A.arm(Access::read), B.arm(Access::read), C.arm();
    {
        const CallGuard guard;
        test.multiply(A.data(), B.data(), C.data(), kInterfaceShape.M, kInterfaceShape.N, kInterfaceShape.K);
    }
    device.synchronize();
    for (GuardedMatrix* const matrix : {&A, &B, &C}) matrix->disarm();

    for (const auto& [matrix, name] : {std::pair{&A, 'A'}, {&B, 'B'}, {&C, 'C'}}) {
        const std::string at = to_string(kInterfaceShape);
        if (!matrix->trespass().empty()) {
            return broken(Status::out_of_bounds, fmt::format("at {} it {} {}", at, matrix->trespass(), name));
        }
        if (matrix->misused()) {
            return broken(Status::input_modified, fmt::format("at {} it wrote to {}", at, name));
        }
    }
    if (!test.fp32) return std::nullopt;
    Matrix c(C.elements());
    device.read(c.data(), C.data(), c.size());
    note = lost_infinity(c, operands);
    return wrong_special(c);
}

// Of whole numbers, and C times `scale`: exact in every format, but a C rounded to 8 bits is off by up to 1.
std::string first_off(const Matrix& c, const Operands& operands, float scale) {
    const Matrix want = sequential_product(operands);
    for (size_t i = 0; i < c.size(); ++i) {
        const float value = c[i] * scale;
        if (std::abs(value - want[i]) <= 1) continue;  // false for NaN
        return fmt::format("({}, {}) of C is {:.9g}, not {:.9g}", i / operands.shape.K, i % operands.shape.K, c[i],
                           want[i] / scale);
    }
    return {};
}

// The same in a size for which there may be a way of its own, of whole tiles: skipped there are zeros of A.
std::optional<Verdict> check_specials_of_large(Device& device, const InterfaceTest& test) {
    constexpr Shape kShape{256, 128, 128};
    if (!test.fp32 || test.emulated) return std::nullopt;
    Operands operands = random_operands(kShape, test.next_seed(), Data::uniform);
    for (int n = 0; n < kShape.N; ++n) operands.A(kZeroRow, n) = operands.B(n, kZeroColumn) = 0;
    operands.B(kShape.N - 1, kNaNs[0].column) = std::numeric_limits<float>::infinity();
    operands.A(kShape.M - 3, 5) = kNaN;
    const GuardedMatrix A(device, kShape.a_elements(), 0), B(device, kShape.b_elements(), 0),
        C(device, kShape.c_elements(), 0);
    device.write(A.data(), operands.a.data(), operands.a.size());
    device.write(B.data(), operands.b.data(), operands.b.size());
    const Matrix c = call(device, test, A, B, C, kShape);
    for (const auto& [row, column] :
         {PlaceOfFactor{kZeroRow, kNaNs[0].column}, PlaceOfFactor{kShape.M - 3, kZeroColumn}}) {
        const float value = c[size_t(row) * kShape.K + column];
        if (std::isnan(value)) continue;
        return broken(Status::wrong,
                      fmt::format("right on finite numbers, but at {} 0 times {} is not NaN: ({}, {}) "
                                  "of C is {:.9g}",
                                  to_string(kShape), row == kZeroRow ? "infinity" : "NaN", row, column, value));
    }
    return std::nullopt;
}

// Each product is 2^128 or more, and all of one sign: no order of the sum has a finite number in it.
std::optional<Verdict> check_overflow(Device& device, const InterfaceTest& test) {
    constexpr Shape kShape{34, 20, 38};
    const GuardedMatrix A(device, kShape.a_elements(), 0), B(device, kShape.b_elements(), 0),
        C(device, kShape.c_elements(), 0);
    const std::vector<float> large(kShape.b_elements(), 0x1p64f);
    device.write(A.data(), large.data(), A.elements());
    device.write(B.data(), large.data(), B.elements());
    const Matrix c = call(device, test, A, B, C, kShape);
    for (size_t i = 0; i < c.size(); ++i) {
        if (!std::isfinite(c[i])) continue;
        return broken(Status::wrong, fmt::format("right on numbers around 1, but of 2^64 times 2^64, which FP32 does "
                                                 "not hold, it makes a finite number: ({}, {}) of C is {:.9g}",
                                                 i / kShape.K, i % kShape.K, c[i]));
    }
    return std::nullopt;
}

// Who looks at one pointer, or at one of small matrices, to choose a path for all.
std::optional<Verdict> check_one_misaligned(Device& device, const InterfaceTest& test) {
    for (const Shape& shape : {Shape{68, 36, 76}, Shape{208, 24, 212}}) {
        if (!test.any_alignment || (test.emulated && shape.M > 100)) break;
        const Operands operands = random_operands(shape, test.next_seed(), Data::integers);
        for (int one = -1; one < 3; ++one) {  // at first none of them
            const GuardedMatrix A(device, shape.a_elements(), one == 0), B(device, shape.b_elements(), one == 1),
                C(device, shape.c_elements(), one == 2);
            device.write(A.data(), operands.a.data(), operands.a.size());
            device.write(B.data(), operands.b.data(), operands.b.size());
            const std::string off = first_off(call(device, test, A, B, C, shape), operands, 1);
            if (off.empty()) continue;
            if (one < 0) break;  // not for its place
            return broken(Status::wrong, fmt::format("right where all matrices begin at multiples of 16 bytes, but not "
                                                     "where {} alone does not: at {} {}",
                                                     "ABC"[one], to_string(shape), off));
        }
    }
    return std::nullopt;
}

// A kernel that takes A B with A == B for A A^T is right on any other matrices. B may be a part of A.
std::optional<Verdict> check_same_memory_at(Device& device, const InterfaceTest& test, const Shape& shape) {
    Operands operands = random_operands(shape, test.next_seed(), Data::integers);
    std::copy_n(operands.a.begin(), operands.b.size(), operands.b.begin());
    const GuardedMatrix both(device, operands.shape.a_elements(), 0), C(device, operands.shape.c_elements(), 0);
    device.write(both.data(), operands.a.data(), operands.a.size());
    const std::string off = first_off(call(device, test, both, both, C, operands.shape), operands, 1);
    if (off.empty()) return std::nullopt;
    const GuardedMatrix A(device, shape.a_elements(), 0), B(device, shape.b_elements(), 0);
    device.write(A.data(), operands.a.data(), operands.a.size());
    device.write(B.data(), operands.b.data(), operands.b.size());
    if (!first_off(call(device, test, A, B, C, shape), operands, 1).empty()) return std::nullopt;  // not for its place
    return broken(Status::wrong, fmt::format("wrong where A and B are the same memory, which abi/solve.h allows: at {} "
                                             "{}",
                                             to_string(operands.shape), off));
}

std::optional<Verdict> check_same_memory(Device& device, const InterfaceTest& test) {
    for (const Shape& shape : {Shape{64, 64, 64}, Shape{40, 24, 36}, Shape{136, 136, 136}}) {
        if (test.emulated && shape.M > 100) continue;
        if (auto verdict = check_same_memory_at(device, test, shape)) return verdict;
    }
    return std::nullopt;
}

// Powers of two, so that nothing but the exponents changes: what is taken for zero because it is small is not, nor is
// what is large and whole a number of 32 bits.
std::optional<Verdict> check_scales(Device& device, const InterfaceTest& test) {
    constexpr Shape kShape{34, 20, 38};
    // Of A and of B. The last two leave whole numbers, whose products pass 2^31: what takes them for integers of 32
    // bits wraps.
    constexpr std::array<std::array<int, 2>, 4> kExponents = {{{-30, 0}, {20, -30}, {15, 15}, {20, 20}}};
    const Operands operands = random_operands(kShape, test.next_seed(), Data::integers);
    const GuardedMatrix A(device, kShape.a_elements(), 0), B(device, kShape.b_elements(), 0),
        C(device, kShape.c_elements(), 0);
    const auto write = [&](const GuardedMatrix& matrix, Matrix elements, int exponent) {
        for (float& element : elements) element = std::ldexp(element, exponent);
        device.write(matrix.data(), elements.data(), elements.size());
    };
    for (const auto& [of_a, of_b] : kExponents) {
        write(A, operands.a, of_a);
        write(B, operands.b, of_b);
        const std::string off =
            first_off(call(device, test, A, B, C, kShape), operands, std::ldexp(1.0f, -of_a - of_b));
        if (off.empty()) continue;
        return broken(Status::wrong,
                      fmt::format("right on numbers around 1, but not on {} ones: at {}, with A of whole "
                                  "numbers times 2^{} and B times 2^{}, {}",
                                  of_a + of_b < 0 ? "small" : "large", to_string(kShape), of_a, of_b, off));
    }
    return std::nullopt;
}

// So many calls, while another thread makes one call after the other: wherever that one is, on a core of its own or
// stopped because others have the cores, it is within a call. Before each call C is poisoned: it held the product
// already. Either thread ends with a call that left other bits than one made alone, as far as it is looked at: the next
// one would mend what was spoiled. Each call begins at another point of the other thread's: equal calls would stay in
// step, and never overlap where it matters.
void call_at_the_same_time(const Multiply& multiply, Problem& one, Problem& other, int calls, bool looks) {
    const CallGuard before_both;  // the guard of one call may begin within the other, and take its limits for ours
    const auto call = [&](Problem& problem) {
        problem.poison_output();
        const CallGuard guard;  // around each call: the next one has its own
        const Shape& shape = problem.shape();
        multiply(problem.A(), problem.B(), problem.C(), shape.M, shape.N, shape.K);
        return looks ? problem.hash_of_output() : 0;
    };
    const auto of_one = call(one);
    const auto start = std::chrono::steady_clock::now();
    const auto of_other = call(other);
    const auto later = (std::chrono::steady_clock::now() - start) / calls;
    std::atomic<bool> begun{false}, ended{false};
    std::thread thread([&] {
        do {
            begun = true;
        } while (call(other) == of_other && !ended);
    });
    while (!begun) std::this_thread::yield();
    for (int i = 0; i < calls && call(one) == of_one; ++i) std::this_thread::sleep_for(later * i);
    ended = true;
    thread.join();
}

constexpr Shape kLargeShapeOfTwo{130, 110, 134};  // a call takes long enough to meet another

std::optional<Verdict> check_two_at_a_time(Device& device, const InterfaceTest& test, const Shape& shape, int rounds) {
    if (rounds == 0) return std::nullopt;
    Problem one(device, shape, test.next_seed()), equal(device, shape, test.next_seed()),
        different(device, {shape.K, shape.M, shape.N}, test.next_seed());
    for (Problem* const problem : {&one, &equal, &different}) {
        const auto solve = [&](const float* A, const float* B, float* C) {
            const CallGuard guard;
            test.multiply(A, B, C, problem->shape().M, problem->shape().N, problem->shape().K);
            return std::string();
        };
        if (problem->judge(solve, test.arithmetic).status != Status::ok) return std::nullopt;  // not for being two
    }
    const bool in_host_memory = device.page_floats() > 0;
    const int calls = test.emulated || !in_host_memory ? 1 : shape.M < kLargeShapeOfTwo.M ? 8 : 2;
    for (int round = 0; round < rounds + rounds / 2; ++round) {
        Problem& other = round < rounds ? equal : different;
        one.refresh(test.next_seed());
        other.refresh(test.next_seed());
        call_at_the_same_time(test.multiply, one, other, calls, in_host_memory);
        for (Problem* const problem : {&one, &other}) {
            Verdict verdict = problem->check_again();
            if (verdict.status == Status::ok) continue;
            verdict.message = fmt::format("right alone, but not while another thread calls it on other matrices{}: {}",
                                          &other == &equal ? "" : " of other sizes", verdict.message);
            return verdict;
        }
    }
    return std::nullopt;
}

}  // namespace

Verdict check_interface(Device& device, const InterfaceTest& test) {
    std::string note;
    if (const auto verdict = check_specials_and_accesses(device, test, note)) return *verdict;
    if (const auto verdict = check_same_memory(device, test)) return *verdict;
    if (test.full_range) {
        if (const auto verdict = check_scales(device, test)) return *verdict;
    }
    if (test.full_range && test.fp32) {
        if (const auto verdict = check_overflow(device, test)) return *verdict;
    }
    if (const auto verdict = check_specials_of_large(device, test)) return *verdict;
    if (const auto verdict = check_one_misaligned(device, test)) return *verdict;
    for (const auto check : {check_structured_zeros, check_changed_elements}) {
        const std::string wrong = check(device, test.multiply, test.next_seed());
        if (!wrong.empty()) return *broken(Status::wrong, wrong);
    }
    const bool fp32 = test.fp32 && test.full_range;
    std::vector<AlmostStructuredTest> almost = {{.side = 64, .fp32 = fp32, .trials = 4}};
    if (!test.emulated) almost = {{.side = 96, .fp32 = fp32}, {.side = 256, .fp32 = fp32, .trials = 6}};
    for (const AlmostStructuredTest& structured : almost) {
        const std::string wrong = check_almost_structured(device, test.multiply, test.next_seed(), structured);
        if (!wrong.empty()) return *broken(Status::wrong, wrong);
    }
    const Verdict of_two = check_two_calls_at_a_time(device, test);
    return of_two.status == Status::ok ? *broken(Status::ok, note) : of_two;
}

Verdict check_two_calls_at_a_time(Device& device, const InterfaceTest& test) {
    if (const auto verdict = check_two_at_a_time(device, test, test.shape_of_two, test.rounds)) return *verdict;
    return check_two_at_a_time(device, test, kLargeShapeOfTwo, test.large_rounds).value_or(Verdict{});
}

}  // namespace judge
