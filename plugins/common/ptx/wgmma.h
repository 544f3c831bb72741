// Products of a warpgroup, the four warps of threads 0 to 127, 128 to 255, ...: wgmma, on compute capability 9.0 alone.
// A rung that includes this header says so in its line "// build: ... as=90a".
//
// D += A * B for a 64 x 16 A, a 16 x k B and a 64 x k D, where k is 64, 128 or 192 (of TF32, 8 in place of 16). A and B
// are read from shared memory, by the tensor cores and not by the threads; D is in registers. The products run beside
// the threads that asked for them: a thread commits what it has asked for so far as a group, and later waits until all
// but its newest groups are there. Until then nobody may touch D, A and B.
//
// Row r of A, and column r of B, are 128 bytes of shared memory, of which a product reads 32: 8 KB for 64 of them,
// beginning at a multiple of 1024 bytes. So that the 16 bytes that the eight rows of a group have at the same place are
// in different banks, they trade places: piece p of row r lies at place p ^ (r % 8), the "128-byte swizzle".
// place_of_piece tells it.
//
// With g = lane / 4 and t = lane % 4 a thread of warp w holds of D, for each group j of 8 columns,
//   d[4j], d[4j + 1]  row 16w + g, columns 8j + 2t and 8j + 2t + 1;   d[4j + 2], d[4j + 3]  row 16w + g + 8, the same
//
// On the CPU the products are done at the wait that covers them, with the tensor core's own rounding; until then D is
// NaN, and what has become of A and B meanwhile counts. A missing begin() is a fault.
#pragma once

#include <cstdint>

#include "../export/launch.h"

#ifdef SOLVE_EMULATOR
#include <emulator/tensor_core.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>
#endif

namespace ladder {

#if defined(SOLVE_EMULATOR) || !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool kHasWgmma = true;
#else
constexpr bool kHasWgmma = false;  // a kernel that needs it returns at once; its solve asks supports_wgmma()
#endif

// Records that the device has no wgmma, which went as it came with sm_90, and returns false; or returns true.
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

// A or B in shared memory: where its rows begin, and from which of their bytes on they are read.
class SharedRows {
  public:
    __device__ __forceinline__ explicit SharedRows(const void* rows);

    // The same rows, that many bytes further, a multiple of 32.
    __device__ __forceinline__ SharedRows at(int bytes) const;

  private:
    friend class AsyncProducts;
#ifdef SOLVE_EMULATOR
    const void* piece(int row, int index) const {
        return rows_ + row * 128 + place_of_piece(row, bytes_ / 16 + index) * 16;
    }

    const char* rows_;
    int bytes_ = 0;
#else
    uint64_t descriptor_;
#endif
};

// A thread's products. All threads of a warpgroup make the same calls.
class AsyncProducts {
  public:
    // Before the first product, and after every wait before the next one: what the threads do with D is done by then.
    __device__ __forceinline__ void begin();

    // Asks for D += A * B; not `add`: for D = A * B. kWords is half of B's columns: 32, 64 or 96.
    template <Operands kOperands, int kWords>
    __device__ __forceinline__ void request(float (&d)[kWords], SharedRows a, SharedRows b, bool add);

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
        SharedRows a, b;
        bool add;
        int words, group;
    };
    struct Sum {
        float* d;
        std::vector<float> value;
    };

    template <class Format, int kWords>
    static void perform(const Product& product, float* d);

    std::vector<Product> products_;  // requested and not waited for, oldest first
    std::vector<Sum> sums_;          // what each D of theirs is so far
    int group_ = 0;                  // the group that the next commit closes
    bool begun_ = false;
#endif
};

#ifdef SOLVE_EMULATOR

inline SharedRows::SharedRows(const void* rows) : rows_(static_cast<const char*>(rows)) {
    if (reinterpret_cast<uintptr_t>(rows) % 1024 != 0) throw std::runtime_error("wgmma: rows at no multiple of 1024");
}

inline SharedRows SharedRows::at(int bytes) const {
    SharedRows result = *this;
    result.bytes_ += bytes;
    return result;
}

inline void AsyncProducts::begin() {
    begun_ = true;
}

template <Operands kOperands, int kWords>
inline void AsyncProducts::request(float (&d)[kWords], SharedRows a, SharedRows b, bool add) {
    namespace core = ::emulator::tensor_core;
    if (!begun_) throw std::runtime_error("wgmma: no begin() since the last wait()");
    if (std::none_of(sums_.begin(), sums_.end(), [&](const Sum& sum) { return sum.d == d; })) {
        sums_.push_back({d, std::vector<float>(d, d + kWords)});
    }
    std::fill_n(d, kWords, std::numeric_limits<float>::quiet_NaN());
    const auto perform_as = kOperands == Operands::fp16   ? perform<core::Half, kWords>
                            : kOperands == Operands::bf16 ? perform<core::Bfloat16, kWords>
                                                          : perform<core::Tf32, kWords>;
    products_.push_back({perform_as, d, a, b, add, kWords, group_});
}

inline void AsyncProducts::commit() {
    ++group_;
}

template <class Format, int kWords>
inline void AsyncProducts::perform(const Product& product, float* d) {
    using Line = ::emulator::tensor_core::Line<Format>;
    const int row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const auto line = [](const SharedRows& rows, int row) { return Line(rows.piece(row, 0), rows.piece(row, 1)); };
    const Line upper = line(product.a, row), lower = line(product.a, row + 8);
    for (int i = 0; i < kWords; i += 4) {
        for (int c = 0; c < 2; ++c) {
            const Line column = line(product.b, 2 * i + 2 * t + c);
            float &above = d[i + c], &below = d[i + 2 + c];
            above = add_products(upper, column, product.add ? above : 0.0f);
            below = add_products(lower, column, product.add ? below : 0.0f);
        }
    }
}

template <int kNewest>
inline void AsyncProducts::wait() {
    begun_ = false;
    auto product = products_.begin();
    for (; product != products_.end() && product->group < group_ - kNewest; ++product) {
        const auto sum =
            std::find_if(sums_.begin(), sums_.end(), [&](const Sum& each) { return each.d == product->d; });
        product->perform(*product, sum->value.data());
    }
    products_.erase(products_.begin(), product);
    // A D of which nothing is to come any more is there.
    std::erase_if(sums_, [&](const Sum& sum) {
        for (const Product& each : products_) {
            if (each.d == sum.d) return false;
        }
        std::copy(sum.value.begin(), sum.value.end(), sum.d);
        return true;
    });
}

#else

// Start and the distance of 1024 bytes from one group of eight rows to the next, both in units of 16 bytes, and the
// swizzle. A row has all of what it is read of within 128 bytes, so the other distance does not count.
__device__ __forceinline__ SharedRows::SharedRows(const void* rows)
    : descriptor_((uint64_t{static_cast<unsigned>(__cvta_generic_to_shared(rows))} & 0x3ffff) >> 4 | uint64_t{1} << 16 |
                  uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62) {}

__device__ __forceinline__ SharedRows SharedRows::at(int bytes) const {
    SharedRows result = *this;
    result.descriptor_ += static_cast<unsigned>(bytes) >> 4;
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
        if constexpr (kOperands == Operands::fp16) wgmma_fp16(d, a.descriptor_, b.descriptor_, add);
        if constexpr (kOperands == Operands::bf16) wgmma_bf16(d, a.descriptor_, b.descriptor_, add);
        if constexpr (kOperands == Operands::tf32) wgmma_tf32(d, a.descriptor_, b.descriptor_, add);
    }
}

#endif

}  // namespace ladder
