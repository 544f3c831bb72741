// The products of 90_dispatch, and what it knows of them before: how long one takes, and in how much memory.
#pragma once

#include "../cuda/90_dispatch.cu"

namespace rung_90 {

// The bytes that its kernel asks of the workspace for that product.
inline size_t bytes_of(const Part& part, const DeviceFigures& device) {
    const solve_gemm_t call = ladder::call_of(part.gemm);
    const auto of_pieces = [&](int pieces) {
        return pieces > 1 ? sizeof(float) * call.M * call.K * pieces : size_t{0};
    };
    switch (part.way.id) {
        case WayId::slices_64x128:
            return of_pieces(slices_plan<rung_69::Large>(call, device).pieces);
        case WayId::slices_64x64:
            return of_pieces(slices_plan<rung_69::Medium>(call, device).pieces);
        case WayId::slices_64x32:
            return of_pieces(slices_plan<rung_69::Small>(call, device).pieces);
        case WayId::few_rows:
        case WayId::few_columns:
            return of_pieces(thin_plan(call, device).pieces);
        case WayId::walk_128x256:
            return walk_plan<rung_88::Large>(call, device).partition.template bytes_of_pieces<rung_88::Large>();
        case WayId::walk_64x128:
            return walk_plan<rung_88::Small>(call, device).partition.template bytes_of_pieces<rung_88::Small>();
        case WayId::walk_128x64:
            return walk_plan<rung_88::Narrow>(call, device).partition.template bytes_of_pieces<rung_88::Narrow>();
        default:
            return 0;
    }
}

// On the current device, or one of those figures.
class Multiplier {
  public:
    explicit Multiplier(const DeviceFigures& device = ladder::current_device())
        : Multiplier(device, ladder::costs_for(device.capability)) {}
    Multiplier(const DeviceFigures& device, const CostsOfGpu& costs) : device_(device), costs_(costs) {}

    double cost(const solve_gemm_t& product) const {  // cycles
        double cycles = -kSecond;
        for (const Part& part : parts(product)) cycles += part.way.cycles + kSecond;
        return cycles;
    }
    size_t workspace(const solve_gemm_t& product) const {
        size_t most = 0;
        for (const Part& part : parts(product)) most = std::max(most, bytes_of(part, device_));
        return most;
    }
    int enqueue(const solve_gemm_t& product) const {
        for (const Part& part : parts(product)) launch_way(part.way, ladder::call_of(part.gemm), device_, multiply);
        return SOLVE_OK;
    }

  private:
    std::vector<Part> parts(const solve_gemm_t& product) const {
        return parts_of(ladder::plain_gemm(product), costs_, device_);
    }

    DeviceFigures device_;
    const CostsOfGpu& costs_;
};

}  // namespace rung_90
