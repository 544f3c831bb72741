// The functions of sgemm_ladder.h: each finds the plugin, calls it, and turns its exception into a code and a text.
#include "../sgemm_ladder.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>

#include "engines.h"

namespace {

using sgemm_ladder::Error;
using sgemm_ladder::Plugin;

std::atomic<uint32_t> memory_in_use{0};
thread_local std::string last_error;

const Plugin& the_engine() {
    return linked::engine(memory_in_use);
}

// Runs a call. An error without a code is the plugin's own, after arguments that were right.
template <class Body>
int answer(Body body) noexcept {
    last_error.clear();
    try {
        body();
        return SOLVE_OK;
    } catch (const Error& error) {
        last_error = error.what();
        return error.code() != SOLVE_OK ? error.code() : SOLVE_DEVICE_ERROR;
    } catch (const std::exception& error) {  // no memory
        last_error = error.what();
        return SOLVE_DEVICE_ERROR;
    }
}

// What solve and solve_chain refuse, which return no code and may have no text.
void check_sizes(std::initializer_list<int> sizes) {
    if (std::min(sizes) < 0) throw Error("a negative size", SOLVE_INVALID_ARGUMENT);
}

void check_matrix(const char* name, const float* matrix, int rows, int cols) {
    if (matrix || rows == 0 || cols == 0) return;
    throw Error(std::string("null pointer: ") + name, SOLVE_INVALID_ARGUMENT);
}

// Whether `solve` does the same.
bool is_plain(const solve_gemm_t& call) {
    return call.batch == 1 && !call.transpose_a && !call.transpose_b && !call.A_array && !call.B_array &&
           !call.C_array && call.lda == call.N && call.ldb == call.K && call.ldc == call.K && call.alpha == 1.0f &&
           call.beta == 0.0f && !call.bias && call.bias_kind == SOLVE_BIAS_NONE && call.accuracy == 0 && !call.stream;
}

void solve(const Plugin& plugin, const float* A, const float* B, float* C, int M, int N, int K) {
    if (!plugin.has_solve()) throw Error(plugin.path() + ": exports no solve", SOLVE_UNSUPPORTED);
    check_sizes({M, N, K});
    check_matrix("A", A, M, N), check_matrix("B", B, N, K), check_matrix("C", C, M, K);
    plugin.solve(A, B, C, M, N, K);
}

void gemm(const Plugin& plugin, const solve_gemm_t& call) {
    if (plugin.has_gemm()) return plugin.gemm(call);
    if (!is_plain(call)) {
        throw Error(plugin.path() + ": exports no solve_gemm, and solve does not do this call", SOLVE_UNSUPPORTED);
    }
    solve(plugin, call.A, call.B, call.C, call.M, call.N, call.K);
}

// The call as this version knows it: what an older caller lacks is 0, and what is not 0 of a longer struct than ours
// asks for what we do not know.
solve_chain_t read_call(const solve_chain_t& given) {
    constexpr size_t kFirst = offsetof(solve_chain_t, workspace_bytes) + sizeof given.workspace_bytes;
    if (given.size < kFirst) throw Error("size is less than that of any solve_chain_t", SOLVE_INVALID_ARGUMENT);
    solve_chain_t call{};
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&given);
    if (std::any_of(bytes + sizeof call, bytes + std::max<size_t>(given.size, sizeof call),
                    [](unsigned char byte) { return byte != 0; })) {
        throw Error("the call has a field that this library does not know", SOLVE_UNSUPPORTED);
    }
    std::memcpy(&call, bytes, std::min<size_t>(given.size, sizeof call));
    return call;
}

void check_leading(const char* name, int64_t leading, int rows, int cols) {
    if (rows == 0 || leading >= cols) return;
    throw Error(
        std::string(name) + " = " + std::to_string(leading) + " is less than the " + std::to_string(cols) + " columns",
        SOLVE_INVALID_ARGUMENT);
}

void check(const solve_chain_t& call) {
    check_sizes({call.M, call.N, call.K, call.L});
    check_matrix("A", call.A, call.M, call.N), check_leading("lda", call.lda, call.M, call.N);
    check_matrix("B", call.B, call.N, call.K), check_leading("ldb", call.ldb, call.N, call.K);
    check_matrix("C", call.C, call.K, call.L), check_leading("ldc", call.ldc, call.K, call.L);
    check_matrix("E", call.E, call.M, call.L), check_leading("lde", call.lde, call.M, call.L);
}

solve_gemm_t product_of(const solve_chain_t& call, int M, int N, int K) {
    solve_gemm_t product = solve_gemm_one();
    product.M = M, product.N = N, product.K = K;
    product.accuracy = call.accuracy, product.stream = call.stream;
    return product;
}

// In ordinary memory, by two products in the order that takes fewer multiply-adds.
void chain_of_two(const Plugin& plugin, const solve_chain_t& given) {
    const solve_chain_t call = read_call(given);
    check(call);
    const int M = call.M, N = call.N, K = call.K, L = call.L;
    if (M == 0 || L == 0) return;
    const double left = double(M) * K * (double(N) + L), right = double(N) * L * (double(K) + M);
    const bool is_left = left <= right, is_empty = N == 0 || K == 0 || call.alpha == 0.0f;
    const size_t size = is_empty ? 0 : is_left ? size_t(M) * K : size_t(N) * L;
    const std::unique_ptr<float[]> between(new float[std::max<size_t>(size, 1)]);
    // Of an empty sum nothing is read but E, whatever is in C.
    solve_gemm_t last = product_of(call, M, is_empty ? 0 : is_left ? K : N, L);
    last.C = call.E, last.ldc = call.lde, last.alpha = call.alpha, last.beta = call.beta;
    last.A = call.A, last.lda = call.lda, last.B = call.C, last.ldb = std::max<int64_t>(call.ldc, L);
    if (!is_empty) {
        solve_gemm_t first = is_left ? product_of(call, M, N, K) : product_of(call, N, K, L);
        first.C = between.get(), first.ldc = first.K;
        if (is_left) {
            first.A = call.A, first.lda = call.lda, first.B = call.B, first.ldb = call.ldb;
            last.A = between.get(), last.lda = K;
        } else {
            first.A = call.B, first.lda = call.ldb, first.B = call.C, first.ldb = call.ldc;
            last.B = between.get(), last.ldb = L;
        }
        gemm(plugin, first);
    }
    gemm(plugin, last);
}

solve_chain_t plain_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    solve_chain_t call = solve_chain_one();
    call.M = M, call.N = N, call.K = K, call.L = L;
    call.A = A, call.lda = N, call.B = B, call.ldb = K, call.C = C, call.ldc = L, call.E = E, call.lde = L;
    return call;
}

}  // namespace

int sgemm_ladder_use(uint32_t memory) {
    return answer([&] {
        if (memory > SOLVE_MEMORY_HOST) {
            throw Error("memory " + std::to_string(memory) + " is none of enum solve_memory", SOLVE_INVALID_ARGUMENT);
        }
        linked::engine(memory);
        memory_in_use = memory;
    });
}

int sgemm_ladder_solve(const float* A, const float* B, float* C, int M, int N, int K) {
    return answer([&] { solve(the_engine(), A, B, C, M, N, K); });
}

int sgemm_ladder_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N,
                         int K, float alpha, float beta, void* stream) {
    return answer([&] {
        const Plugin& plugin = the_engine();
        if (plugin.has_enqueue()) return plugin.enqueue(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, stream);
        solve_gemm_t call = solve_gemm_one();
        call.M = M, call.N = N, call.K = K, call.alpha = alpha, call.beta = beta, call.stream = stream;
        call.A = A, call.lda = lda, call.B = B, call.ldb = ldb, call.C = C, call.ldc = ldc;
        gemm(plugin, call);
    });
}

int sgemm_ladder_gemm(const solve_gemm_t* call) {
    return answer([&] {
        if (!call) throw Error("null pointer: call", SOLVE_INVALID_ARGUMENT);
        gemm(the_engine(), *call);
    });
}

int sgemm_ladder_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    return answer([&] {
        const Plugin& plugin = the_engine();
        const solve_chain_t call = plain_chain(A, B, C, E, M, N, K, L);
        check(call);
        if (plugin.has_chain()) return plugin.chain(A, B, C, E, M, N, K, L);
        if (plugin.takes_device_pointers()) return linked::chain_engine().chain(A, B, C, E, M, N, K, L);
        chain_of_two(plugin, call);
    });
}

int sgemm_ladder_chain_enqueue(const solve_chain_t* call) {
    return answer([&] {
        if (!call) throw Error("null pointer: call", SOLVE_INVALID_ARGUMENT);
        const Plugin& plugin = the_engine();
        if (plugin.has_chain_enqueue()) return plugin.chain(*call);
        if (plugin.takes_device_pointers()) return linked::chain_engine().chain(*call);
        chain_of_two(plugin, *call);
    });
}

const solve_info_t* sgemm_ladder_info(void) {
    const solve_info_t* info = nullptr;
    answer([&] { info = the_engine().info(); });
    return info;
}

const char* sgemm_ladder_path(void) {
    const char* path = nullptr;
    answer([&] { path = the_engine().path().c_str(); });
    return path;
}

const char* sgemm_ladder_last_error(void) {
    return last_error.empty() ? nullptr : last_error.c_str();
}
