// nvcuda::wmma on the CPU, for TF32: fragments of 16 x 16 x 8. CUDA does not say where a fragment's elements lie among
// the lanes; here they have the layout of mma.sync.
#pragma once

#include <cstdint>

#include "cuda_runtime.h"
#include "emulator/warp_operation.h"

struct __half;
struct __nv_bfloat16;
typedef __half half;

namespace nvcuda::wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int kM, int kN, int kK, class T, class Layout = void>
class fragment {
    static_assert(kM < 0,
                  "the emulator has wmma for TF32 only: 16 x 16 x 8, precision::tf32 for matrix_a and matrix_b (with "
                  "row_major or col_major), float for the accumulator; keep other shapes and types behind "
                  "#ifndef SOLVE_EMULATOR");
};

namespace emulated {

// Element i of a lane of a matrix of rows x cols lies in row(lane, i), col(lane, i).
struct MatrixA {
    static constexpr int kElements = 4;  // 16 x 8
    static int row(int lane, int i) { return lane / 4 + i % 2 * 8; }
    static int col(int lane, int i) { return lane % 4 + i / 2 * 4; }
    static int lane(int row, int col) { return row % 8 * 4 + col % 4; }
    static int element(int row, int col) { return row / 8 + col / 4 * 2; }
};
struct MatrixB {
    static constexpr int kElements = 4;  // 8 x 16
    static int row(int lane, int i) { return lane % 4 + i % 2 * 4; }
    static int col(int lane, int i) { return lane / 4 + i / 2 * 8; }
    static int lane(int row, int col) { return col % 8 * 4 + row % 4; }
    static int element(int row, int col) { return row / 4 + col / 8 * 2; }
};
struct Accumulator {
    static constexpr int kElements = 8;  // 16 x 16
    static int row(int lane, int i) { return lane / 4 + i / 2 % 2 * 8; }
    static int col(int lane, int i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }
};

template <class Shape>
struct Elements : Shape {
    static constexpr int num_elements = Shape::kElements;
    static constexpr int num_storage_elements = Shape::kElements;
    float x[Shape::kElements];
};

template <class Layout>
constexpr layout_t kLayout = std::is_same_v<Layout, row_major> ? mem_row_major : mem_col_major;

// Throws if a GPU would not take these: the address must be a multiple of 32 bytes, the stride of the rows one of 16.
inline void check(const float* matrix, unsigned ld, ::emulator::Place place) {
    const char* const what = reinterpret_cast<uintptr_t>(matrix) % 32 ? "the address is not a multiple of 32 bytes"
                             : ld % 4 ? "the stride of the rows is not a multiple of 16 bytes"
                                      : nullptr;
    if (!what) return;
    throw std::runtime_error(std::string(place.file) + ":" + std::to_string(place.line) + ": " + place.function + ": " +
                             what);
}

inline size_t offset(layout_t layout, int row, int col, unsigned ld) {
    return layout == mem_row_major ? size_t(row) * ld + col : size_t(col) * ld + row;
}

// Waits for all lanes, like a GPU, but not until all have loaded or stored: between a store and another lane's read of
// it there must be a __syncwarp.
inline void arrive(const float* matrix, unsigned ld, ::emulator::Place place) {
    check(matrix, ld, place);
    ::emulator::warp_operation(0, place, [](const auto&) {});
}

template <class Shape>
void load(Elements<Shape>& to, const float* from, unsigned ld, layout_t layout, ::emulator::Place place) {
    arrive(from, ld, place);
    const int lane = ::emulator::lane();
    for (int i = 0; i < to.num_elements; ++i) {
        to.x[i] = from[offset(layout, Shape::row(lane, i), Shape::col(lane, i), ld)];
    }
}

}  // namespace emulated

template <class Layout>
class fragment<matrix_a, 16, 16, 8, precision::tf32, Layout> : public emulated::Elements<emulated::MatrixA> {};
template <class Layout>
class fragment<matrix_b, 16, 16, 8, precision::tf32, Layout> : public emulated::Elements<emulated::MatrixB> {};
template <>
class fragment<accumulator, 16, 16, 8, float> : public emulated::Elements<emulated::Accumulator> {};

// Rounds to the nearest TF32 number, and away from zero where two are equally near.
inline float __float_to_tf32(float value) {
    const auto bits = __float_as_uint(value);
    if ((bits & 0x7f800000u) == 0x7f800000u) return ::emulator::as_tf32(value);
    return ::emulator::as_tf32(__uint_as_float(bits + 0x1000u));
}

template <class Use, class T, class Layout>
void fill_fragment(fragment<Use, 16, 16, 8, T, Layout>& to, float value) {
    for (float& element : to.x) element = value;
}

#define EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

template <class Use, class Layout>
void load_matrix_sync(fragment<Use, 16, 16, 8, precision::tf32, Layout>& to, const float* from, unsigned ld,
                      EMULATOR_HERE) {
    emulated::load(to, from, ld, emulated::kLayout<Layout>, {"wmma::load_matrix_sync", file, line});
}
inline void load_matrix_sync(fragment<accumulator, 16, 16, 8, float>& to, const float* from, unsigned ld,
                             layout_t layout, EMULATOR_HERE) {
    emulated::load(to, from, ld, layout, {"wmma::load_matrix_sync", file, line});
}

inline void store_matrix_sync(float* to, const fragment<accumulator, 16, 16, 8, float>& from, unsigned ld,
                              layout_t layout, EMULATOR_HERE) {
    emulated::arrive(to, ld, {"wmma::store_matrix_sync", file, line});
    const int lane = ::emulator::lane();
    for (int i = 0; i < from.num_elements; ++i) {
        to[emulated::offset(layout, from.row(lane, i), from.col(lane, i), ld)] = from.x[i];
    }
}

template <class LayoutA, class LayoutB>
void mma_sync(fragment<accumulator, 16, 16, 8, float>& d,
              const fragment<matrix_a, 16, 16, 8, precision::tf32, LayoutA>& a,
              const fragment<matrix_b, 16, 16, 8, precision::tf32, LayoutB>& b,
              const fragment<accumulator, 16, 16, 8, float>& c, EMULATOR_HERE) {
    struct Operands {
        const float *a, *b;
    };
    ::emulator::warp_operation(Operands{a.x, b.x}, {"wmma::mma_sync", file, line}, [&](const auto& all) {
        const int lane = ::emulator::lane();
        for (int i = 0; i < d.num_elements; ++i) {
            const int row = d.row(lane, i), col = d.col(lane, i);
            float sum = c.x[i];
            for (int k = 0; k < 8; ++k) {
                const float left = all[a.lane(row, k)].a[a.element(row, k)];
                const float right = all[b.lane(k, col)].b[b.element(k, col)];
                sum = fmaf(::emulator::as_tf32(left), ::emulator::as_tf32(right), sum);
            }
            d.x[i] = sum;
        }
    });
}

#undef EMULATOR_HERE

}  // namespace nvcuda::wmma
