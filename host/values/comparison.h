// What a comparison of a product with its FP64 reference found.
#pragma once

#include <cstdint>
#include <optional>

#include "values/data.h"

namespace judge {

// u: half the distance from 1 to the next FP32 number.
constexpr double kUnitRoundoff = 0x1p-24;

// The criterion of torch.allclose(atol=1e-3), shown beside the judge's own. It knows neither N nor the magnitude of the
// data: scale A by 1000 and a right product fails it, by 1/1000 and most wrong ones pass.
HOST_DEVICE inline bool close_enough(double error, double want) {
    return error <= 1e-3 + 1e-5 * (want < 0 ? -want : want);  // false for NaN
}

// One bad element of C (E of a chain).
struct Mismatch {
    int64_t row;
    int64_t col;
    double got;
    double want;
    double bound;  // on |got - want|
};

// C stands for the output, |A||B| for the product of the absolute values (of a chain: E, and |A||B||C|).
struct Comparison {
    uint64_t compared = 0;  // elements
    uint64_t wrong = 0;     // finite, but further off than the bound
    uint64_t nan = 0;
    uint64_t inf = 0;
    double max_error = 0;               // |C - C64|, over finite elements
    double rho = 0;                     // |C - C64| / (u |A||B|), finite elements; infinite where |A||B| is 0, C is not
    double rho_sum_of_squares = 0;      // over finite elements
    double error_sum_of_squares = 0;    // of |C - C64|, over finite elements
    double product_sum_of_squares = 0;  // of C64
    uint64_t not_close = 0;             // elements that are not close_enough
    std::optional<Mismatch> first;      // the first bad element in row-major order

    bool right() const { return wrong == 0 && nan == 0 && inf == 0; }

    // ||C - C64||_F / ||C64||_F, over finite elements; 0 where both are 0.
    double normwise() const;
};

// Of two parts of C, what was found in both together.
Comparison merge(const Comparison& a, const Comparison& b);

}  // namespace judge
