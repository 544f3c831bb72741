// Keeping a part of a large matrix in L2 from one product to the next.
//
// A matrix that is larger than L2 and read from end to end, product after product, is never found there: each line
// evicts the one that is needed next. If instead a part of its lines is evict-first (a cache hint, compute capability
// 8.0 and later), these evict each other, and the rest stays until the next product reads it. The hardware takes the
// part by address, so it is the same lines every time.
//
// On an H100, whose L2 is 50 MB in two halves that hold the lines of both, the best part leaves 25 MB without the
// hint: 1 x 4096 x 4096, 64 MB, takes 18 us instead of 24.6, with 16 or 32 MB without the hint 19.3 and 19.7. An H200
// says that it has 60 MB; 167 matrices of 26 to 130 MB, times a vector, are fastest with 26 MB without the hint, and
// take 0.8 and 1.2 % longer in the mean with 31 and 21. Of 256 MB no more than a tenth stays. The first product with a
// matrix takes longer the more of it stays: 1 x 4096 x 4096 cold takes 26.0 us with 28 MB, 25.6 with 25 and 25.2 with
// 23, on an H200, since what is in L2 must be written to memory first. Rung 75 keeps nothing in its first product.
//
// On older GPUs, and in the emulator, these are ordinary loads and copies.
#pragma once

#include <algorithm>

#include "../export/device.h"
#include "cp_async.h"
#include "early_launch.h"

namespace ladder {

// How many bytes of a matrix stay there: 24 MB on an H200, and 20 on an H100, where 16, 25 and 32 were measured
// (above), but not 20.
inline double kept_in_l2(const DeviceFigures& device) {
    return 0.38 * device.l2;
}

// The fraction of a matrix of that many bytes that is to be evict-first on the current device, from 0 to 1.
inline float evict_first_fraction(double bytes) {
    return static_cast<float>(1 - std::min(1.0, kept_in_l2(current_device()) / bytes));
}

// How one thread reads a matrix of which that fraction is evict-first.
class L2Policy {
  public:
    __device__ __forceinline__ explicit L2Policy(float evict_first);

    // `to` = `from`, one float or four; these are 16 bytes and aligned.
    __device__ __forceinline__ void load(float* to, const float* from) const;
    __device__ __forceinline__ void load4(float* to, const float* from) const;

    // The same, or zeros if they are not `inside`; as load_ahead(), by a predicate.
    __device__ __forceinline__ void load(float* to, const float* from, bool inside) const;
    __device__ __forceinline__ void load4(float* to, const float* from, bool inside) const;

    // The same of stores. A matrix that is written product after product is written over in L2 then, as far as it stays
    // there, and only the rest goes to memory.
    __device__ __forceinline__ void store(float* to, float value) const;
    __device__ __forceinline__ void store4(float* to, const float* from) const;

    // As those of AsyncCopies.
    __device__ __forceinline__ void copy4(AsyncCopies& copies, float* to, const float* from, bool inside) const;
    __device__ __forceinline__ void copy16(AsyncCopies& copies, float* to, const float* from, bool inside) const;

#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
  private:
    uint64_t policy_;
#endif
};

#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)

// The hardware counts in sixteenths, and refuses a fraction of 0.
__device__ __forceinline__ L2Policy::L2Policy(float evict_first) {
    if (evict_first == 0) {
        asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0;" : "=l"(policy_));
        return;
    }
    const float fraction = fmaxf(evict_first, 1.0f / 16);
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, %1;" : "=l"(policy_) : "f"(fraction));
}

// volatile: these loads stay behind the wait for the kernel before.
__device__ __forceinline__ void L2Policy::load(float* to, const float* from) const {
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(*to) : "l"(from), "l"(policy_));
}

__device__ __forceinline__ void L2Policy::load4(float* to, const float* from) const {
    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "l"(from), "l"(policy_));
}

__device__ __forceinline__ void L2Policy::load(float* to, const float* from, bool inside) const {
    *to = 0.0f;
    asm volatile("{ .reg .pred inside; setp.ne.s32 inside, %3, 0; @inside ld.global.L2::cache_hint.f32 %0, [%1], %2; }"
                 : "+f"(*to)
                 : "l"(from), "l"(policy_), "r"(int{inside}));
}

__device__ __forceinline__ void L2Policy::load4(float* to, const float* from, bool inside) const {
    to[0] = to[1] = to[2] = to[3] = 0.0f;
    asm volatile(
        "{ .reg .pred inside; setp.ne.s32 inside, %6, 0; "
        "@inside ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5; }"
        : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
        : "l"(from), "l"(policy_), "r"(int{inside}));
}

__device__ __forceinline__ void L2Policy::store(float* to, float value) const {
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(to), "f"(value), "l"(policy_));
}

__device__ __forceinline__ void L2Policy::store4(float* to, const float* from) const {
    asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "f"(from[0]), "f"(from[1]),
                 "f"(from[2]), "f"(from[3]), "l"(policy_));
}

__device__ __forceinline__ void L2Policy::copy4(AsyncCopies&, float* to, const float* from, bool inside) const {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::128B [%0], [%1], 4, %2, %3;" ::"r"(shared), "l"(from),
                 "r"(inside ? 4 : 0), "l"(policy_));
}

__device__ __forceinline__ void L2Policy::copy16(AsyncCopies&, float* to, const float* from, bool inside) const {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2, %3;" ::"r"(shared), "l"(from),
                 "r"(inside ? 16 : 0), "l"(policy_));
}

#else

__device__ __forceinline__ L2Policy::L2Policy(float) {}

__device__ __forceinline__ void L2Policy::load(float* to, const float* from) const {
    *to = *from;
}

__device__ __forceinline__ void L2Policy::load4(float* to, const float* from) const {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

__device__ __forceinline__ void L2Policy::load(float* to, const float* from, bool inside) const {
    *to = load_ahead(from, inside);
}

__device__ __forceinline__ void L2Policy::load4(float* to, const float* from, bool inside) const {
    to[0] = to[1] = to[2] = to[3] = 0.0f;
    if (!inside) return;
#ifdef SOLVE_EMULATOR
    if (reinterpret_cast<uintptr_t>(from) % 16 != 0) __builtin_trap();  // as on the GPU: misaligned address
#endif
    load4(to, from);
}

__device__ __forceinline__ void L2Policy::store(float* to, float value) const {
    *to = value;
}

__device__ __forceinline__ void L2Policy::store4(float* to, const float* from) const {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

__device__ __forceinline__ void L2Policy::copy4(AsyncCopies& copies, float* to, const float* from, bool inside) const {
    copies.copy4(to, from, inside);
}

__device__ __forceinline__ void L2Policy::copy16(AsyncCopies& copies, float* to, const float* from, bool inside) const {
    copies.copy16(to, from, inside);
}

#endif

}  // namespace ladder
