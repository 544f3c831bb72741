#include "checks/bad_arguments.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "checks/guarded_matrix.h"
#include "checks/problem.h"
#include "checks/process_state.h"

namespace judge {

namespace {

constexpr uint64_t kSeed = 1;

std::vector<int> sizes_of(const Shape& shape) {
    if (shape.is_chain()) return {shape.M, shape.N, shape.K, shape.L};
    return {shape.M, shape.N, shape.K};
}

Shape shape_of(const std::vector<int>& sizes) {
    return {sizes[0], sizes[1], sizes[2], sizes.size() == 4 ? sizes[3] : Shape::kNone};
}

std::string told(const Shape& shape) {
    const std::vector<int> sizes = sizes_of(shape);
    std::string text;
    for (size_t i = 0; i < sizes.size(); ++i) text += fmt::format("{}{} = {}", i > 0 ? ", " : "", "MNKL"[i], sizes[i]);
    return text;
}

// None is a multiple of 4.
std::vector<int> usual_sizes(bool chain) {
    return chain ? std::vector{5, 7, 3, 6} : std::vector{5, 7, 3};
}

// One call: the inputs are filled, the output is poisoned, and all are as large as if the sizes were positive.
class Attempt {
  public:
    Attempt(Device& device, const ArgumentTest& test, const std::vector<int>& sizes)
        : device_(device), test_(test), shape_(shape_of(sizes)) {
        const size_t count = sizes.size();
        for (size_t i = 0; i < count; ++i) {
            const int rows = std::abs(sizes[i + 1 < count ? i : 0]);
            const int columns = std::abs(sizes[i + 1 < count ? i + 1 : count - 1]);
            matrices_.push_back(std::make_unique<GuardedMatrix>(device, int64_t{rows} * columns, 0));
        }
    }

    // Null for the matrices that `is_null` names by their index.
    template <class IsNull>
    void call(IsNull is_null) {
        ArgumentTest::Matrices given{};
        for (size_t i = 0; i < matrices_.size(); ++i) {
            GuardedMatrix& matrix = *matrices_[i];
            if (is_output(i)) {
                device_.fill(matrix.data(), matrix.elements(), kPoison);
            } else {
                device_.fill_random(matrix.data(), matrix.elements(), contents(i));
            }
            given[i] = is_null(i) ? nullptr : matrix.data();
        }
        device_.synchronize();
        for (size_t i = 0; i < matrices_.size(); ++i) matrices_[i]->arm(is_output(i) ? Access::any : Access::read);
        {
            const CallGuard guard;
            test_.call(given, shape_);
        }
        device_.synchronize();
        for (const auto& matrix : matrices_) matrix->disarm();
    }

    // What it did beside writing the output; empty for nothing.
    std::string damage() const {
        for (size_t i = 0; i < matrices_.size(); ++i) {
            const GuardedMatrix& matrix = *matrices_[i];
            if (!matrix.trespass().empty()) return fmt::format("{} {}", matrix.trespass(), name(i));
            if (matrix.damage() > 0) return fmt::format("wrote outside {}", name(i));
            if (is_output(i)) continue;
            if (device_.count_changed(matrix.data(), matrix.elements(), contents(i)) > 0) {
                return fmt::format("wrote to {}", name(i));
            }
        }
        return {};
    }

    bool output_is_all(uint32_t bits) const {
        const GuardedMatrix& output = *matrices_.back();
        return device_.count_other(output.data(), output.elements(), bits) == 0;
    }

    bool is_empty(size_t i) const { return matrices_[i]->elements() == 0; }
    char name(size_t i) const { return "ABCE"[i]; }
    char output_name() const { return name(matrices_.size() - 1); }
    size_t count() const { return matrices_.size(); }

  private:
    bool is_output(size_t i) const { return i + 1 == matrices_.size(); }
    static RandomMatrix contents(size_t i) { return {kSeed + i, Data::integers}; }

    Device& device_;
    const ArgumentTest& test_;
    const Shape shape_;
    std::vector<std::unique_ptr<GuardedMatrix>> matrices_;
};

std::string last_error(const ArgumentTest& test) {
    return test.last_error ? test.last_error() : std::string();
}

// Whether another thread, which has made no call, is told of an error.
bool another_thread_has_error(const ArgumentTest& test) {
    std::string error;
    std::thread([&] { error = last_error(test); }).join();
    return !error.empty();
}

// Of a call that is an error.
std::string misuse_in(const Attempt& attempt, const ArgumentTest& test, bool may_be_zeros) {
    const std::string error = last_error(test);
    if (const std::string damage = attempt.damage(); !damage.empty()) return damage;
    if (!attempt.output_is_all(kPoison) && !(may_be_zeros && attempt.output_is_all(0))) {
        return fmt::format("wrote to {}", attempt.output_name());
    }
    if (test.last_error && error.empty()) return "reports none";
    return test.last_error && another_thread_has_error(test) ? "reports it to another thread too" : "";
}

std::string misuse_afterwards(Device& device, const ArgumentTest& test) {
    const Shape shape = test.chain ? Shape{3, 5, 2, 4} : Shape{3, 5, 2};
    Problem problem(device, shape, kSeed, 0, Data::integers);
    const auto call = [&](auto...) {
        const CallGuard guard;
        ArgumentTest::Matrices matrices{};
        size_t count = 0;
        for (; count < (test.chain ? 3 : 2); ++count) matrices[count] = const_cast<float*>(problem.input(count));
        matrices[count] = problem.output();
        test.call(matrices, shape);
        return CallErrors(last_error(test));
    };
    const Verdict after = problem.judge(call);
    if (after.status == Status::ok) return {};
    if (after.status == Status::suspicious) {
        return fmt::format("has its error still after a call at {} whose C is right: {}", to_string(shape),
                           last_error(test));
    }
    return fmt::format("is wrong at {} afterwards: {}", to_string(shape), after.message);
}

}  // namespace

std::string misuse_of_negative_sizes(Device& device, const ArgumentTest& test) {
    const std::vector<int> usual = usual_sizes(test.chain);
    for (size_t i = 0; i < usual.size(); ++i) {
        std::vector<int> sizes = usual;
        sizes[i] = -sizes[i];
        Attempt attempt(device, test, sizes);
        attempt.call([](size_t) { return false; });
        const bool contraction = i > 0 && i + 1 < sizes.size();
        const std::string found = misuse_in(attempt, test, contraction && !test.last_error);
        if (!found.empty()) return fmt::format("{} at {}", found, told(shape_of(sizes)));
    }
    return misuse_afterwards(device, test);
}

std::string misuse_of_null_pointers(Device& device, const ArgumentTest& test) {
    const std::vector<int> usual = usual_sizes(test.chain);
    for (size_t null = 0; null < usual.size(); ++null) {
        Attempt attempt(device, test, usual);
        attempt.call([=](size_t i) { return i == null; });
        const std::string found = misuse_in(attempt, test, false);
        if (!found.empty()) return fmt::format("{} where {} is null", found, attempt.name(null));
    }
    for (size_t empty = 0; empty < usual.size(); ++empty) {
        std::vector<int> sizes = usual;
        sizes[empty] = 0;
        Attempt attempt(device, test, sizes);
        attempt.call([&](size_t i) { return attempt.is_empty(i); });
        const std::string error = last_error(test), at = to_string(shape_of(sizes));
        if (!error.empty()) {
            const std::string later = misuse_afterwards(device, test);  // which may be that of an earlier call
            return later.empty() ? fmt::format("refuses null for matrices without elements at {}: {}", at, error)
                                 : later;
        }
        std::string found = attempt.damage();
        if (found.empty() && !attempt.output_is_all(0)) {
            found = fmt::format("leaves {} unwritten", attempt.output_name());
        }
        if (!found.empty()) return fmt::format("{} where matrices without elements are null at {}", found, at);
    }
    return misuse_afterwards(device, test);
}

}  // namespace judge
