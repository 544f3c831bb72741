// E = A * B * C as two products by 90_dispatch's kernels, in the order that is expected to take less.
//
// Against 00_chain_cublas: the order is chosen by the costs that 90 chooses its kernels by, not by multiply-adds. Of
// 4096 x 16 x 4096 x 16 these alone would do: 537 M as (A B) C, 2 M as A (B C). The product between, and what the
// kernels work in, are one piece of workspace. Those of 90's kernels that are launched early are so here too: the
// blocks of the second product come while the first one ends.
//
// Small chains, up to 256 of N and K, are 20_chain_clusters', one launch, where that is expected to take less: 2.3 us
// at 128 and 4.8 at 256 on an H200, in a graph, where two products take 3.9 and 6.5.
//
// Strict FP32, unless the call's accuracy or SGEMM_LADDER_ACCURACY=fp32-accurate allows what is as accurate, on sm_90:
// then chains of up to 512 are 30_chain_tf32's, one launch, where that is expected to take less, and 85 does a product
// where 90 would choose it (90_accuracy.h). On an H100, in CUDA graphs: 12.7 us at 512, 36.3 at 768 and 45.8 at
// 1024, strict 16.1, 59.0 and 86.4; with numbers that FP16 cannot hold 58 and 71 at 768 and 1024.
//
// Limit: that of the two products, and what lies between them: the first one's last wave, a start of some us.
//
// In the emulator 54 multiplies, which compiles in a tenth of the time, and multiply-adds are what counts.
// Source: 90; the matrix-chain order.
// build: least=75 as=90a
#ifdef SOLVE_EMULATOR
#include "by_54.h"
namespace rung = rung_54;
#else
#include "by_90.h"
namespace rung = rung_90;
#endif

#include "20_chain_clusters.cu"
#include "30_chain_tf32.cu"

namespace chain_90 {

// What the two products of the cheaper order are expected to take.
inline double cost_of_two(const solve_chain_t& call) {
    const rung::Multiplier multiplier(SOLVE_ARITHMETIC_FP32);
    const auto cost = [&](const solve_gemm_t& product) { return multiplier.cost(product); };
    const ladder::TwoProducts two = ladder::cheaper_products(call, cost);
    return cost(two.first) + cost(two.second);
}

// Whether 20's launch is expected to take less than two products. In a graph these take 0.7 us more where the caller
// lends no workspace. Half of that counts always: in and out of graphs the same kernels are to be launched.
inline bool is_for_clusters(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    constexpr double kHalf = 600, kLeast = 4000;  // cycles, the second those of any two products
    if (!chain_20::is_for_clusters(call, device)) return false;
    const double cycles = chain_20::cycles_of(call, device);
    return !rung::Multiplier::kCostsAreCycles || cycles < kLeast || cycles < cost_of_two(call) + kHalf;
}

// Whether 30's launch is expected to take less than two products.
inline bool is_for_tensor_cores(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    if (!chain_30::fits(call, device)) return false;
    return !rung::Multiplier::kCostsAreCycles || chain_30::cycles_of(call) < cost_of_two(call);
}

inline int multiply(const solve_chain_t& call) {
    const uint32_t accuracy = rung::accuracy_of(call.accuracy);
    if (!accuracy) return SOLVE_INVALID_ARGUMENT;
    const ladder::DeviceFigures device = ladder::current_device();
    if (is_for_clusters(call, device)) return chain_20::launch(call, device), SOLVE_OK;
    if (accuracy != SOLVE_ARITHMETIC_FP32) {
        if (is_for_tensor_cores(call, device) && chain_30::launch(call) == SOLVE_OK) return SOLVE_OK;
        if (ladder::enqueue_products(call, rung::Multiplier(accuracy)) == SOLVE_OK) return SOLVE_OK;
        ladder::clear_error();  // strict products need less memory
    }
    return ladder::enqueue_products(call, rung::Multiplier(SOLVE_ARITHMETIC_FP32));
}

}  // namespace chain_90

SOLVE_EXPORT_CHAIN_AND_ENQUEUE(
    chain_90::multiply, .summary = "A*B*C by 20_chain_clusters, or as two products of 90_dispatch, in the faster order",
    .source = "90; the matrix-chain order", .minimum_compute_capability = 75,
    .arithmetic_of_process = rung::arithmetic_of_process)
