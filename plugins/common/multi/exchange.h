// How the GPUs of a row or a column of the grid pass on the parts of a slab that each has loaded:
//
//   zero-cta  NCCL's all-gather over registered windows, by copy engines alone: NCCL 2.28 and later, one host, GPUs
//             that reach each other's memory (elsewhere NCCL takes the windows, and uses SMs without a word)
//   peer      each GPU copies the others' parts
//   nccl      NCCL's ordinary all-gather, whose blocks take SMs from the product: 65 to 75 % of its speed was measured
//
// in this order, each if it can be had; what SOLVE_EXCHANGE names is used or is an error. One GPU needs none.
#pragma once

#include <cstdlib>
#include <string>

#include "communicators.h"

namespace ladder {

enum class Exchange { none, zero_cta, peer, nccl };

// Between all GPUs from number `first` on, so many.
inline bool can_access_peers(int first, int gpus) {
    for (int from = first; from < first + gpus; ++from) {
        for (int to = first; to < first + gpus; ++to) {
            int can = 1;
            if (from != to) must(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
            if (!can) return false;
        }
    }
    return true;
}

// Copies go directly then. Those who have enabled it before do not mind.
inline void enable_peers(int first, int gpus) {
    for (int from = first; from < first + gpus; ++from) {
        must(cudaSetDevice(from), "cudaSetDevice");
        for (int to = first; to < first + gpus; ++to) {
            if (from != to && cudaDeviceEnablePeerAccess(to, 0) != cudaSuccess) cudaGetLastError();
        }
    }
}

// What SOLVE_EXCHANGE asks for, or else the best that there is, but for the ways that have failed.
struct ExchangeChoice {
    Exchange exchange;
    bool is_asked_for;
};

inline ExchangeChoice choose_exchange(int first, int gpus, const NcclFound& found, bool zero_cta_failed) {
    const char* const text = std::getenv("SOLVE_EXCHANGE");
    const std::string asked = text ? text : "";
    if (!asked.empty() && asked != "zero-cta" && asked != "peer" && asked != "nccl")
        give_up("SOLVE_EXCHANGE=%.40s: zero-cta, peer or nccl is expected", text);
    if (gpus == 1) return {Exchange::none, false};
    const bool has_nccl = found.problem.empty(), has_zero_cta = has_nccl && found.nccl.has_zero_cta();
    if (asked == "zero-cta" && !has_zero_cta) {
        give_up("SOLVE_EXCHANGE=zero-cta: %s", has_nccl ? "NCCL is older than 2.28" : found.problem.c_str());
    }
    if (asked == "nccl" && !has_nccl) give_up("SOLVE_EXCHANGE=nccl: %s", found.problem.c_str());
    if (asked == "zero-cta") return {Exchange::zero_cta, true};
    if (asked == "peer") return {Exchange::peer, true};
    if (asked == "nccl") return {Exchange::nccl, true};
    const bool reach = can_access_peers(first, gpus);
    if (has_zero_cta && reach && !zero_cta_failed) return {Exchange::zero_cta, false};
    return {has_nccl && !reach ? Exchange::nccl : Exchange::peer, false};
}

}  // namespace ladder
