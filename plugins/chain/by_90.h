// The products of 90_dispatch, and what it knows of them before: how long one takes, and in how much memory.
#pragma once

#include "../cuda/90_dispatch.cu"

namespace rung_90 {

// The bytes that its kernel asks of the workspace for that product.
inline size_t bytes_of(const Part& part, const DeviceFigures& device) {
    const solve_gemm_t call = ladder::call_of(part.gemm);
    const auto of_pieces = [&](int pieces) { return ladder::Pieces::bytes_of(call.M, call.K, pieces); };
    switch (part.way.id) {
        case WayId::cut_64x64:
        case WayId::cut_128x32:
        case WayId::cut_32x128:
        case WayId::cut_64x128:
        case WayId::cut_128x64:
            return of_pieces(part.way.blocks);
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

// As accurate as is asked for, on the current device, or one of those figures.
class Multiplier {
  public:
    explicit Multiplier(uint32_t accuracy, const DeviceFigures& device = ladder::current_device())
        : Multiplier(accuracy, device, ladder::costs_for(device.capability)) {}
    Multiplier(uint32_t accuracy, const DeviceFigures& device, const CostsOfGpu& costs)
        : may_split_(accuracy != SOLVE_ARITHMETIC_FP32), device_(device), costs_(costs) {}

    static constexpr bool kCostsAreCycles = true;
    double cost(const solve_gemm_t& product) const {
        return splits(product) ? cycles_of_split(product, device_.sms) : strict_cost(product);
    }
    size_t workspace(const solve_gemm_t& product) const {
        if (splits(product)) return bytes_for_split(product);
        size_t most = 0;
        for (const Part& part : parts(product)) most = std::max(most, bytes_of(part, device_));
        return most;
    }
    int enqueue(const solve_gemm_t& product) {
        if (splits(product) && multiply_by_split(product, split_before_)) {
            split_before_ += bytes_for_split(product) > 0;
            return SOLVE_OK;
        }
        for (const Part& part : parts(product))
            launch_way(part.way, ladder::call_of(part.gemm), device_, multiply_copied);
        return SOLVE_OK;
    }

  private:
    double strict_cost(const solve_gemm_t& product) const {
        double cycles = -kSecond;
        for (const Part& part : parts(product)) cycles += part.way.cycles + kSecond;
        return cycles;
    }
    bool splits(const solve_gemm_t& product) const {
        return may_split_ && pays_to_split(product, device_, strict_cost(product));
    }
    // What is split on its way to shared memory needs none.
    size_t bytes_for_split(const solve_gemm_t& product) const {
        return rung_83::is_for_inside(product, device_.sms) ? 0 : bytes_of_split(product);
    }
    std::vector<Part> parts(const solve_gemm_t& product) const {
        return parts_of(ladder::plain_gemm(product), costs_, device_);
    }

    const bool may_split_;
    const DeviceFigures device_;
    const CostsOfGpu& costs_;
    int split_before_ = 0;  // products of this chain, in the same workspace
};

}  // namespace rung_90
