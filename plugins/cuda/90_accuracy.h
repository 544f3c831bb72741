// How 90 does a call for which FP32's accuracy will do, whatever the arithmetic: by 85, on the tensor cores, where its
// large tiles are expected to be faster than the products and sums in FP32.
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

// The accuracy that a call with that field asks for; 0, with the error recorded, where nobody knows.
inline uint32_t accuracy_of(uint32_t of_call) {
    const AccuracyOfProcess& process = accuracy_of_process();
    const uint32_t asked = of_call ? of_call : process.accuracy;
    if (!asked) ladder::fail("%s=%s: expected strict or fp32-accurate", kAccuracyVariable, process.value.c_str());
    return asked;
}

using SplitNarrow = rung_83::Fp16<128, 128>;
using SplitWide = rung_85::Bf16<128, 128>;

// What 85's large tiles take, in cycles of 1.755 GHz as the others' costs are. An H100 took 101, 693 and 5330 us at
// 2048, 4096 and 8192 with tame numbers; this makes it 97, 685 and 5340, and 28 at 1024. Wild ones take twice as long.
inline double cycles_of_split(const solve_gemm_t& call, int sms) {
    constexpr double kStart = 6000, kStep = 2150;                   // of a call, and of a tile's 64 n
    constexpr double kBytesOfElement = 8.1, kBytesPerCycle = 1950;  // packed: read and written
    const int64_t tiles = int64_t{ladder::ceil_div(call.M, 128)} * ladder::ceil_div(call.K, 128);
    const double elements = (double(call.M) + call.K) * call.N;
    return call.batch * (kStart + ladder::waves_of(tiles, sms) * ladder::ceil_div(call.N, 64) * kStep +
                         elements * kBytesOfElement / kBytesPerCycle);
}

// The most memory that it may take: 16384 x 16384 x 16384 needs 3.3 GB.
constexpr size_t kMostOfSplit = size_t{4} << 30;

// Whether 85 is to do a call, for which strict FP32 needs so many cycles: where it promises a fifth less. The host
// cannot know whether the numbers are wild.
inline bool pays_to_split(const solve_gemm_t& call, const ladder::DeviceFigures& device, double strict_cycles) {
    constexpr double kGain = 0.8;
    const size_t bytes = ladder::workspace_of_split<SplitWide>(call);
    return device.capability == 90 && bytes > 0 && bytes <= kMostOfSplit &&
           cycles_of_split(call, device.sms) < kGain * strict_cycles;
}

// Does a call without a bias by 85, if there is memory for it; what is small needs none.
inline bool multiply_by_split(const solve_gemm_t& call) {
    if (rung_83::is_for_inside(call)) return rung_85::multiply_all(call) == SOLVE_OK;
    const ladder::Workspace workspace(ladder::workspace_of_split<SplitWide>(call),
                                      static_cast<cudaStream_t>(call.stream), {call.workspace, call.workspace_bytes});
    if (!workspace.data()) return false;
    ladder::enqueue_split(call, workspace, rung_85::enqueue_either<SplitNarrow, SplitWide>);
    return true;
}

}  // namespace rung_90
