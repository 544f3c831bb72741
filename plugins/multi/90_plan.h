// What all hosts of a call of 90 must do alike: how large a tile of C is, and how much of the contraction comes at a
// time. Each host has rows of A and C of its own, and all of them have the same N and K.
#pragma once

#include <algorithm>
#include <vector>

#include "../common/multi/settings.h"
#include "90_operands.h"
#include "90_schedule.h"

namespace rung_multi_90 {

constexpr int kMostSlab = 8192;

// From call to call.
struct Kept {
    GpuSet set;
    Schedules schedules;
};

struct Plan {
    int most_rows = 0;  // of C, that a host has
    int terms = 0, cols = 0;
    bool pageable_in = false, pageable_out = false, adds_to_c = false;  // on any of them
    GpuGrid grid{};
    ladder::Tiling tiling{};
    int hosts = 1;

    // The tiles from (row, col) on; `is_first` of the call.
    Round round(int64_t row, int64_t col, bool is_first) const {
        const int64_t step_row = int64_t{tiling.rows} * grid.rows, step_col = int64_t{tiling.cols} * grid.cols;
        const bool is_last = row + step_row >= most_rows && col + step_col >= cols;
        return {ceil_div(int(std::min(step_row, most_rows - row)), grid.rows),
                terms,
                ceil_div(int(std::min(step_col, cols - col)), grid.cols),
                grid,
                pageable_in,
                pageable_out,
                adds_to_c,
                is_first,
                is_last,
                hosts};
    }
};

inline Plan make_plan(GpuSet& set, const ladder::Settings& settings, const GpuGrid& grid, const solve_gemm_t& call,
                      const Operands& operands) {
    size_t memory = set.memory(grid.count(), settings.device_memory);
    const std::vector<int32_t> own = {call.N,
                                      call.K,
                                      operands.transposed_a,
                                      operands.transposed_b,
                                      call.M,
                                      operands.pageable_in(),
                                      operands.pageable_out(),
                                      call.beta != 0,
                                      int32_t(std::min<size_t>(memory >> 10, INT32_MAX))};
    const std::vector<int32_t> all = set.of_all_hosts(own);
    const size_t hosts = all.size() / own.size();
    Plan plan{0, call.N, call.K, false, false, false, grid, {}, int(hosts)};
    for (size_t host = 0; host < hosts; ++host) {
        const int32_t* const each = &all[host * own.size()];
        if (!std::equal(each, each + 4, all.begin())) {
            ladder::give_up(
                "rank %zu multiplies with N = %d, K = %d, transposed %d and %d, rank 0 with %d, %d, %d and %d", host,
                each[0], each[1], each[2], each[3], all[0], all[1], all[2], all[3]);
        }
        plan.most_rows = std::max(plan.most_rows, each[4]);
        plan.pageable_in |= each[5] != 0, plan.pageable_out |= each[6] != 0, plan.adds_to_c |= each[7] != 0;
        if (hosts > 1) memory = std::min(memory, size_t(each[8]) << 10);
    }
    const auto bytes = [&](const ladder::Tiling& tiling) {
        return Elements(grid, tiling, operands.transposed_a, operands.transposed_b).bytes();
    };
    plan.tiling = ladder::choose_tiling(std::max(1, ceil_div(plan.most_rows, grid.rows)), call.N,
                                        ceil_div(call.K, grid.cols), kMostSlab, memory, bytes);
    return plan;
}

}  // namespace rung_multi_90
