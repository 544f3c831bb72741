// How 90 does a call for which FP32's accuracy will do, whatever the arithmetic: by 85, on the tensor cores, where
// that is expected to take a seventh less than products and sums in FP32.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>

#include "../common/gemm/cost_model.h"
#include "85_split_bf16.cu"

namespace rung_90 {

constexpr const char* kAccuracyVariable = "SGEMM_LADDER_ACCURACY";

// What a value of the variable asks for, one of enum solve_arithmetic; 0 where it is none.
inline uint32_t accuracy_named(const char* value) {
    if (!value || !*value || std::strcmp(value, "strict") == 0) return SOLVE_ARITHMETIC_FP32;
    return std::strcmp(value, "fp32-accurate") == 0 ? SOLVE_ARITHMETIC_FP32_EMULATED : 0;
}

// The variable in this process.
struct AccuracyOfProcess {
    explicit AccuracyOfProcess(const char* given) : value(given ? given : ""), accuracy(accuracy_named(given)) {}
    const std::string value;
    const uint32_t accuracy;
};
inline const AccuracyOfProcess& accuracy_of_process() {
    // Never destroyed: a program may multiply until its end.
    static const AccuracyOfProcess& found = *new AccuracyOfProcess(std::getenv(kAccuracyVariable));
    return found;
}

// What solve_info says; where the variable has no meaning calls fail.
inline uint32_t arithmetic_of_process() {
    return std::max<uint32_t>(accuracy_of_process().accuracy, SOLVE_ARITHMETIC_FP32);
}

// The accuracy that a call with that field asks for; 0, with the error recorded, if it leaves that to the variable and
// the variable's value is none.
inline uint32_t accuracy_of(uint32_t of_call) {
    const AccuracyOfProcess& process = accuracy_of_process();
    const uint32_t asked = of_call ? of_call : process.accuracy;
    if (!asked) ladder::fail("%s=%s: expected strict or fp32-accurate", kAccuracyVariable, process.value.c_str());
    return asked;
}

// How many of the operands have rows that TMA cannot copy, since they do not begin at multiples of 16 bytes.
inline int unaligned_operands(const solve_gemm_t& call) {
    return !(call.A_array == nullptr && ladder::boxes_can_lie(call.A, call.lda)) +
           !(call.B_array == nullptr && ladder::boxes_can_lie(call.B, call.ldb));
}

// The time of 85, in cycles of 1.755 GHz like the others' costs, with numbers that FP16 can hold; others take up to
// twice that. Fitted as SplitWay's.
inline double cycles_of_split(const solve_gemm_t& call, int sms) {
    const int steps = ladder::ceil_div(call.N, 64), unaligned = unaligned_operands(call);
    if (rung_83::is_for_inside(call, sms)) {
        const int blocks = rung_83::best_inside<rung_83::Fp16, rung_85::Bf16>(call, sms).size;
        const double start = unaligned > 0 ? 7650 : 5300;
        const double step = unaligned > 1 ? 4500 : unaligned > 0 ? 3660 : 1950;
        return call.batch * (start + ladder::ceil_div(steps, blocks) * step);
    }
    const double packing = (unaligned > 0 ? 8000 : 4900) + 0.0044 * (double(call.M) + call.K) * call.N;
    return call.batch * (packing + ladder::best_split_way(call, sms).cycles);
}

// The most memory that it may take: 16384 x 16384 x 16384 needs 3.3 GB.
constexpr size_t kMostOfSplit = size_t{4} << 30;

inline size_t bytes_of_split(const solve_gemm_t& call) {
    return rung_85::with_formats(call, [&](auto narrow, auto wide, int2 edges) {
        return rung_85::workspace_of<decltype(narrow), decltype(wide)>(call, edges, rung_85::is_for_both(call));
    });
}

// Whether 85 is to do a call: if it is expected to take a seventh less than strict FP32, which takes strict_cycles. The
// host cannot know whether FP16 can hold the numbers.
inline bool pays_to_split(const solve_gemm_t& call, const ladder::DeviceFigures& device, double strict_cycles) {
    constexpr double kGain = 0.85;
    const size_t bytes = bytes_of_split(call);
    return device.capability == 90 && bytes > 0 && bytes <= kMostOfSplit &&
           cycles_of_split(call, device.sms) < kGain * strict_cycles;
}

// Does a call without a bias by 85, if there is memory for it; what is small needs none. `before`: as of enqueue_split.
inline bool multiply_by_split(const solve_gemm_t& call, int before = 0) {
    if (rung_83::is_for_inside(call)) return rung_85::multiply_all(call) == SOLVE_OK;
    const ladder::Workspace workspace(bytes_of_split(call), static_cast<cudaStream_t>(call.stream),
                                      {call.workspace, call.workspace_bytes});
    if (!workspace.data()) return false;
    rung_85::with_formats(call, [&](auto narrow, auto wide, int2 edges) {
        const auto enqueue = [&](const ladder::SplitJob& job) {
            rung_85::enqueue_either<decltype(narrow), decltype(wide)>(job, rung_85::is_for_both(call));
        };
        ladder::enqueue_split(call, edges, workspace, enqueue, before);
    });
    return true;
}

}  // namespace rung_90
