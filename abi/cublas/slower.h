// At which calls 90_dispatch is expected to be slower than cuBLAS.
#pragma once

#include "../solve.h"

namespace drop_in {

// Whether the trees of slower_trees.h say so of a single product in plain FP32, of sizes as they were learned of: up to
// 8192, and from 1e5 to 3e11 products of two numbers. Of others nothing is known, and it is false.
//
// Learned of 14700 calls of `make survey`, of 49 seeds, on H100 (host/tools/survey/slower.py). At 3000 others, of ten
// seeds, it is right for 95.5 %: 150 of them are slower, it says so of 45, and 30 of these are, 0.92 times as fast as
// cuBLAS in the mean; the other 15 are 1.09 times as fast.
bool says_slower(const solve_gemm_t& call);

}  // namespace drop_in
