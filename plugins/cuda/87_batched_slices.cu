// The products of a batch by 69's kernel, all in one launch.
//
// Against 69: blockIdx.z is the product. 12 products of 1024 x 1024 x 64 are 16 tiles of 64 x 64 each, an eighth of the
// SMs by themselves, and 192 together. Operands that lie transposed are refused: 88 and 56 take them.
//
// Limit: as for 69, and the last wave of the tiles of all products.
// Source: cuBLAS (batched products), CUTLASS (sliced-K).
// build: least=80
#include "73_box_slices.cu"  // and 69

namespace rung_87 {

using rung_69::Large, rung_69::Medium, rung_69::Small;

template <class T, bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(T::kThreads, 1) batched_slices(solve_gemm_t call, int64_t first, bool vector_c) {
    if (ladder::has_arrays(call)) ladder::wait_for_kernel_before();
    const int64_t product = first + blockIdx.z;
    rung_69::multiply_block<T, kVectorA, kVectorB, false, false>(
        ladder::a_of(call, product), call.lda, ladder::b_of(call, product), call.ldb, ladder::c_of(call, product),
        call.ldc, call.M, call.N, call.K, 0, 0, 0, call.alpha, call.beta, vector_c);
}

// The cycles of a call, if there are rows of tiles enough for a grid.
template <class T>
double cycles_of(const ladder::Speed& speed, const solve_gemm_t& call, int sms) {
    const int64_t rows = ladder::ceil_div(call.M, T::kM), tiles = rows * ladder::ceil_div(call.K, T::kK) * call.batch;
    const double tile = ladder::ffma_cycles(T::kM * T::kK, call.N, speed.rate) + 3000;
    return rows > 65535 ? ladder::kNever : speed.start + ladder::waves_of(tiles, sms) * tile;
}

// A call without a bias, of operands that are not transposed.
template <class T>
void launch(const solve_gemm_t& call) {
    const ladder::Vectors vectors(call);
    auto kernel = vectors.b ? batched_slices<T, false, true> : batched_slices<T, false, false>;
    if constexpr (T::kRowN) {
        if (vectors.a) kernel = vectors.b ? batched_slices<T, true, true> : batched_slices<T, true, false>;
    }
    ladder::allow_shared(kernel, sizeof(typename T::Shared));
    constexpr int kMost = 65535;  // of gridDim.z
    for (int64_t first = 0; first < call.batch; first += kMost) {
        const dim3 grid(ladder::ceil_div(call.K, T::kK), ladder::ceil_div(call.M, T::kM),
                        static_cast<unsigned>(std::min<int64_t>(kMost, call.batch - first)));
        ladder::launch_early(kernel, grid, T::kThreads, sizeof(typename T::Shared),
                             static_cast<cudaStream_t>(call.stream), call, first, vectors.c);
    }
}

inline int multiply_all(const solve_gemm_t& call) {
    if (call.transpose_a == SOLVE_T || call.transpose_b == SOLVE_T) {
        return ladder::fail("operands that lie transposed are not for this rung"), SOLVE_UNSUPPORTED;
    }
    const int sms = ladder::sm_count();
    // Round figures of an H100. Those that `make tune` measures are 90's.
    const double large = cycles_of<Large>({0.80, 6000}, call, sms);
    const double medium = cycles_of<Medium>({0.68, 5000}, call, sms);
    const double small = cycles_of<Small>({0.70, 5600}, call, sms);
    const double least = std::min({large, medium, small});
    if (least == ladder::kNever) return ladder::fail("more rows than a grid has"), SOLVE_UNSUPPORTED;
    const auto launch_best = least == large ? launch<Large> : least == medium ? launch<Medium> : launch<Small>;
    launch_best(ladder::with_bias_added(call));
    return SOLVE_OK;
}

}  // namespace rung_87

SOLVE_EXPORT_GEMM_AND_ALL(rung_69::multiply, rung_87::multiply_all,
                          .summary = "69 for all products of a batch in one launch", .source = "cuBLAS, CUTLASS",
                          .minimum_compute_capability = 80)
