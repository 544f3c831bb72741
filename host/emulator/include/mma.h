// nvcuda::wmma on the CPU. CUDA does not say where a fragment's elements lie among the lanes; here element i of lane l
// is the matrix's element i * 32 + l, in rows.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "emulator/warp_operation.h"

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

namespace emulated {

template <class T>
struct Element {
    using type = T;
};
template <>
struct Element<precision::tf32> {
    using type = float;
};

template <class Use, int kM, int kN, int kK>
struct Extent {
    static constexpr int kRows = std::is_same_v<Use, matrix_b> ? kK : kM;
    static constexpr int kCols = std::is_same_v<Use, matrix_a> ? kK : kN;
};

template <int kM, int kN, int kK, class T>
constexpr bool exists() {
    if (std::is_same_v<T, precision::tf32>) return kM == 16 && kN == 16 && kK == 8;
    if (std::is_same_v<T, double>) return kM == 8 && kN == 8 && kK == 4;
    if (kM == 16 && kN == 16 && kK == 8) return std::is_same_v<T, float>;  // TF32's accumulator
    return kK == 16 && ((kM == 16 && kN == 16) || (kM == 32 && kN == 8) || (kM == 8 && kN == 32));
}

template <class Layout>
constexpr layout_t kLayout = std::is_same_v<Layout, row_major> ? mem_row_major : mem_col_major;

// Throws if a GPU would not take these: the address must be a multiple of 32 bytes, the stride of the rows one of 16.
template <class T>
void check(const T* matrix, unsigned ld, ::emulator::Place place) {
    const char* const what = reinterpret_cast<uintptr_t>(matrix) % 32 ? "the address is not a multiple of 32 bytes"
                             : ld * sizeof(T) % 16 ? "the stride of the rows is not a multiple of 16 bytes"
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
template <class T>
void arrive(const T* matrix, unsigned ld, ::emulator::Place place) {
    check(matrix, ld, place);
    ::emulator::warp_operation(0, place, [](const auto&) {});
}

// An operand as the tensor core reads it, in the type that it adds up in.
template <class T, class Sum>
Sum operand(typename Element<T>::type value) {
    if constexpr (std::is_same_v<T, precision::tf32>) {
        return ::emulator::as_tf32(value);
    } else if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
        return static_cast<float>(value);
    } else {
        return static_cast<Sum>(value);
    }
}

}  // namespace emulated

template <class Use, int kM, int kN, int kK, class T, class Layout = void>
class fragment {
  public:
    static_assert(emulated::exists<kM, kN, kK, T>(), "wmma has no such shape for this type");

    using element_type = typename emulated::Element<T>::type;
    using storage_element_type = element_type;
    static constexpr int kRows = emulated::Extent<Use, kM, kN, kK>::kRows;
    static constexpr int kCols = emulated::Extent<Use, kM, kN, kK>::kCols;
    static constexpr int num_elements = kRows * kCols / 32;
    static constexpr int num_storage_elements = num_elements;

    element_type x[num_elements];

    static int row(int lane, int i) { return (i * 32 + lane) / kCols; }
    static int col(int lane, int i) { return (i * 32 + lane) % kCols; }
};

// Rounds to the nearest TF32 number, and away from zero where two are equally near.
inline float __float_to_tf32(float value) {
    const auto bits = __float_as_uint(value);
    if ((bits & 0x7f800000u) == 0x7f800000u) return ::emulator::as_tf32(value);
    return ::emulator::as_tf32(__uint_as_float(bits + 0x1000u));
}

template <class Use, int kM, int kN, int kK, class T, class Layout, class Value>
void fill_fragment(fragment<Use, kM, kN, kK, T, Layout>& to, const Value& value) {
    for (auto& element : to.x) element = value;
}

#define EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace emulated {
template <class Fragment, class T>
void load(Fragment& to, const T* from, unsigned ld, layout_t layout, ::emulator::Place place) {
    arrive(from, ld, place);
    const int lane = static_cast<int>(::emulator::lane());
    for (int i = 0; i < to.num_elements; ++i) to.x[i] = from[offset(layout, to.row(lane, i), to.col(lane, i), ld)];
}
}  // namespace emulated

template <class Use, int kM, int kN, int kK, class T, class Layout>
void load_matrix_sync(fragment<Use, kM, kN, kK, T, Layout>& to, const typename emulated::Element<T>::type* from,
                      unsigned ld, EMULATOR_HERE) {
    emulated::load(to, from, ld, emulated::kLayout<Layout>, {"wmma::load_matrix_sync", file, line});
}
template <int kM, int kN, int kK, class T>
void load_matrix_sync(fragment<accumulator, kM, kN, kK, T>& to, const T* from, unsigned ld, layout_t layout,
                      EMULATOR_HERE) {
    emulated::load(to, from, ld, layout, {"wmma::load_matrix_sync", file, line});
}

template <int kM, int kN, int kK, class T>
void store_matrix_sync(T* to, const fragment<accumulator, kM, kN, kK, T>& from, unsigned ld, layout_t layout,
                       EMULATOR_HERE) {
    emulated::arrive(to, ld, {"wmma::store_matrix_sync", file, line});
    const int lane = static_cast<int>(::emulator::lane());
    for (int i = 0; i < from.num_elements; ++i) {
        to[emulated::offset(layout, from.row(lane, i), from.col(lane, i), ld)] = from.x[i];
    }
}

template <int kM, int kN, int kK, class T, class LayoutA, class LayoutB, class D, class C>
void mma_sync(fragment<accumulator, kM, kN, kK, D>& d, const fragment<matrix_a, kM, kN, kK, T, LayoutA>& a,
              const fragment<matrix_b, kM, kN, kK, T, LayoutB>& b, const fragment<accumulator, kM, kN, kK, C>& c,
              EMULATOR_HERE) {
    using Element = typename emulated::Element<T>::type;
    using Sum = std::conditional_t<std::is_same_v<D, __half>, float, D>;
    struct Operands {
        const Element *a, *b;
    };
    ::emulator::warp_operation(Operands{a.x, b.x}, {"wmma::mma_sync", file, line}, [&](const auto& all) {
        const int lane = static_cast<int>(::emulator::lane());
        const auto left = [&](int at) { return emulated::operand<T, Sum>(all[at % 32].a[at / 32]); };
        const auto right = [&](int at) { return emulated::operand<T, Sum>(all[at % 32].b[at / 32]); };
        // A lane's elements of D lie in one column, since kN divides 32.
        Sum column[kK];
        for (int k = 0; k < kK; ++k) column[k] = right(k * kN + lane % kN);
        for (int i = 0; i < d.num_elements; ++i) {
            const int row = d.row(lane, i);
            Sum sum = static_cast<Sum>(c.x[i]);
            for (int k = 0; k < kK; ++k) {
                if constexpr (std::is_floating_point_v<Sum>) {
                    sum = std::fma(left(row * kK + k), column[k], sum);
                } else {
                    sum += left(row * kK + k) * column[k];
                }
            }
            d.x[i] = sum;
        }
    });
}

#undef EMULATOR_HERE

}  // namespace nvcuda::wmma
