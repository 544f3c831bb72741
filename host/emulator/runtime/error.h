// The error state that the runtime API shows.
#pragma once

#include <string>

#include "../include/emulator/error_codes.h"

namespace emulator {

// Makes `error` this thread's last error and returns it. `detail` says more than the code does; one line.
cudaError_t record(cudaError_t error, const std::string& detail = "");

// A fault while a kernel ran: every later call on any thread returns it, until cudaDeviceReset().
bool is_fault(cudaError_t error);
void record_fault(cudaError_t error, const std::string& detail);
void clear_fault();
bool has_fault();

// What an API call returns that itself finds nothing wrong: the fault, if there was one.
cudaError_t success_or_fault();

// The text of the errors of this thread since it was last asked, or null.
const char* take_detail();

}  // namespace emulator
