// Small products that tell how precise a plugin is: not by a tolerance on one product, which a faster kernel of lower
// precision passes on data that are kind to it (TF32 is exact on small integers, and within 1e-4 of the largest element
// on positive data).
#pragma once

#include <cstdint>

#include "checks/evidence.h"
#include "device/device.h"
#include "values/shape.h"

namespace judge {

struct ProbeSizes {
    Shape shape{320, 256, 288};  // Z1, Z3, X1: N = 256 is what the thresholds of r hold for
    Shape deep{64, 4096, 72};    // Z2
    Shape prime{317, 251, 283};  // I1
    Shape exact{320, 256, 288};  // the others
    Shape odd{137, 131, 139};    // E
    Shape even{128, 128, 256};   // E: fast paths are often for multiples of 64 or 128
    Shape many{19, 4099, 21};    // E: what does not fit into shared memory may take another way, of another precision
    bool thin = true;            // E: at the thin shapes too
    bool large = false;          // E: exact products of the large ones
    bool larger = false;         // E: and of the larger one, if that is soon done

    bool operator==(const ProbeSizes&) const = default;
};
// For the emulator, which runs a hundredth as fast, and for an estimate: a twentieth of the work.
constexpr ProbeSizes kSmallSizes{{80, 256, 72}, {20, 512, 24},   {79, 97, 71},  {80, 64, 72},
                                 {79, 97, 71},  {128, 128, 128}, {19, 4099, 21}};

// What begins at some size of two or three dimensions, as Strassen's method and ways for large products do: whole tiles
// above 512 each way, and ragged ones that are long in two of three, or wide beside a long one. 0.25 million elements
// at least in one matrix of each but the last three, 190 million multiply-adds in the first.
constexpr Shape kLargeShapes[] = {{576, 576, 576}, {131, 2061, 35}, {521, 1033, 18}, {18, 1033, 521},
                                  {523, 19, 541},  {4219, 13, 14},  {13, 14, 4219}};

// Past 1024 each way, since the shapes that are judged by default on the CPU end at 512. It is 7 times the work of the
// first of the large ones, and made if that one and its check take less CPU time than this.
constexpr Shape kLargerShape{1088, 1088, 1088};
constexpr double kMostSecondsOfFirst = 0.04;

// A matrix times a vector often has a kernel of its own, whose sums may be of another precision.
constexpr Shape kThinShapes[] = {{7, 301, 1}, {1, 301, 7}};

// Makes about twenty calls and waits for each; without `specials` none with NaN or an infinity.
Evidence run_probes(Device& device, const Multiply& multiply, uint64_t seed, const ProbeSizes& sizes = {},
                    bool specials = true);

}  // namespace judge
