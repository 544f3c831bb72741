// loader.hpp - a plugin as a C++ object: opened from its file, with typed entries, closed at the end.
//
//     const sgemm_ladder::Plugin plugin("90_dispatch.so");
//     plugin.solve(A, B, C, M, N, K);      // throws sgemm_ladder::Error with the plugin's own text
//
// Header-only, C++17, needs POSIX's dlfcn.h (and -ldl before glibc 2.34). What the entries do, where the matrices live
// and who may call: solve.h, beside this file.
#ifndef SGEMM_LADDER_LOADER_HPP
#define SGEMM_LADDER_LOADER_HPP

#include <dlfcn.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "solve.h"

namespace sgemm_ladder {

// What went wrong, in one line that names the file. `code` is an enum solve_result of a call that returned one, else
// SOLVE_OK.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& text, int code = SOLVE_OK) : std::runtime_error(text), code_(code) {}
    int code() const { return code_; }

  private:
    int code_;
};

// A loaded library. It may be moved and not copied; calls from several threads are allowed, as solve.h says. Wait for
// the work of a CUDA plugin (cudaDeviceSynchronize) before the last object of its file is destroyed: the kernels go
// with it.
class Plugin {
  public:
    // Opens the library. Throws Error if there is no such file, if the loader refuses it, or if it is no plugin: then
    // it exports neither solve nor solve_chain.
    explicit Plugin(const std::string& path) : path_(path), library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!library_) throw Error(text_or(dlerror(), path + ": cannot be loaded"));
        find("solve", solve_);
        find("solve_info", info_);
        find("solve_last_error", last_error_);
        find("solve_enqueue", enqueue_);
        find("solve_gemm", gemm_);
        find("solve_chain", chain_);
        find("solve_chain_enqueue", chain_enqueue_);
        if (!solve_ && !chain_) throw Error(path + ": no plugin: it exports neither solve nor solve_chain");
    }

    // The same for who wants no exceptions: nothing, and the reason in `why`.
    static std::optional<Plugin> open(const std::string& path, std::string& why) {
        try {
            return Plugin(path);
        } catch (const Error& error) {
            why = error.what();
            return std::nullopt;
        }
    }

    const std::string& path() const { return path_; }
    // What the library says of itself, null if it does not. Use a field of it if its `size` covers that.
    const solve_info_t* info() const { return info_ ? info_() : nullptr; }
    // Whether the pointers are those of device memory: as the library says or, if it does not, whether it holds GPU
    // code.
    bool takes_device_pointers() const {
        return info() ? info()->memory == SOLVE_MEMORY_DEVICE : holds_gpu_code(path_);
    }

    bool has_solve() const { return solve_ != nullptr; }
    bool has_enqueue() const { return enqueue_ != nullptr; }
    bool has_gemm() const { return gemm_ != nullptr; }
    bool has_chain() const { return chain_ != nullptr; }
    bool has_chain_enqueue() const { return chain_enqueue_ != nullptr; }

    // The entries of solve.h. Each throws Error if the library lacks it, and with the library's text if it failed.

    // C[M x K] = A[M x N] * B[N x K], row-major and contiguous.
    void solve(const float* A, const float* B, float* C, int M, int N, int K) const {
        need(solve_, "solve")(A, B, C, M, N, K);
        throw_last_error();
    }

    // C = alpha * A * B + beta * C on a stream; leading dimensions in elements.
    void enqueue(const float* A, std::int64_t lda, const float* B, std::int64_t ldb, float* C, std::int64_t ldc, int M,
                 int N, int K, float alpha = 1.0f, float beta = 0.0f, void* stream = nullptr) const {
        check(need(enqueue_, "solve_enqueue")(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, stream));
    }

    // Any product of the BLAS; begin with solve_gemm_one().
    void gemm(const solve_gemm_t& call) const { check(need(gemm_, "solve_gemm")(&call)); }

    // E[M x L] = A[M x N] * B[N x K] * C[K x L], row-major and contiguous.
    void chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) const {
        need(chain_, "solve_chain")(A, B, C, E, M, N, K, L);
        throw_last_error();
    }

    // E = alpha * A * B * C + beta * E on a stream; begin with solve_chain_one().
    void chain(const solve_chain_t& call) const { check(need(chain_enqueue_, "solve_chain_enqueue")(&call)); }

  private:
    struct Close {
        void operator()(void* library) const { dlclose(library); }
    };

    // nvcc puts GPU code into a section of this name.
    static bool holds_gpu_code(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        return text.find(std::string("\0.nv_fatbin\0", 12)) != std::string::npos;
    }

    static std::string text_or(const char* text, const std::string& otherwise) { return text ? text : otherwise; }

    template <class Function>
    void find(const char* name, Function*& entry) {
        entry = reinterpret_cast<Function*>(dlsym(library_.get(), name));
    }

    template <class Function>
    Function* need(Function* entry, const char* name) const {
        if (!entry) throw Error(path_ + ": exports no " + name);
        return entry;
    }

    void throw_last_error() const {
        if (const char* const text = last_error_ ? last_error_() : nullptr) throw Error(path_ + ": " + text);
    }

    void check(int code) const {
        if (code == SOLVE_OK) return;
        const char* const text = last_error_ ? last_error_() : nullptr;
        throw Error(path_ + ": " + text_or(text, "error " + std::to_string(code)), code);
    }

    std::string path_;
    std::unique_ptr<void, Close> library_;
    decltype(::solve)* solve_ = nullptr;
    decltype(::solve_info)* info_ = nullptr;
    decltype(::solve_last_error)* last_error_ = nullptr;
    decltype(::solve_enqueue)* enqueue_ = nullptr;
    decltype(::solve_gemm)* gemm_ = nullptr;
    decltype(::solve_chain)* chain_ = nullptr;
    decltype(::solve_chain_enqueue)* chain_enqueue_ = nullptr;
};

}  // namespace sgemm_ladder

#endif  // SGEMM_LADDER_LOADER_HPP
