// The record of what the program calls, in lines whose words are separated by tabs.
//
//     PID start   PROGRAM   mode on   engine FILE
//     PID first   ENTRY     gemm:NT   MxNxK   batch=B   lda=.. ldb=.. ldc=..   beta=..   bias=..   WHERE
//     PID calls   COUNT     ENTRY  ... as above
//     PID note    TEXT
//
// `first` is written when such a call is made for the first time, `calls` when the process ends: what dies before that
// has been seen at least. Sizes and operations are those of solve.h, by rows, as `compare --op gemm:NT` takes them.
#pragma once

#include <string>

#include "call.h"

namespace drop_in {

// Whether anything is recorded at all.
bool is_logging();

// Counts a call. `where` is "sgemm-ladder", or "cublas" with the reason.
void record(const Call& call, const std::string& where);

// A line of its own; on standard error too if `is_urgent`.
void note(const std::string& text, bool is_urgent = false);

}  // namespace drop_in
