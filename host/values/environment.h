// Where and how a run's figures were taken, as the record keeps it: one JSON object, read here.
#pragma once

#include <string>

#include "values/record.h"

namespace judge {

// A field that holds text; empty where it is absent or null.
std::string text_of(const Json& environment, const char* key);

// What the figures were measured on, for a heading: the GPU, its driver and CUDA, or the processor and its cores.
std::string machine(const Json& environment);

// Whether a variable steers a BLAS library on the CPU or OpenMP, and so how fast they are.
bool is_read_by_blas(const std::string& variable);

}  // namespace judge
