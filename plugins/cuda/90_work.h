// What a call of solve_gemm asks of each kernel that 90 chooses among, counted (work.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "71_small_walk.cu"  // and 67
#include "75_vectors.cu"
#include "76_few_rows.cu"
#include "78_few_columns.cu"
#include "87_batched_slices.cu"
#include "89_turned_first.cu"

namespace rung_90 {

using ladder::DeviceFigures, ladder::Work, ladder::has_arrays;

inline bool is_transposed(const solve_gemm_t& call) {
    return call.transpose_a == SOLVE_T || call.transpose_b == SOLVE_T;
}

inline bool is_plain_single(const solve_gemm_t& call) {
    return call.batch == 1 && !has_arrays(call) && !is_transposed(call);
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

// Thin products: few columns, unless there are few rows too.
inline bool few_columns(const solve_gemm_t& call) {
    return call.K <= ladder::kThin && call.M > ladder::kThin;
}

inline ladder::ThinPlan thin_plan(const solve_gemm_t& call, const DeviceFigures& device) {
    const auto plan_for = few_columns(call) ? rung_78::plan_for : rung_76::plan_for;
    return plan_for(call.M, call.N, call.K, device.sms);
}

inline Work thin_work(const solve_gemm_t& call, const ladder::Vectors& vectors, const DeviceFigures& device) {
    Work work = ladder::bytes_of_tiles(call, vectors, call.M, call.K, device);
    const ladder::ThinPlan plan = thin_plan(call, device);
    work.steps = plan.cycles / 1000;
    work.blocks = ladder::most_of_sm(double(plan.blocks) * plan.pieces, device);
    work.block_steps = work.blocks * plan.depth / 100;
    if (plan.pieces > 1) work.parts = 1, work.of_parts = 4e-3 * call.M * call.K * plan.pieces / device.sms;
    return with_words(work, !(few_columns(call) ? vectors.a : vectors.b));
}

// What 75 is asked for, counted over its matrix, which is A or B; along_a is set if n lies along the matrix's rows.
inline Work vectors_work(const ladder::VectorProduct& product, const ladder::VectorPlan& plan,
                         const DeviceFigures& device) {
    Work work{.start = 1, .steps = plan.cycles / 1000};
    work.blocks = ladder::most_of_sm(double(plan.groups) * plan.blocks, device);
    work.block_steps = work.blocks * plan.depth / 100;
    if (product.along) work.along_a = work.block_steps;
    work.l2_kb = 4e-3 * product.lines * product.N / device.sms;
    work.memory_kb = ladder::beyond_l2(work.l2_kb, device);
    if (plan.blocks > 1) work.parts = 1, work.of_parts = std::log2(plan.blocks);
    return with_words(work, !ladder::aligned16(product.matrix, product.ld));
}

// Of one product N may be cut; the tiles of several are whole.
template <class T>
ladder::TilePlan slices_plan(const solve_gemm_t& call, const DeviceFigures& device) {
    return is_plain_single(call) ? ladder::tile_plan<T>(T::kSpeed, call.M, call.N, call.K, device.sms)
                                 : ladder::TilePlan{};
}

template <class T>
Work slices_work(const solve_gemm_t& call, const ladder::Vectors& vectors, const DeviceFigures& device) {
    Work work = ladder::bytes_of_tiles(call, vectors, T::kM, T::kK, device);
    const ladder::TileGrid grid = ladder::tile_grid<T>(call.M, call.K);
    const int pieces = slices_plan<T>(call, device).pieces;
    work.waves = ladder::most_of_sm(double(grid.tiles_m) * grid.tiles_k * call.batch * pieces, device);
    work.steps = work.waves * (ladder::depth_of_pieces<T>(call.N, pieces) / T::kN);
    work.blocks = double(grid.edges) / device.sms;  // of the columns behind the last whole tile
    if (pieces > 1) work.parts = 1, work.of_parts = 4e-3 * call.M * call.K * pieces / device.sms;
    return with_words(work, !vectors.b || (T::kRowN && !vectors.a));
}

// The walk over tiles, the last of which are cut: 86's for one product of operands that are not transposed, else 88's.
template <class T>
rung_86::Plan walk_plan(const solve_gemm_t& call, const DeviceFigures& device) {
    return rung_88::plan_for<T>(call, device.sms);
}

template <class T>
Work walk_work(const rung_86::Partition& partition, const solve_gemm_t& call, const ladder::Vectors& vectors,
               const DeviceFigures& device) {
    Work work = ladder::bytes_of_tiles(call, vectors, T::kM, T::kK, device);
    work.l2_kb = work.memory_kb = 0;  // copies are ahead of the loop
    const double steps = ladder::ceil_div(call.N, T::kN), whole = ladder::most_of_sm(partition.whole, device);
    work.waves = whole;
    work.steps = whole * steps;
    if (partition.cut > 0) {
        const int blocks = partition.blocks_of_remainder, cut = partition.cut;
        const double pieces = blocks % cut ? blocks + cut : blocks;
        work.waves += 1, work.parts = 1;
        work.steps += std::ceil(cut * steps / blocks);
        work.of_parts = 4e-3 * pieces * T::kM * T::kK / device.sms;
    }
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    if (!ta && !tb && !is_plain_single(call)) work.blocks = work.waves;  // 88's tiles: their stores hold up the loop
    return with_words(work, (ta && !ladder::quads_of_a(call)) || (!tb && !ladder::quads_of_b(call)));
}

inline Work copying_work(const solve_gemm_t& call, rung_89::Copies copies, const DeviceFigures& device) {
    const auto kb = [&](const rung_89::Copied& copied) {
        return copied.how == rung_89::Copy::none ? 0 : 4e-3 * double(copied.rows) * copied.cols / device.sms;
    };
    const double a = kb(copied_a(call, copies.a)), b = kb(copied_b(call, copies.b));
    return {.start = 1,
            .memory_kb = ladder::beyond_l2(2 * (a + b), device),
            .parts = double(a > 0 && b > 0),
            .of_parts = a + b};
}

}  // namespace rung_90
