// Rows of a product that a plugin got wrong, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device.h"
#include "values/shape.h"

namespace judge {

// Some rows of a product that a plugin got wrong, element by element, in row-major order.
struct JudgedRows {
    // Of one wrong element: its place in the vectors below, and those of its N products that come first and last, the
    // very first and the very last one in front.
    struct Sample {
        size_t at = 0;
        std::vector<double> first_terms, last_terms;
    };

    std::vector<int> rows;  // which ones, in increasing order
    int columns = 0;
    std::vector<float> got;           // rows.size() * columns, as all of these
    std::vector<double> want, bound;  // on |got - want|
    std::vector<float> again;         // what an equal call left; empty if there was none
    std::vector<Sample> samples;

    bool is_wrong(size_t at) const;  // or was not written, or is no number
};

// As many rows of C[M x K], in the device's memory as A and B, as half a second and 16 million elements allow, held
// against A * B in FP64: an element is wrong if it is off by more than rho_bound * u * (|A||B|).
JudgedRows judge_rows(Device& device, const float* A, const float* B, const float* C, const Shape& shape,
                      double rho_bound);

// These rows of a matrix.
std::vector<float> read_rows(Device& device, const float* matrix, int columns, const std::vector<int>& rows);

// Which rows to look at, of M: all of them if `most` allows, else as many, in windows of neighbours at the places that
// the lines of the map stand for, and the last ones.
std::vector<int> rows_to_look_at(int M, int64_t most);

}  // namespace judge
