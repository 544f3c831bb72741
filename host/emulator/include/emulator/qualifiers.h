// CUDA's qualifiers. Where they mean nothing on a CPU they vanish; __shared__ and __noinline__ are no macros because
// the rewriter looks for them.
#pragma once

#ifndef __CUDACC__
#define __CUDACC__ 1  // sources ask for it to know that a CUDA compiler reads them
#endif

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
