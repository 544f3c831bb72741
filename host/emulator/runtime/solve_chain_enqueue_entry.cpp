// The solve_chain_enqueue that leaves the library, where the source has one.
#include <cstdlib>

#include "../../../abi/solve.h"
#include "callers_stream.h"
#include "capture.h"

extern "C" int solve_chain_enqueue_of_source(const solve_chain_t* call);

extern "C" int solve_chain_enqueue(const solve_chain_t* call) {
    using namespace emulator;
    const bool is_changed = std::getenv("EMULATOR_CALLERS_ORDER") || Capture::is_wanted();
    if (!is_changed || !call || call->size != sizeof(*call)) return solve_chain_enqueue_of_source(call);
    const Capture capture(call->stream);
    CallersStream caller(CallersStream::Entry::takes_stream, capture.stream());
    const auto call_on_stream = [&] {
        solve_chain_t own = *call;
        own.stream = caller.stream();
        if (caller.is_second()) own.workspace = nullptr, own.workspace_bytes = 0;
        own.A = caller.input(call->A, extent(call->M, call->N, call->lda));
        own.B = caller.input(call->B, extent(call->N, call->K, call->ldb));
        own.C = caller.input(call->C, extent(call->K, call->L, call->ldc));
        own.E = caller.output(call->E, extent(call->M, call->L, call->lde));
        return solve_chain_enqueue_of_source(&own);
    };
    const int code = call_on_stream();
    caller.call_again_beside(call_on_stream);
    return code;
}
