// What a plugin does with arguments that are errors by abi/solve.h, of which nothing is written: negative sizes, and
// null pointers to matrices that have elements.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "device/device.h"
#include "values/shape.h"

namespace judge {

struct ArgumentTest {
    // A, B and C, or A, B, C and E of a chain.
    using Matrices = std::array<float*, 4>;

    std::function<void(const Matrices& matrices, const Shape& sizes)> call;
    bool chain = false;
    // The text of the last call's error, empty for none; empty itself where the plugin promises none.
    std::function<std::string()> last_error = {};
};

// Calls it with each size negative in turn, and says what it did to the matrices, or that it reported no error, or
// one to another thread too, in a few words; empty for nothing. Of a plugin that reports no errors, an output of
// zeros where only a contraction is negative is nothing too: that is what a sum of no terms comes to. Then makes a
// product in the same process: one that is wrong, or an error that is still there, is told too.
std::string misuse_of_negative_sizes(Device& device, const ArgumentTest& test);

// The same with each matrix null in turn, for a plugin that reports errors; and with null for those that have no
// elements, of a size of 0, which is no error.
std::string misuse_of_null_pointers(Device& device, const ArgumentTest& test);

}  // namespace judge
