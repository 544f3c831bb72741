// The products of 90_dispatch, and what it knows of them before: how long one takes, and in how much memory.
#pragma once

#include "../cuda/90_dispatch.cu"

namespace rung_90 {

// The bytes that kernel asks of the workspace for that product.
inline size_t bytes_of(const Part& part, int sms) {
    const auto& [M, N, K] = std::tuple(part.gemm.M, part.gemm.N, part.gemm.K);
    const ladder::Speed& speed = part.choice.speed;
    const auto of_pieces = [&](int pieces) {
        return pieces > 1 ? sizeof(float) * part.gemm.M * part.gemm.K * pieces : size_t{0};
    };
    switch (part.choice.kernel->id) {
        case KernelId::warp_tile:
        case KernelId::cp_async:
        case KernelId::cluster_slices:
        case KernelId::short_sums:
            return 0;
        case KernelId::slices_64x128:
            return of_pieces(ladder::tile_plan<rung_69::Large>(speed, M, N, K, sms).pieces);
        case KernelId::slices_64x64:
            return of_pieces(ladder::tile_plan<rung_69::Medium>(speed, M, N, K, sms).pieces);
        case KernelId::slices_64x32:
            return of_pieces(ladder::tile_plan<rung_69::Small>(speed, M, N, K, sms).pieces);
        case KernelId::thin:
            return of_pieces(few_columns(M, K) ? rung_78::plan_for(M, N, K, sms).pieces
                                               : rung_76::plan_for(M, N, K, sms).pieces);
        case KernelId::stream_k_128x256:
            return rung_86::plan_for<rung_86::Large>(speed, M, N, K, sms)
                .partition.template bytes_of_pieces<rung_86::Large>();
        case KernelId::stream_k_64x128:
            return rung_86::plan_for<rung_86::Small>(speed, M, N, K, sms)
                .partition.template bytes_of_pieces<rung_86::Small>();
    }
    return 0;
}

// On the current device, or one of that compute capability (times 10) and as many SMs.
class Multiplier {
  public:
    Multiplier() : Multiplier(ladder::current_device().capability, ladder::sm_count()) {}
    Multiplier(int capability, int sms) : Multiplier(rows_for(capability), sms) {}
    Multiplier(std::span<const Measured> rows, int sms) : rows_(rows), sms_(sms) {}

    double cost(const solve_gemm_t& product) const {  // cycles
        double cycles = -kSecond;
        for (const Part& part : parts(product)) cycles += part.choice.cycles + kSecond;
        return cycles;
    }
    size_t workspace(const solve_gemm_t& product) const {
        size_t most = 0;
        for (const Part& part : parts(product)) most = std::max(most, bytes_of(part, sms_));
        return most;
    }
    int enqueue(const solve_gemm_t& product) const {
        for (const Part& part : parts(product)) part.choice.kernel->run(part.choice.speed, part.gemm, sms_);
        return SOLVE_OK;
    }

  private:
    std::vector<Part> parts(const solve_gemm_t& product) const {
        return parts_of(ladder::plain_gemm(product), rows_, sms_);
    }

    std::span<const Measured> rows_;
    int sms_;
};

}  // namespace rung_90
