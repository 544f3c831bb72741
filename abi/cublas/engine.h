// The library whose solve_gemm does the work.
#pragma once

#include <optional>
#include <string>

#include "../solve.h"

namespace drop_in {

// Whether there is one; if not, standard error has been told why, once.
bool has_engine();

// Its file; "none" if there is none.
const std::string& engine_name();

// Whether its matrices are in the GPU's memory; ordinary memory is that of a CPU plugin or of the emulator.
bool takes_device_memory();

// An enum solve_result, and what the engine said of it in `why`.
int multiply(const solve_gemm_t& call, std::string& why);

}  // namespace drop_in
