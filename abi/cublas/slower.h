// At which calls 90_dispatch is expected to be slower than cuBLAS.
#pragma once

#include "../solve.h"

namespace drop_in {

// Whether the decision trees of slower_trees.h say so of a single product in plain FP32, within the range that they
// were trained on: sizes up to 8192, and from 1e5 to 3e11 multiply-adds. False for others, of which nothing is known.
//
// Trained on 4200 calls of `make survey`, from 14 seeds, on H200 (host/tools/survey/slower.py). They classify 98.2 % of
// 3000 other calls, from ten other seeds, correctly: 53 of these are slower. The trees say so of 8, of which 3 are,
// 0.95 times as fast as cuBLAS in the mean; the other 5 are 1.05 times as fast.
bool says_slower(const solve_gemm_t& call);

}  // namespace drop_in
