// How 90 does a call of solve_gemm: which of its ways is expected to be the fastest, by the figures of 90_table.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "56_batched.cu"
#include "77_short_sums.cu"
#include "79_cluster_slices.cu"
#include "87_batched_slices.cu"
#include "89_turned_first.cu"
#include "90_table.h"

namespace rung_90 {

// The products of a call: one after the other as solve_enqueue does them, the only one with its operands turned first,
// or all at once by 56, 77, 79, 87 or 88.
enum class Way {
    one_by_one,
    turned,
    plain_large,
    plain_medium,
    plain_small,
    slices_64x128,
    slices_64x64,
    slices_64x32,
    cluster_slices,
    short_sums,
    walk
};

struct WayChoice {
    Way way = Way::plain_medium;
    double cycles = ladder::kNever;
    rung_79::Plan clusters{};
    rung_88::Choice walk{};

    void consider(Way other, double cycles_of_it) {
        if (cycles_of_it < cycles) way = other, cycles = cycles_of_it;
    }
};

inline bool has_arrays(const solve_gemm_t& call) {
    return call.A_array || call.B_array || call.C_array;
}

// A product of which one operand or C is a vector, transposed or not, is one of operands that are not: a vector lies
// alike either way, and C = op(A) * op(B) is C' = op(B)' * op(A)'.
inline std::optional<ladder::Gemm> as_plain(const solve_gemm_t& call) {
    const bool a = call.transpose_a == SOLVE_T, b = call.transpose_b == SOLVE_T;
    if (call.batch != 1 || has_arrays(call)) return std::nullopt;
    ladder::Gemm gemm = ladder::plain_gemm(call);
    if (!a && !b) return gemm;
    if (call.K == 1 && !a) return gemm.ldb = 1, gemm;  // B is N x 1
    const int64_t step_of_a = a ? call.lda : 1;
    if (call.M == 1 && b) {  // K x 1 = B * A'
        std::swap(gemm.A, gemm.B);
        gemm.lda = call.ldb, gemm.ldb = step_of_a, gemm.ldc = 1;
        std::swap(gemm.M, gemm.K);
        return gemm;
    }
    if (call.M == 1 && !b && call.lda == 1) return gemm.lda = call.N, gemm;
    return std::nullopt;
}

// 56 on an H100: what a call takes, and a step of a block, whose loads wait for the step before: 31.4 us for the 97
// steps of 75 x 1537 x 196, 56 us for the 173 of 1362 x 2762 x 1. Several blocks share an SM, and its FFMA.
template <class T>
double cycles_of_plain(double rate, const solve_gemm_t& call, int sms) {
    constexpr double kStart = 3950, kStep = 560;
    const double of_sm = ladder::waves_of(rung_56::tiles_of<T>(call) * call.batch, sms);
    const double waves = std::ceil(of_sm / T::kResident), step = ladder::ffma_cycles(T::kM * T::kK, T::kN, rate);
    return kStart + ladder::ceil_div(call.N, T::kN) * std::max(waves * kStep, of_sm * step);
}

// What 88's loop reaches of the rate that it has where no operand is transposed: measured on an H200 at 4096 with the
// large tile and at 1024 with the small one.
inline double rate_of_form(const solve_gemm_t& call, bool large) {
    const bool a = call.transpose_a == SOLVE_T, b = call.transpose_b == SOLVE_T;
    if (!a && !b) return 1;
    if (a && b) return large ? 0.93 : 0.97;
    return b ? (large ? 0.82 : 0.95) : (large ? 0.96 : 1);
}

// The cycles of turning the operands: they are read and written once, at 1500 bytes a cycle (2.6 TB/s at 1.755 GHz;
// round figures of a copy on an H100), after a start of 3 us for each.
inline double cycles_of_turning(const solve_gemm_t& call) {
    constexpr double kStart = 5000, kBytesPerCycle = 1500;
    const auto of = [](uint32_t transposed, double elements) {
        return transposed == SOLVE_T ? kStart + 2 * sizeof(float) * elements / kBytesPerCycle : 0;
    };
    return of(call.transpose_a, double(call.M) * call.N) + of(call.transpose_b, double(call.N) * call.K);
}

// What is enqueued for each of many products costs the GPU no less than this, in cycles.
constexpr double kLeastOfLaunch = 4000;

template <class ChooseOne>
WayChoice choose_way(const solve_gemm_t& call, std::span<const Measured> rows, int sms, ChooseOne choose_one) {
    const bool plain = call.transpose_a == SOLVE_N && call.transpose_b == SOLVE_N;
    WayChoice best;
    const auto of_table = [&](KernelId id) -> Speed {
        for (const Measured& row : rows) {
            if (row.kernel == id) return {row.rate, row.start};
        }
        return {0, 0};
    };
    best.consider(Way::plain_large, cycles_of_plain<rung_56::Large>(0.6, call, sms));
    best.consider(Way::plain_medium, cycles_of_plain<rung_56::Medium>(0.5, call, sms));
    best.consider(Way::plain_small, cycles_of_plain<rung_56::Small>(0.2, call, sms));
    if (Speed large = of_table(KernelId::stream_k_128x256), small = of_table(KernelId::stream_k_64x128);
        large.rate > 0 && small.rate > 0) {
        large.rate *= rate_of_form(call, true), small.rate *= rate_of_form(call, false);
        best.walk = rung_88::choose(large, small, call, sms);
        best.consider(Way::walk, best.walk.plan.cycles);
        if (rung_89::can_turn(call)) {
            best.consider(Way::turned, cycles_of_turning(call) + choose_one(rung_89::turned(call)));
        }
    }
    // Of batches neither 77 nor 79 was measured.
    if (const Speed speed = of_table(KernelId::cluster_slices); speed.rate > 0 && call.batch == 1) {
        best.clusters = rung_79::plan_for(speed, call.M, call.N, call.K, call.batch, {sms, true});
        best.consider(Way::cluster_slices, best.clusters.cycles);
    }
    if (const Speed speed = of_table(KernelId::short_sums); speed.rate > 0 && call.batch == 1) {
        best.consider(Way::short_sums, speed.start + rung_77::cycles_of(call, sms) / speed.rate);
    }
    if (!plain) return best;
    const auto consider_slices = [&](Way way, KernelId id, auto cycles_of) {
        if (const Speed speed = of_table(id); speed.rate > 0) best.consider(way, cycles_of(speed, call, sms));
    };
    consider_slices(Way::slices_64x128, KernelId::slices_64x128, rung_87::cycles_of<rung_69::Large>);
    consider_slices(Way::slices_64x64, KernelId::slices_64x64, rung_87::cycles_of<rung_69::Medium>);
    consider_slices(Way::slices_64x32, KernelId::slices_64x32, rung_87::cycles_of<rung_69::Small>);
    if (!has_arrays(call)) {
        best.consider(Way::one_by_one, call.batch * std::max(choose_one(ladder::plain_gemm(call)), kLeastOfLaunch));
    }
    return best;
}

// Enqueues a call without a bias; multiply_one(gemm) is what solve_enqueue does.
template <class MultiplyOne>
void launch_way(const WayChoice& choice, const solve_gemm_t& call, int sms, MultiplyOne multiply_one) {
    switch (choice.way) {
        case Way::one_by_one:
            for (int64_t i = 0; i < call.batch; ++i) multiply_one(ladder::plain_gemm(call, i));
            return;
        case Way::turned:
            if (rung_89::turn_and_multiply(call, sms, multiply_one)) return;
            return choice.walk.launch(call, choice.walk.plan.partition, sms);  // no memory for that
        case Way::plain_large:
            return rung_56::launch<rung_56::Large>(call);
        case Way::plain_medium:
            return rung_56::launch<rung_56::Medium>(call);
        case Way::plain_small:
            return rung_56::launch<rung_56::Small>(call);
        case Way::slices_64x128:
            return rung_87::launch<rung_69::Large>(call);
        case Way::slices_64x64:
            return rung_87::launch<rung_69::Medium>(call);
        case Way::slices_64x32:
            return rung_87::launch<rung_69::Small>(call);
        case Way::cluster_slices:
            return choice.clusters.launch(call, choice.clusters.blocks);
        case Way::short_sums:
            return ladder::launch_short(rung_77::kConfigs, call, sms);
        case Way::walk:
            return choice.walk.launch(call, choice.walk.plan.partition, sms);
    }
}

}  // namespace rung_90
