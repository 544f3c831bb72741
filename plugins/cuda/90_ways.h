// The ways that 90 has to do a call of solve_gemm (the candidates of its heuristic): which there are, and how each is
// done.
#pragma once

#include "56_batched.cu"
#include "64_cp_async.cu"
#include "72_narrow.cu"
#include "77_short_sums.cu"
#include "79_cluster_slices.cu"
#include "90_work.h"

namespace rung_90 {

using ladder::CostsOfGpu, ladder::WayId;

// A way, with what its number alone does not say: the blocks of a cluster, the pieces of N, or what is copied.
struct Way {
    WayId id{};
    int blocks = 1;
    double cycles = ladder::kNever;
};

// As a way's blocks: the tile is 256x128 in place of 128x256, and its steps cost as much.
constexpr int kOnItsSide = 2;

// How a product is done: as a whole, or as two where the last rows or columns are one of their own.
struct Plan {
    Way whole;
    int rows = 0, cols = 0;  // those; both 0: as a whole
    Way first, last;         // of the two
};

// The best way of the whole by the costs. copies: or with operands copied first.
inline Way choose(const solve_gemm_t& call, const CostsOfGpu& costs, const DeviceFigures& device, bool copies = true);

// The best plan, cached for the next call like this one.
inline Plan plan_of(const solve_gemm_t& call, const CostsOfGpu& costs, const DeviceFigures& device, bool copies = true);

// As the number of a way's blocks.
inline int number_of(rung_89::Copies copies) {
    return int(copies.a) + 3 * int(copies.b);
}
inline rung_89::Copies copies_of(const Way& way) {
    return {rung_89::Copy(way.blocks % 3), rung_89::Copy(way.blocks / 3)};
}

// Whether operands can be copied before the product, which is a choice of its own then.
inline bool may_copy(const solve_gemm_t& call, const DeviceFigures& device) {
    return device.capability >= 90 && rung_89::can_copy(call) && is_transposed(call);
}

// Calls visit(copies) for what may be copied: all that lies transposed is turned, or the smaller operand alone, if that
// leaves one of 88's forms with as few copies as NN. An NT product with fewer rows of A than of B is TT with A turned:
// 512 x 4096 x 16384, a program's linear layer, takes 1.23 ms so, 1.35 with B turned, and 1.34 with none. A TT product
// is TN with B turned. An A of TT or of that TN whose rows cannot be read 16 bytes at a time may be padded: 1618 x 6418
// x 4708 takes 1.83 ms so, 1.89 with both turned, and 1.90 with none.
template <class Visit>
void for_each_copies(const solve_gemm_t& call, Visit visit) {
    using enum rung_89::Copy;
    visit(rung_89::turn_transposed(call));
    const int least = std::min({call.M, call.N, call.K});
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    if (!tb || least < 128) return;
    const bool turn_b = ta && call.K < call.M;
    if (turn_b) visit(rung_89::Copies{none, turned});
    if (!ta && call.M < call.K) visit(rung_89::Copies{turned, none});
    if (!ta || least < 512 || ladder::quads_of_a(call)) return;
    visit(rung_89::Copies{padded, none});
    if (turn_b) visit(rung_89::Copies{padded, turned});
}

// Calls visit(id, blocks, work) for each of a call's ways but two: its products one by one, and operands copied before.
template <class Visit>
void for_each_way(const solve_gemm_t& call, const DeviceFigures& device, Visit visit) {
    const ladder::Vectors vectors(call);
    const bool plain = !is_transposed(call), plain_single = is_plain_single(call);
    const auto of_blocks = [&]<class T>(T, WayId id) {
        visit(id, 1, ladder::work_of_blocks(call, vectors, T::kM, T::kK, T::kN, T::kResident, device));
    };
    of_blocks(rung_56::Large{}, WayId::plain_128x128);
    of_blocks(rung_56::Medium{}, WayId::plain_64x64);
    of_blocks(rung_56::Small{}, WayId::plain_16x16);
    if (call.N <= rung_77::kChunk) {
        for (const ladder::ShortConfig& config : rung_77::kConfigs) {
            visit(config.id, 1, ladder::short_work(config.tile, call, vectors, device));
        }
    }
    // By 75. 76 and 78 are up to 5 % faster then in calls back to back, but slower where nothing is in L2: not asked.
    bool streamed = false;
    if (call.batch == 1 && !has_arrays(call) && device.capability >= 90) {
        const rung_75::Choice choice = rung_75::choose(call, device);
        if (choice.plan.cycles < ladder::kNever) {
            visit(WayId::vectors, 1, vectors_work(choice.product, choice.plan, device));
            streamed = rung_75::plan_to_launch(choice, device).streamed;
            // Of one vector, and a matrix that L2 does not hold, memory is all that counts. What was learned of other
            // ways ends before 1 x 54877 x 1222, which takes 105 us by 79 and 80 by 75.
            const double bytes = sizeof(float) * double(call.M) * call.N * call.K;
            if (std::min(call.M, call.K) == 1 && call.N >= 64 && bytes > device.l2) return;
        }
    }
    if (plain_single && std::min(call.M, call.K) <= 2 * ladder::kThin && !streamed) {
        visit(few_columns(call) ? WayId::few_columns : WayId::few_rows, 1, thin_work(call, vectors, device));
    }
    if (plain_single && device.capability < 80) {
        Work work = ladder::work_of_blocks(call, vectors, rung_60::kTileM, rung_60::kTileK, 8, 2, device);
        visit(WayId::warp_tile, 1, with_words(work, !vectors.a || !vectors.b));
    }
    if (device.capability < 80) return;
    const auto of_clusters = [&](WayId id, int blocks, const Work& work, auto) { visit(id, blocks, work); };
    rung_67::for_each_way(call, vectors, device, of_clusters);
    rung_79::for_each_way(call, vectors, device, of_clusters);
    const bool too_high = !plain_single && call.M > 65535 * 64;  // for a grid of 87's
    if (plain && !too_high) {
        visit(WayId::slices_64x128, 1, slices_work<rung_69::Large>(call, vectors, device));
        visit(WayId::slices_64x64, 1, slices_work<rung_69::Medium>(call, vectors, device));
        visit(WayId::slices_64x32, 1, slices_work<rung_69::Small>(call, vectors, device));
    }
    if (device.capability < 90) {
        if (plain_single) {
            Work work = ladder::work_of_blocks(call, vectors, rung_64::kTileM, rung_64::kTileK, 8, 2, device);
            visit(WayId::cp_async, 1, with_words(work, !vectors.b));
        }
        return;
    }
    const auto of_walk = [&]<class T>(T, WayId id, int blocks = 1) {
        const rung_86::Plan plan = walk_plan<T>(call, device);
        if (plan.cycles < ladder::kNever) visit(id, blocks, walk_work<T>(plan.partition, call, vectors, device));
    };
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    if (ta && tb) {
        of_walk(rung_88::Tall{}, WayId::walk_tt_256x128);
    } else {
        of_walk(rung_88::Large{}, ta ? WayId::walk_tn_128x256 : tb ? WayId::walk_nt_128x256 : WayId::walk_128x256);
    }
    if (ta && !tb) of_walk(rung_88::Tall{}, WayId::walk_tn_128x256, kOnItsSide);
    of_walk(rung_88::Small{}, ta ? (tb ? WayId::walk_tt_64x128 : WayId::walk_tn_64x128)
                                 : (tb ? WayId::walk_nt_64x128 : WayId::walk_64x128));
    of_walk(rung_88::Narrow{}, ta ? (tb ? WayId::walk_tt_128x64 : WayId::walk_tn_128x64)
                                  : (tb ? WayId::walk_nt_128x64 : WayId::walk_128x64));
}

template <class T>
void run_slices(const solve_gemm_t& call, const DeviceFigures& device) {
    if (!is_plain_single(call)) return rung_87::launch<T>(call);
    if constexpr (std::is_same_v<T, rung_69::Small>) {
        if (rung_73::is_at_once(call.M, call.N, call.K, device) && rung_73::launch(ladder::plain_gemm(call))) return;
    }
    rung_69::launch<T>(ladder::plain_gemm(call), slices_plan<T>(call, device).pieces);
}

template <class T>
void run_walk(const solve_gemm_t& call, const DeviceFigures& device) {
    const rung_86::Partition partition = walk_plan<T>(call, device).partition;
    if constexpr (!std::is_same_v<T, rung_88::Tall>) {
        using Plain = rung_84::Tile<T::kM, T::kK, T::kStages>;
        if (is_plain_single(call)) return rung_86::launch<Plain>(ladder::plain_gemm(call), partition, device.sms);
    }
    rung_88::launch<T>(call, partition, device.sms);
}

// False if there is no memory for that.
template <class Multiply>
bool copy_and_multiply(const Way& way, const solve_gemm_t& call, const DeviceFigures& device, Multiply multiply) {
    const rung_89::Copies copies = copies_of(way);
    const CostsOfGpu& costs = ladder::costs_for(device.capability);
    const Plan product = plan_of(rung_89::with_copies(call, copies), costs, device, false);
    return rung_89::copy_and_multiply(call, copies, device.sms, ladder::is_walk(product.whole.id), multiply);
}

// Enqueues a call without a bias that way; multiply(call) is what solve_gemm does.
template <class Multiply>
void launch_way(const Way& way, const solve_gemm_t& call, const DeviceFigures& device, Multiply multiply) {
    switch (way.id) {
        case WayId::plain_128x128:
            return rung_56::launch<rung_56::Large>(call);
        case WayId::plain_64x64:
            return rung_56::launch<rung_56::Medium>(call);
        case WayId::plain_16x16:
            return rung_56::launch<rung_56::Small>(call);
        case WayId::warp_tile:
            return rung_60::multiply(ladder::plain_gemm(call));
        case WayId::cp_async:
            return rung_64::multiply(ladder::plain_gemm(call));
        case WayId::small_32x32:
            return rung_67::launch<rung_67::Small>(call, way.blocks);
        case WayId::small_64x32:
            return rung_67::launch<rung_67::Medium>(call, way.blocks);
        case WayId::small_32x64:
            return rung_67::launch<rung_67::Wide>(call, way.blocks);
        case WayId::small_64x64:
            return rung_67::launch<rung_67::Large>(call, way.blocks);
        case WayId::small_128x32:
            return rung_67::launch<rung_67::Tall>(call, way.blocks);
        case WayId::small_64x128:
            return rung_67::launch<rung_67::Broad>(call, way.blocks);
        case WayId::small_32x128:
            return rung_67::launch<rung_67::Flat>(call, way.blocks);
        case WayId::cut_64x64:
            return rung_67::launch_cut<rung_67::Large>(call, way.blocks);
        case WayId::cut_128x32:
            return rung_67::launch_cut<rung_67::Tall>(call, way.blocks);
        case WayId::cut_32x128:
            return rung_67::launch_cut<rung_67::Flat>(call, way.blocks);
        case WayId::cut_64x128:
            return rung_67::launch_cut<rung_67::Broad>(call, way.blocks);
        case WayId::cut_128x64:
            return rung_67::launch_cut<rung_67::High>(call, way.blocks);
        case WayId::slices_64x128:
            return run_slices<rung_69::Large>(call, device);
        case WayId::slices_64x64:
            return run_slices<rung_69::Medium>(call, device);
        case WayId::slices_64x32:
            return run_slices<rung_69::Small>(call, device);
        case WayId::few_rows:
            return rung_76::multiply(ladder::plain_gemm(call));
        case WayId::few_columns:
            return rung_78::multiply(ladder::plain_gemm(call));
        case WayId::vectors:
            return rung_75::multiply_vectors(call, device);
        case WayId::short_32x64:
        case WayId::short_32x128:
        case WayId::short_32x256:
        case WayId::short_64x64:
        case WayId::short_64x128:
        case WayId::short_128x64:
            return ladder::config_with(rung_77::kConfigs, way.id).launch(call);
        case WayId::clusters_32x32:
            return rung_79::launch<rung_79::Small>(call, way.blocks);
        case WayId::clusters_8x32:
            return rung_79::launch<rung_79::Rows8>(call, way.blocks);
        case WayId::clusters_32x8:
            return rung_79::launch<rung_79::Columns8>(call, way.blocks);
        case WayId::clusters_32x64:
            return rung_79::launch<rung_79::Wide>(call, way.blocks);
        case WayId::clusters_16x32:
            return rung_79::launch<rung_79::Rows16>(call, way.blocks);
        case WayId::clusters_32x16:
            return rung_79::launch<rung_79::Columns16>(call, way.blocks);
        case WayId::clusters_20x64:
            return rung_79::launch<rung_79::Rows20>(call, way.blocks);
        case WayId::clusters_64x20:
            return rung_79::launch<rung_79::Columns20>(call, way.blocks);
        case WayId::walk_tn_128x256:
            if (way.blocks == kOnItsSide) return run_walk<rung_88::Tall>(call, device);
            [[fallthrough]];
        case WayId::walk_128x256:
        case WayId::walk_nt_128x256:
            return run_walk<rung_88::Large>(call, device);
        case WayId::walk_tt_256x128:
            return run_walk<rung_88::Tall>(call, device);
        case WayId::walk_64x128:
        case WayId::walk_tn_64x128:
        case WayId::walk_nt_64x128:
        case WayId::walk_tt_64x128:
            return run_walk<rung_88::Small>(call, device);
        case WayId::walk_128x64:
        case WayId::walk_tn_128x64:
        case WayId::walk_nt_128x64:
        case WayId::walk_tt_128x64:
            return run_walk<rung_88::Narrow>(call, device);
        case WayId::copied:
            if (copy_and_multiply(way, call, device, multiply)) return;
            return run_walk<rung_88::Small>(call, device);  // no memory for that
        case WayId::one_by_one:
            for (int64_t i = 0; i < call.batch; ++i) multiply(ladder::call_of(ladder::plain_gemm(call, i)));
            return;
        case WayId::narrow:
            return rung_72::launch(call);
        case WayId::small_walk:
            return rung_71::launch(call);
    }
}

// The same of one product, which may have a bias: 86 adds it as it stores C, for others it goes into C before.
template <class Multiply>
void launch_one(const Way& way, const ladder::Gemm& gemm, const DeviceFigures& device, Multiply multiply) {
    const solve_gemm_t call = ladder::call_of(gemm);
    launch_way(way, ladder::is_by_86(way.id) ? call : ladder::with_bias_added(call), device, multiply);
}

}  // namespace rung_90
