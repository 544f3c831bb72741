// What a plugin may do when it is called, and what a Problem makes of that.
#pragma once

#include <functional>
#include <string>

#include "host/checks/problem.h"
#include "tests/unit/multiply.h"

namespace unit {

using Solve = std::function<std::string(const float*, const float*, float*)>;

inline constexpr judge::Shape kShape{13, 17, 11};

inline judge::Verdict judge_on(judge::Device& device, const judge::Shape& shape, const Solve& solve,
                               int misalignment = 0) {
    return judge::Problem(device, shape, 5, misalignment).judge(solve);
}

inline judge::Verdict verdict_on(const judge::Shape& shape, const Solve& solve, int misalignment = 0) {
    return judge_on(*judge::make_host_device(), shape, solve, misalignment);
}

inline Solve right(const judge::Shape& shape, const std::string& error = {}) {
    return [=](const float* A, const float* B, float* C) {
        multiply(A, B, C, shape);
        return error;
    };
}

// The right product, and then something else.
inline Solve right_and(const judge::Shape& shape, const std::function<void(float* A, float* B, float* C)>& also) {
    return [=](const float* A, const float* B, float* C) {
        multiply(A, B, C, shape);
        also(const_cast<float*>(A), const_cast<float*>(B), C);
        return std::string();
    };
}

}  // namespace unit
