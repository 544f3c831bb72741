// CUDA's qualifiers, and the macros by which a source knows what compiles it.
#pragma once

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif

// Host and device code are compiled once, together, and as the device's: a body behind `#ifdef __CUDA_ARCH__` is there.
// The number is that of the emulated device; -D__CUDA_ARCH__=700 chooses an older path of a source that has several.
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_LIST__ 900
#endif

// Macros, since sources ask for them with #ifdef; their names survive for the rewriter, which removes them. __shared__
// and __noinline__ are no macros because it looks for them too.
#define __global__ __global__
#define __device__ __device__
#define __host__ __host__
#define __constant__ __constant__
#define __managed__ __managed__
#define __grid_constant__ __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __launch_bounds__(__VA_ARGS__)
#define __maxnreg__(...)
#define __CUDA_ALIGN__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
