// At which calls 90_dispatch is expected to be slower than cuBLAS.
#pragma once

#include "../solve.h"

namespace drop_in {

// Whether the decision trees of slower_trees.h say so of a single product in plain FP32, within the range that they
// were trained on: sizes up to 8192, and from 1e5 to 3e11 multiply-adds. False for others, of which nothing is known.
//
// Trained on 14700 calls of `make survey`, from 49 seeds, on H100 (host/tools/survey/slower.py). They classify 95.5 %
// of 3000 other calls, from ten other seeds, correctly: 150 of these are slower. The trees say so of 45, of which 30
// are, 0.92 times as fast as cuBLAS in the mean; the other 15 are 1.09 times as fast.
bool says_slower(const solve_gemm_t& call);

}  // namespace drop_in
