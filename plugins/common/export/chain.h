// The exports of a plugin of solve_chain. It includes launch.h or host.h too, which know where the matrices are; and if
// it has solve_chain_enqueue, gemm.h or host.h.
#pragma once

#include "chain_call.h"

// The last line of a plugin that has solve_chain, by its function multiply(A, B, C, E, M, N, K, L), which is called
// with sizes of at least 1: SOLVE_EXPORT_CHAIN(chain_10::multiply, .summary = "...", .source = "...")
#define SOLVE_EXPORT_CHAIN(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE_CHAIN(multiply, __VA_ARGS__))
#define SOLVE_DEFINE_CHAIN(multiply, ...)                                                                      \
    SOLVE_DESCRIBE(__VA_ARGS__, .entries = SOLVE_ENTRY_CHAIN)                                                  \
    extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, \
                                int L) {                                                                       \
        ladder::clear_error();                                                                                 \
        const solve_chain_t call = ladder::dense_chain(A, B, C, E, M, N, K, L);                                \
        if (!ladder::valid(call)) return;                                                                      \
        const ladder::ChainWork work = ladder::work_of(call);                                                  \
        if (work == ladder::ChainWork::none) return;                                                           \
        if (work == ladder::ChainWork::zero) {                                                                 \
            ladder::set_zero(E, size_t(M) * L);                                                                \
        } else {                                                                                               \
            multiply(A, B, C, E, M, N, K, L);                                                                  \
        }                                                                                                      \
        ladder::finish();                                                                                      \
    }

// The same of one that has solve_chain_enqueue too, by its function multiply(call), which returns the call's code; the
// call has elements of E and is no empty sum.
#define SOLVE_EXPORT_CHAIN_AND_ENQUEUE(multiply, ...) \
    SOLVE_IF_COMPILED(SOLVE_DEFINE_CHAIN_AND_ENQUEUE(multiply, __VA_ARGS__))
#define SOLVE_DEFINE_CHAIN_AND_ENQUEUE(multiply, ...)                                                          \
    SOLVE_DESCRIBE(__VA_ARGS__, .entries = SOLVE_ENTRY_CHAIN | SOLVE_ENTRY_CHAIN_ENQUEUE)                      \
    extern "C" int solve_chain_enqueue(const solve_chain_t* call) {                                            \
        return ladder::execute_chain(call, solve_description, multiply);                                       \
    }                                                                                                          \
    extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, \
                                int L) {                                                                       \
        const solve_chain_t call = ladder::dense_chain(A, B, C, E, M, N, K, L);                                \
        ladder::execute_chain(&call, solve_description, multiply);                                             \
    }
