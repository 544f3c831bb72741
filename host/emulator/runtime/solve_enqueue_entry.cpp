// The solve_enqueue that leaves the library, where the source has one.
#include "../../../abi/solve.h"
#include "callers_stream.h"
#include "capture.h"

extern "C" int solve_enqueue_of_source(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc,
                                       int M, int N, int K, float alpha, float beta, void* stream);

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* stream) {
    using namespace emulator;
    const Capture capture(stream);
    CallersStream caller(CallersStream::Entry::takes_stream, capture.stream());
    const auto call = [&] {
        return solve_enqueue_of_source(caller.input(A, extent(M, N, lda)), lda, caller.input(B, extent(N, K, ldb)), ldb,
                                       caller.output(C, extent(M, K, ldc)), ldc, M, N, K, alpha, beta, caller.stream());
    };
    const int code = call();
    caller.call_again_beside(call);
    return code;
}
