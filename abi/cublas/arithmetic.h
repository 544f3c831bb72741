// Which arithmetic a call of cuBLAS demands.
#pragma once

namespace drop_in {

// Why a call is not ours by its arithmetic; null if FP32 is what it demands. `math` is cublasMath_t (0 for cuBLASLt,
// which has none), `compute` cublasComputeType_t. NVIDIA_TF32_OVERRIDE=0 makes FP32 of what allows TF32.
const char* not_fp32(int math, int compute);

// Whether it says that nothing but plain FP32 will do.
bool is_pedantic(int math, int compute);

}  // namespace drop_in
