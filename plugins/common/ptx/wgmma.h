// Products of a warpgroup, the four warps of threads 0 to 127, 128 to 255, ...: wgmma, on compute capability 9.0 alone.
// A rung that includes this header says so in its line "// build: ... as=90a".
//
// D += A * B for a 64 x 16 A, a 16 x k B and a 64 x k D, where k is 64, 128, 192 or 256 (of TF32, 8 in place of 16). A
// and B are read from shared memory, by the tensor cores and not by the threads, or A from registers; D is in
// registers. The products run beside the threads that asked for them: a thread commits what it has asked for so far as
// a group, and later waits until all but its newest groups are there. Until then nobody may touch D, A and B.
//
// Row r of A, and column r of B, are 128 bytes of shared memory, of which a product reads 32: 8 KB for 64 of them,
// beginning at a multiple of 1024 bytes. So that the 16 bytes that the eight rows of a group have at the same place are
// in different banks, they trade places: piece p of row r lies at place p ^ (r % 8), the "128-byte swizzle".
// place_of_piece tells it.
//
// With g = lane / 4 and t = lane % 4 a thread of warp w holds of D, for each group j of 8 columns,
//   d[4j], d[4j + 1]  row 16w + g, columns 8j + 2t and 8j + 2t + 1;   d[4j + 2], d[4j + 3]  row 16w + g + 8, the same
// and of a 64 x 8 A of TF32 in registers
//   a[0], a[1]        rows 16w + g and 16w + g + 8, column t;         a[2], a[3]          the same rows, column t + 4
//
// On the CPU the products are done at the wait that covers them, with the tensor core's own rounding; until then D is
// NaN, and what has become of A and B meanwhile counts. A missing begin() is a fault.
#pragma once

#include <cstdint>

#include "../export/launch.h"

#ifdef SOLVE_EMULATOR
#include <vector>
#endif

namespace ladder {

#if defined(SOLVE_EMULATOR) || !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool kHasWgmma = true;
#else
constexpr bool kHasWgmma = false;  // a kernel that needs it returns at once; its solve asks supports_wgmma()
#endif

// Records that the device has no wgmma, which only sm_90 has, and returns false; or returns true.
inline bool supports_wgmma() {
    const int capability = current_device().capability;
    if (capability == 90) return true;
    return fail("needs wgmma, which only sm_90 has; this device is sm_%d", capability), false;
}

// Of A and B; what is cut off of an FP32 number for TF32 is not looked at.
enum class Operands { fp16, bf16, tf32 };

// Where in its row of 128 bytes a piece of 16 bytes lies, counted in pieces.
__host__ __device__ __forceinline__ int place_of_piece(int row, int piece) {
    return piece ^ row % 8;
}

// For `extern __shared__ SharedKilobyte memory[];`, which begins at a multiple of 1024 bytes then.
struct alignas(1024) SharedKilobyte {
    char bytes[1024];
};

// A or B in shared memory, a matrix descriptor: where its rows begin, and from which of their bytes on they are read.
class SharedRows {
  public:
    __device__ __forceinline__ explicit SharedRows(const void* rows);

    // The same rows, that many bytes further, a multiple of 32.
    __device__ __forceinline__ SharedRows at(int bytes) const;

    // The same, shuffled from lane 0, so that the compiler knows that they are the same for the whole warp, and adds to
    // them in uniform registers, where the tensor cores want them. Where it does not know, it adds in registers and
    // moves each sum over: some 100 instructions more for 12 products.
    __device__ __forceinline__ SharedRows uniform() const;

  private:
    friend class AsyncProducts;
#ifdef SOLVE_EMULATOR
    const void* piece(int row, int index) const {
        return rows_ + row * 128 + place_of_piece(row, bytes_ / 16 + index) * 16;
    }

    const char* rows_;
    int bytes_ = 0;
#else
    // Only the lower halves of descriptors differ; 32 bits are added to by one instruction, 64 by two.
    __device__ __forceinline__ uint64_t descriptor() const {
        return kHigh << 32 | low_;
    }

    static constexpr uint64_t kHigh = 1024 >> 4 | 1 << 30;
    uint32_t low_;
#endif
};

// To be called by every thread that has written rows of A or B to shared memory by itself, and not by a bulk copy,
// before the barrier behind which products of them are requested: the tensor cores read by the async proxy, past what
// orders threads.
__device__ __forceinline__ void show_rows_to_products() {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// A thread's products. All threads of a warpgroup make the same calls.
class AsyncProducts {
  public:
    // Before the first product, and after every wait before the next one: what the threads do with D is done by then.
    __device__ __forceinline__ void begin();

    // Asks for D += A * B; not `add`: for D = A * B. kWords is half of B's columns: 32, 64, 96 or 128.
    template <Operands kOperands, int kWords>
    __device__ __forceinline__ void request(float (&d)[kWords], SharedRows a, SharedRows b, bool add);

    // The same of TF32 with A in registers, which must keep it until the wait that covers the product.
    template <int kWords>
    __device__ __forceinline__ void request(float (&d)[kWords], const uint32_t (&a)[4], SharedRows b, bool add);

    // Closes the group of the products requested since the last call.
    __device__ __forceinline__ void commit();

    // Waits until all groups committed are complete, but for the newest kNewest.
    template <int kNewest>
    __device__ __forceinline__ void wait();

    // The same, and d may be read: what a group that is complete then was for. (The compiler takes d for there once the
    // product has been asked for, and could read it before the wait.)
    template <int kNewest, int kWords>
    __device__ __forceinline__ void wait(float (&d)[kWords]) {
        wait<kNewest>();
#ifndef SOLVE_EMULATOR
#pragma unroll
        for (int i = 0; i < kWords; ++i) asm volatile("" : "+f"(d[i])::"memory");
#endif
    }

#ifdef SOLVE_EMULATOR
  private:
    struct Product {
        void (*perform)(const Product&, float* d);
        float* d;
        const uint32_t* in_registers;  // A, or null: in shared memory
        SharedRows a, b;
        bool add;
        int group;
    };
    struct Sum {
        float* d;
        std::vector<float> value;
    };

    template <class Format, int kWords>
    static void perform(const Product& product, float* d);
    template <int kWords>
    static void perform_from_registers(const Product& product, float* d);
    // Adds the products of a thread's two rows of A and its columns of B to its words of D.
    template <class Line, int kWords>
    static void add_lines(const Product& product, const Line& upper, const Line& lower, float* d);
    void add_product(const Product& product, int words);

    std::vector<Product> products_;  // requested and not waited for, oldest first
    std::vector<Sum> sums_;          // what each D of theirs is so far
    int group_ = 0;                  // the group that the next commit closes
    bool begun_ = false;
#endif
};

#ifndef SOLVE_EMULATOR

// Start and the distance of 1024 bytes from one group of eight rows to the next (stride byte offset), both in units of
// 16 bytes, and the swizzle. A row has all of what it is read of within 128 bytes, so the other distance (leading byte
// offset) does not count.
__device__ __forceinline__ SharedRows::SharedRows(const void* rows)
    : low_((static_cast<unsigned>(__cvta_generic_to_shared(rows)) & 0x3ffff) >> 4 | 1 << 16) {}

__device__ __forceinline__ SharedRows SharedRows::at(int bytes) const {
    SharedRows result = *this;
    result.low_ += static_cast<unsigned>(bytes) >> 4;
    return result;
}

__device__ __forceinline__ SharedRows SharedRows::uniform() const {
    SharedRows result = *this;
    result.low_ = __shfl_sync(0xffffffff, low_, 0);
    return result;
}

__device__ __forceinline__ void AsyncProducts::begin() {
    if constexpr (kHasWgmma) asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void AsyncProducts::commit() {
    if constexpr (kHasWgmma) asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int kNewest>
__device__ __forceinline__ void AsyncProducts::wait() {
    if constexpr (kHasWgmma) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kNewest) : "memory");
}

}  // namespace ladder

#include "wgmma_instructions.h"

namespace ladder {

template <Operands kOperands, int kWords>
__device__ __forceinline__ void AsyncProducts::request(float (&d)[kWords], SharedRows a, SharedRows b, bool add) {
    if constexpr (kHasWgmma) {
        if constexpr (kOperands == Operands::fp16) wgmma_fp16(d, a.descriptor(), b.descriptor(), add);
        if constexpr (kOperands == Operands::bf16) wgmma_bf16(d, a.descriptor(), b.descriptor(), add);
        if constexpr (kOperands == Operands::tf32) wgmma_tf32(d, a.descriptor(), b.descriptor(), add);
    }
}

template <int kWords>
__device__ __forceinline__ void AsyncProducts::request(float (&d)[kWords], const uint32_t (&a)[4], SharedRows b,
                                                       bool add) {
    if constexpr (kHasWgmma) wgmma_tf32(d, a, b.descriptor(), add);
}

#endif

}  // namespace ladder

#ifdef SOLVE_EMULATOR
#include "wgmma_emulated.h"
#endif
