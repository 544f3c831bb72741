// How 90 cuts a product in two, where whole tiles leave a remainder of a few rows or columns.
#pragma once

#include <utility>
#include <vector>

#include "90_ways.h"

namespace rung_90 {

// How many of `count` rows or columns to leave for a product of their own: those behind the last whole 64, if few.
inline int remainder_of(int count) {
    const int rest = count % 64;
    return count > 64 && rest <= ladder::kThin ? rest : 0;
}

// The cycles that a second product is taken to cost besides its own, and the part of one product's time that two must
// be expected to stay below. Two kernels by turns can take longer than each repeated alone, for a reason that was not
// measured: 3178 x 2487 x 65 took 95 us as two that take 37 and 8. On an H100 4097 x 4095 x 4093 takes 2.47 ms as one
// and 2.46 to 2.50 as two; 8193 x 8191 x 8189 as two is 2.3 to 3.4 % behind 8192 in six sessions, and as one 3.8 % in
// the one where it was measured. Two promise 1.0 % less there.
constexpr double kSecond = 100000;
constexpr double kGain = 0.993;

// The same product without its first rows or columns.
inline ladder::Gemm behind(ladder::Gemm gemm, int rows, int cols) {
    gemm.M -= rows, gemm.A += rows * gemm.lda, gemm.C += rows * gemm.ldc;
    gemm.K -= cols, gemm.B += cols, gemm.C += cols;
    if (gemm.bias) gemm.bias += cols;
    return gemm;
}
inline solve_gemm_t behind(solve_gemm_t call, int rows, int cols) {
    call.M -= rows, call.A += rows * (call.transpose_a == SOLVE_T ? 1 : call.lda), call.C += rows * call.ldc;
    call.K -= cols, call.B += cols * (call.transpose_b == SOLVE_T ? call.ldb : 1), call.C += cols;
    return call;
}

template <class Product>
struct PartOf {
    Product gemm;
    Way way;
};
using Part = PartOf<ladder::Gemm>;

// The product (a call: without a bias) as a whole, or cut in two at its remainder of rows or of columns, if that is
// expected to take 0.7 % less.
template <class Product>
std::vector<PartOf<Product>> parts_of(const Product& gemm, const CostsOfGpu& costs, const DeviceFigures& device,
                                      bool turns = true) {
    const auto part = [&](const Product& each) {
        return PartOf<Product>{each, choose(ladder::call_of(each), costs, device, turns)};
    };
    std::vector<PartOf<Product>> best{part(gemm)};
    double cycles = kGain * best[0].way.cycles;
    for (const auto& [last_rows, last_cols] :
         {std::pair(remainder_of(gemm.M), 0), std::pair(0, remainder_of(gemm.K))}) {
        if (last_rows + last_cols == 0) continue;
        Product first = gemm;
        first.M -= last_rows, first.K -= last_cols;
        std::vector<PartOf<Product>> two{part(first),
                                         part(behind(gemm, last_rows ? first.M : 0, last_cols ? first.K : 0))};
        const double both = two[0].way.cycles + two[1].way.cycles + kSecond;
        if (both < cycles) best = std::move(two), cycles = both;
    }
    return best;
}

// Of any call without a bias; of a batch it is the whole.
inline std::vector<PartOf<solve_gemm_t>> parts_of_call(const solve_gemm_t& call, const DeviceFigures& device,
                                                       bool turns = true) {
    const CostsOfGpu& costs = ladder::costs_for(device.capability);
    if (call.batch > 1 || has_arrays(call)) return {{call, choose(call, costs, device, turns)}};
    return parts_of(call, costs, device, turns);
}

}  // namespace rung_90
