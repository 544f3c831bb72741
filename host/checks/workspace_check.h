// Judges what solve_gemm does with memory that the caller lends it.
#pragma once

#include <string>

#include "device/device.h"
#include "library/plugin.h"

namespace judge {

// A workspace of 1 MiB that holds garbage, and the same one as the call left it; then none, and smaller ones of 256
// bytes and more: nothing past their ends may be written, and the first one, which is the caller's again, may not be
// used. Each result is right, at every pair of transposes, and equal calls leave equal bits. Returns what is wrong, in
// one line; empty if nothing is.
std::string check_workspaces(const Plugin& plugin, Device& device);

}  // namespace judge
