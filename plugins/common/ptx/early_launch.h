// A launch that need not wait until the kernel before it on the stream has ended: programmatic dependent launch, on
// GPUs of compute capability 9.0 and later. The blocks of the second kernel start on SMs that have room for them, and
// wait there, so that the 1 to 2 us from one kernel's end to the next one's start are spent while the first one works.
//
// On older GPUs, and in the emulator, it is an ordinary launch.
#pragma once

#include "../export/device.h"
#include "../export/launch.h"

namespace ladder {

// To be called by every thread before it touches what the kernel before may have written, or may still read: global
// memory. From then on that kernel has ended (griddepcontrol.wait).
__device__ __forceinline__ void wait_for_kernel_before() {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The same, once `computed` is there, which is not 0: addresses, or what they are made of. Left to itself the compiler
// computes behind the wait what could be done while the kernel before works, here 100 to 150 instructions.
__device__ __forceinline__ void wait_for_kernel_before([[maybe_unused]] uint64_t computed) {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    asm volatile("{ .reg .pred there; setp.ne.u64 there, %0, 0; @there griddepcontrol.wait; }" ::"l"(computed)
                 : "memory");
#endif
}

// Waits likewise. True if that took more than a microsecond: the kernel before let this one start early and was still
// running, so these are calls back to back. Otherwise it takes up to 500 cycles. To tell the two apart, blocks of both
// kernels must fit on an SM together: a block that starts when one of the kernel before ends may wait for 100 cycles.
// On older GPUs, and in the emulator, there is no such wait, and it is true.
__device__ __forceinline__ bool wait_for_running_kernel([[maybe_unused]] uint64_t computed) {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    constexpr int64_t kLong = 2000;  // cycles
    const int64_t begin = clock64();
    wait_for_kernel_before(computed | static_cast<uint64_t>(begin));
    return clock64() - begin > kLong;
#else
    return true;
#endif
}

__device__ __forceinline__ uint64_t bits(const float* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

// Lets the kernel after this one start (griddepcontrol.launch_dependents), as soon as every block has called this or
// ended. It says nothing of what this kernel has written: the kernel after waits for its end.
__device__ __forceinline__ void let_next_kernel_start() {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// A word that this kernel does not write, loaded behind the wait and else as early as the compiler likes, whatever is
// stored in between. (__ldg is for what nobody writes while the kernel exists, and the kernel before may do so then.)
__device__ __forceinline__ float load_ahead(const float* from) {
#ifndef SOLVE_EMULATOR
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
#else
    return *from;
#endif
}

// The same, or 0 if it is not `inside`. One instruction with a predicate: of a branch around a load, or of choosing
// between it and 0, the compiler makes code that waits for one load before it requests the next.
__device__ __forceinline__ float load_ahead(const float* from, bool inside) {
#ifndef SOLVE_EMULATOR
    float value = 0.0f;
    asm volatile("{ .reg .pred inside; setp.ne.s32 inside, %2, 0; @inside ld.global.f32 %0, [%1]; }"
                 : "+f"(value)
                 : "l"(from), "r"(int{inside}));
    return value;
#else
    return inside ? *from : 0.0f;
#endif
}

// Four words likewise, 16 bytes and aligned.
__device__ __forceinline__ void load4_ahead(float (&to)[4], const float* from, bool inside) {
#ifndef SOLVE_EMULATOR
    to[0] = to[1] = to[2] = to[3] = 0.0f;
    asm volatile("{ .reg .pred inside; setp.ne.s32 inside, %5, 0; @inside ld.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
                 : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
                 : "l"(from), "r"(int{inside}));
#else
    for (int i = 0; i < 4; ++i) to[i] = load_ahead(from + i, inside);
#endif
}

// The same of one word, where a miss in L2 fetches a line of 128 bytes: for rows that are not aligned, of whose lines
// several warps read a part each. To pack two operands of 2047 x 2047 takes 1 us less, of 2048 x 2048 as long.
__device__ __forceinline__ float load_line_ahead(const float* from, bool inside) {
#ifndef SOLVE_EMULATOR
    float value = 0.0f;
    asm volatile("{ .reg .pred inside; setp.ne.s32 inside, %2, 0; @inside ld.global.L2::128B.f32 %0, [%1]; }"
                 : "+f"(value)
                 : "l"(from), "r"(int{inside}));
    return value;
#else
    return load_ahead(from, inside);
#endif
}

// kernel<<<grid, threads, shared, stream>>>(arguments...), which calls wait_for_kernel_before().
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, int threads, size_t shared, cudaStream_t stream,
                  Arguments... arguments) {
#ifndef SOLVE_EMULATOR
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = grid;
    configuration.blockDim = dim3(threads);
    configuration.dynamicSmemBytes = shared;
    configuration.stream = stream;
    configuration.attrs = &early;
    configuration.numAttrs = current_device().capability >= 90 ? 1 : 0;
    cudaLaunchKernelEx(&configuration, kernel, arguments...);
#else
    kernel<<<grid, threads, shared, stream>>>(arguments...);
#endif
}

}  // namespace ladder
