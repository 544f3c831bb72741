// One thread's copy of a box of a matrix, some rows of 32 floats, into shared memory: cp.async.bulk.tensor, or TMA, on
// GPUs of compute capability 9.0 and later. One instruction, whatever the size; what of the box lies outside the matrix
// becomes zero. For TF32 each float is rounded on the way, to the nearest, to the even one of two; NaN and infinities
// are left alone.
//
// A box in shared memory is rows of 128 bytes, from a multiple of 1024 bytes on, and their pieces of 16 bytes trade
// places as wgmma.h wants them to (the 128-byte swizzle): place_of_piece. In a plain one they do not. One by fours has
// its rows 0, 4, 8, ... first, then 1, 5, 9, ...: lanes that have four rows each, and read their first ones at once,
// have no bank conflicts.
//
// As of a bulk copy the bytes, always those of the whole box, are announced to an mbarrier (bulk_copy.h), and on the
// CPU they arrive as late as can be.
#pragma once

#include "bulk_copy.h"
#include "wgmma.h"

#ifdef SOLVE_EMULATOR
#include <algorithm>
#include <cmath>
#else
#include <cuda.h>
#endif

namespace ladder {

constexpr int kBoxCols = 32;  // floats in a row of a box

// Rounded to TF32 and swizzled; as they are and swizzled; as they are, in plain rows; swizzled, of rows by fours.
enum class BoxForm { tf32, swizzled, plain, by_fours };

// A matrix of which boxes are copied: a tensor map. The host describes it, and hands it to the kernel in a parameter
// that is a `const __grid_constant__`.
class BoxSource {
  public:
    // Of rows x cols floats, boxes of so many rows, 256 at most. False if the driver refuses: `data` must be a multiple
    // of 16 bytes, `ld` one of 4 floats and less than 2^38, by fours 2^36, and the driver know the function at all. By
    // fours `rows` must be a multiple of 4, and box_rows one of 32.
    bool describe(const float* data, int64_t ld, int rows, int cols, int box_rows, BoxForm form = BoxForm::tf32);

    // Prefetches the tensor map, for which the first copy would wait.
    __device__ __forceinline__ void prefetch() const;

    // The box whose first element is at (row, col), which may lie behind the matrix's last.
    __device__ __forceinline__ void copy(void* to, int row, int col, Mbarrier& barrier) const;

    // The same of boxes by fours; `row` is a multiple of 4.
    __device__ __forceinline__ void copy_by_fours(void* to, int row, int col, Mbarrier& barrier) const;

    // For both blocks of a cluster of two, each of which asks for it: the boxes at `row` and right below it, one behind
    // the other, come to the same places in both, and are announced to both barriers. The matrix is read once: each
    // block has one box copied for the two, by multicast. (In the emulator each has its own two.)
    __device__ __forceinline__ void copy_to_pair(void* to, int row, int col, int box_rows, Mbarrier& barrier) const;

  private:
#ifdef SOLVE_EMULATOR
    const float* data_;
    int64_t ld_;
    int rows_, cols_, box_rows_;
    BoxForm form_;
#else
    CUtensorMap map_;
#endif
};

// Whether boxes can be copied out of a matrix. What is asked of the driver in vain is an error to compute-sanitizer.
inline bool boxes_can_lie(const float* data, int64_t ld, int rows_by_fours = 0) {
    const int64_t most = int64_t{1} << (rows_by_fours > 0 ? 36 : 38);
    return reinterpret_cast<uintptr_t>(data) % 16 == 0 && ld % 4 == 0 && ld < most && rows_by_fours % 4 == 0;
}

#ifdef SOLVE_EMULATOR

inline bool BoxSource::describe(const float* data, int64_t ld, int rows, int cols, int box_rows, BoxForm form) {
    data_ = data, ld_ = ld, rows_ = rows, cols_ = cols, box_rows_ = box_rows, form_ = form;
    return boxes_can_lie(data, ld, form == BoxForm::by_fours ? rows : 0) && box_rows <= 256;
}

// To the nearest of 11 significant bits, ties to even: the lower 13 bits are dropped, and the sum carries into the last
// bit that stays from half of it on if that bit is 1, and from just above half if it is 0.
inline float nearest_tf32(float value) {
    if (!std::isfinite(value)) return value;
    const uint32_t bits = __float_as_uint(value);
    return __uint_as_float((bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu);
}

inline void BoxSource::prefetch() const {}

inline void BoxSource::copy(void* to, int row, int col, Mbarrier& barrier) const {
    if (reinterpret_cast<uintptr_t>(to) % 1024 != 0) __builtin_trap();
    auto* const box = static_cast<float*>(to);
    if (form_ == BoxForm::by_fours && row % 4 != 0) __builtin_trap();
    barrier.land_later(to, box_rows_ * kBoxCols * sizeof(float), [=, source = *this] {
        const int fours = source.box_rows_ / 4;
        for (int y = 0; y < source.box_rows_; ++y) {
            const int from = source.form_ == BoxForm::by_fours ? y % fours * 4 + y / fours : y;
            for (int x = 0; x < kBoxCols; ++x) {
                const bool inside = source.rows_ - row > from && source.cols_ - col > x;
                const float value = inside ? source.data_[(int64_t{row} + from) * source.ld_ + col + x] : 0.0f;
                const int piece = source.form_ == BoxForm::plain ? x / 4 : place_of_piece(y, x / 4);
                box[y * kBoxCols + piece * 4 + x % 4] = source.form_ == BoxForm::tf32 ? nearest_tf32(value) : value;
            }
        }
    });
}

inline void BoxSource::copy_by_fours(void* to, int row, int col, Mbarrier& barrier) const {
    copy(to, row, col, barrier);
}

inline void BoxSource::copy_to_pair(void* to, int row, int col, int box_rows, Mbarrier& barrier) const {
    for (int half = 0; half < 2; ++half) {
        copy(static_cast<float*>(to) + half * box_rows * kBoxCols, row + half * box_rows, col, barrier);
    }
}

#else

// The driver's function, which programs that do not link with the driver find so; null if it has none.
inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
    static const auto found = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
        const cudaError_t error =
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
#else
        const cudaError_t error =
            cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
        if (error != cudaSuccess) cudaGetLastError();
        const bool is_there = error == cudaSuccess && result == cudaDriverEntryPointSuccess;
        return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(is_there ? function : nullptr);
    }();
    return found;
}

inline bool BoxSource::describe(const float* data, int64_t ld, int rows, int cols, int box_rows, BoxForm form) {
    const bool by_fours = form == BoxForm::by_fours;  // three dimensions: columns, rows by a stride of 4, by 1
    if (!boxes_can_lie(data, ld, by_fours ? rows : 0)) return false;
    const cuuint64_t line = cuuint64_t(ld) * sizeof(float), fours = by_fours ? 4 : 1;
    const cuuint64_t sizes[] = {cuuint64_t(cols), cuuint64_t(rows) / fours, 4}, pitch[] = {fours * line, line};
    const cuuint32_t box[] = {kBoxCols, cuuint32_t(box_rows / fours), 4}, steps[] = {1, 1, 1};
    const auto encode = tensor_map_encoder();
    const auto describe_now = [&] {
        return encode(&map_, form == BoxForm::tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                      2 + by_fours, const_cast<float*>(data), sizes, pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                      form == BoxForm::plain ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_128B,
                      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    CUresult result = encode ? describe_now() : CUDA_ERROR_NOT_SUPPORTED;
    if (result == CUDA_ERROR_INVALID_CONTEXT) {  // a thread's first call: the runtime has not given it one yet
        int device = 0;
        cudaGetDevice(&device);
        cudaSetDevice(device);
        result = describe_now();
    }
    return result == CUDA_SUCCESS;
}

__device__ __forceinline__ void BoxSource::prefetch() const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map_) : "memory");
#endif
}

__device__ __forceinline__ void BoxSource::copy(void* to, int row, int col, Mbarrier& barrier) const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(&map_), "r"(col), "r"(row), "r"(barrier.address())
        : "memory");
#endif
}

__device__ __forceinline__ void BoxSource::copy_by_fours(void* to, int row, int col, Mbarrier& barrier) const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, 0}], "
        "[%4];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
        "l"(&map_), "r"(col), "r"(row / 4), "r"(barrier.address())
        : "memory");
#endif
}

__device__ __forceinline__ void BoxSource::copy_to_pair(void* to, int row, int col, int box_rows,
                                                        Mbarrier& barrier) const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const int before = static_cast<int>(blockIdx.x % 2) * box_rows;  // the other block's box
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%2, %3}], [%4], %5;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to)) + before * 128),
        "l"(&map_), "r"(col), "r"(row + before), "r"(barrier.address()), "h"(static_cast<unsigned short>(3))
        : "memory");
#endif
}

#endif

}  // namespace ladder
