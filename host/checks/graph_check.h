// Judges what a plugin enqueues while its stream is captured into a CUDA graph.
#pragma once

#include <functional>
#include <string>

#include "device/device.h"
#include "library/plugin.h"
#include "values/gemm_form.h"

namespace judge {

// Each in one line that names the call; empty if there is nothing to say.
struct GraphFindings {
    std::string not_captured;  // it may not be used in a graph: no fault of its results
    std::string wrong;         // what a replay, or a call on another stream, left in C
};

// solve_enqueue, solve_gemm of two products in that form, or solve_chain_enqueue with a square third matrix, at
// shapes with and without a workspace: on a stream; captured in each of the three modes, and replayed twice; two
// captures of one stream replayed at the same time on two; and on a stream that was destroyed and created again. All
// must give the same bits, if two plain calls do. In the emulator the check is whether a call does what CUDA refuses
// while its stream is captured. Nothing is found where the device has no streams.
using Enqueue = Entry<decltype(::solve_enqueue)>;
using EnqueueGemm = Entry<decltype(::solve_gemm)>;
using EnqueueChain = Entry<decltype(::solve_chain_enqueue)>;
GraphFindings check_graphs(const Enqueue& enqueue, const std::function<std::string()>& last_error, Device& device,
                           bool emulated = false);
GraphFindings check_graphs_of_gemm(const EnqueueGemm& enqueue, const GemmForm& form,
                                   const std::function<std::string()>& last_error, Device& device,
                                   bool emulated = false);
GraphFindings check_graphs_of_chain(const EnqueueChain& enqueue, const std::function<std::string()>& last_error,
                                    Device& device, bool emulated = false);

}  // namespace judge
