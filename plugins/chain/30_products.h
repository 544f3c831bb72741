// The products of a block of 30_chain_tf32.cu, and their sums.
//
// Of the four products of two numbers' parts three are added up: high * high, and the two with one low part. What is
// left out is 2^-22 of a product or less, and of either sign.
#pragma once

#include "../common/ptx/cluster.h"
#include "../common/ptx/opaque.h"
#include "30_split.h"

namespace chain_30 {

// The first of a multiplying thread's two columns of the tile, and the first of its rows.
__device__ __forceinline__ int2 place_of_thread() {
    const int warp = threadIdx.x / 32 % 4, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int piece = warp % 2 * 2 + g / 4 + g / 2 % 2 * 4;  // so that half a warp's loads meet all banks (81)
    return make_int2(warp / 2 * ladder::kBoxCols + piece * 4 + g % 2 * 2, 2 * t);
}

// Of a stage's `right`: the operands of four products of eight n.
struct Operands {
    uint32_t high[4][4], low[4][4];
};

// A thread's place in a stage's `right`: of n = t, + 4, + 8, ... it has two columns.
class OwnColumns {
  public:
    __device__ __forceinline__ explicit OwnColumns(const Shared& shared) {
        const int col = place_of_thread().x, t = threadIdx.x % 4, piece = col % ladder::kBoxCols / 4;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int n = t + 4 * i, place = ladder::place_of_piece(n, piece) * 4 + col % 4;
            first_[i] = ladder::opaque_shared(&shared.right[0][col / ladder::kBoxCols][n][place]);
        }
    }

    __device__ __forceinline__ void load(Operands& to, int stage, Least& least) const {
        constexpr int kStage = sizeof(Shared::right[0]) / sizeof(float);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const float* const from = first_[i % 2] + stage * kStage + i / 2 * 8 * ladder::kBoxCols;
            const float2 pair = *reinterpret_cast<const float2*>(from);
            const float values[] = {pair.x, pair.y};
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                least.look_at(values[q]);
                const float high = nearest(values[q]);
                to.high[i / 2][i % 2 * 2 + q] = __float_as_uint(high);
                to.low[i / 2][i % 2 * 2 + q] = __float_as_uint(values[q] - high);  // its last bit is cut off
            }
        }
    }

  private:
    const float* first_[2];
};

// What a multiplying team does: sum += the products of its stages. In the tensor cores, whose sums are cut off at each
// step, those of the two high parts are added up for 32 n; the others count for 2^-11 of them.
__device__ __forceinline__ void add_products(Shared& shared, const Stages& stages, float (&sum)[kWords], int& lossy) {
    const int team = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
    const OwnColumns columns(shared);
    const ladder::SharedRows left(shared.left);
    ladder::AsyncProducts products;
    float part[2 * kWords], of_low[kWords];
    Operands operands;
    Least least;
    if (team >= stages.count) return;
    for (int stage = team; stage < stages.count; stage += kTeams) {
        const int parity = stage < stages.before;
        shared.right_full[stage].wait(parity);
        columns.load(operands, stage, least);
        shared.low_full[stage].wait(parity);
        const ladder::SharedRows rows = left.at(stage * int{sizeof(Left)});
        products.begin();
#pragma unroll
        for (int i = 0; i < 4; ++i) products.request(part, operands.high[i], rows.at(i * 32), i > 0);
        products.commit();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            products.request(of_low, operands.low[i], rows.at(i * 32), i > 0 || stage != team);
        }
        products.commit();
        products.template wait<1>(part);  // and these are added up while the others are computed
#pragma unroll
        for (int i = 0; i < kWords; ++i) sum[i] += part[i] + part[kWords + i];
        products.template wait<0>();
        if (threadIdx.x % 32 == 0) shared.empty[stage].arrive();
    }
    products.template wait<0>(of_low);
#pragma unroll
    for (int i = 0; i < kWords; ++i) sum[i] += of_low[i];
    if (least.is_lossy()) lossy = 1;
}

// The sums of both teams and both blocks: those of the block's own rows, to its first team. Where a number is too small
// to be split they are NaN. `times`: that this was called before.
__device__ __forceinline__ void add_all(Shared& shared, ladder::Cluster& cluster, float (&sum)[kWords], int product,
                                        int times, float (&total)[kOwnWords]) {
    const int thread = threadIdx.x % 128, rank = cluster.rank();
    const bool gives = threadIdx.x >= 128;
#pragma unroll
    for (int i = 0; i < kWords && gives; i += 4) {
        shared.given[i / 4][thread] = make_float4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]);
    }
    __syncwarp();
    if (thread % 32 == 0) shared.met.arrive();
    if (gives) return;
    shared.met.wait(times);
    const float spoilt = static_cast<volatile int&>(shared.lossy[product]) ? NAN : 0.0f;
#pragma unroll
    for (int i = 0; i < kWords; i += 4) {
        const float4 other = shared.given[i / 4][thread];
        sum[i] += other.x + spoilt, sum[i + 1] += other.y + spoilt;
        sum[i + 2] += other.z + spoilt, sum[i + 3] += other.w + spoilt;
    }
    auto& received = shared.received[product];
#pragma unroll
    for (int i = 0; i < kOwnWords; i += 4) {
        float four[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            four[q] = rank == 0 ? sum[kOwnWords + i + q] : sum[i + q];
            total[i + q] = rank == 0 ? sum[i + q] : sum[kOwnWords + i + q];
        }
        cluster.send4(&received[i / 4][thread].x, four, 1 - rank, shared.all_received[product]);
    }
    cluster.wait_for_sent(shared.all_received[product], (times + 1) * unsigned{sizeof(received)});
#pragma unroll
    for (int i = 0; i < kOwnWords; i += 4) {
        const float4 other = received[i / 4][thread];
        total[i] += other.x, total[i + 1] += other.y, total[i + 2] += other.z, total[i + 3] += other.w;
    }
}

}  // namespace chain_30
