// A loaded plugin: the entries of abi/solve.h, found by name. Used in worker processes only.
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "abi/solve.h"
#include "values/plugin_info.h"

namespace judge {

// Says on stderr what exception is being handled, and ends the process by SIGABRT.
[[noreturn]] void die_of_exception();

template <class Function>
class Entry;

// Set in a child that the plugin has forked (by watch_for_forks()): a process that must not go on judging.
inline volatile std::sig_atomic_t in_forked_child = 0;
void watch_for_forks();
// How many children this process has forked since then by fork(), whose handlers run: those of some libraries end their
// threads. What the judge itself copies (process_copy.h) does not count.
inline std::atomic<uint64_t> forks_seen = 0;

// A function of the plugin's, or null. A child that it forked and that returns as it does ends there, since two
// processes would go on judging, and with a fork in every call 2^n. An exception that leaves it ends the process: so
// what is caught anywhere else in a worker is the judge's own, and is not held against the plugin.
template <class Result, class... Parameters>
class Entry<Result(Parameters...)> {
  public:
    Entry(Result (*function)(Parameters...) = nullptr) : function_(function) {}

    Result operator()(Parameters... arguments) const {
        try {
            const EndOfChild guard;
            return function_(arguments...);
        } catch (...) {
            die_of_exception();
        }
    }
    explicit operator bool() const { return function_ != nullptr; }
    bool operator==(std::nullptr_t) const { return function_ == nullptr; }

  private:
    struct EndOfChild {
        ~EndOfChild() {
            if (in_forked_child) _exit(0);
        }
    };
    Result (*function_)(Parameters...);
};

class Plugin {
  public:
    // Loads the library, from an open copy of it if a descriptor is given, and looks its entries up. Throws
    // std::runtime_error with the loader's text, or if there is no `solve`.
    explicit Plugin(const std::filesystem::path& path, int copy = -1);

    // Null where the library does not export it; but one of solve and solve_chain is there.
    Entry<decltype(::solve)> solve;
    Entry<decltype(::solve_enqueue)> solve_enqueue;
    Entry<decltype(::solve_chain)> solve_chain;
    Entry<decltype(::solve_gemm)> solve_gemm;
    Entry<decltype(::solve_chain_enqueue)> solve_chain_enqueue;

    const std::string& name() const { return name_; }

    void* library() const { return library_; }  // of dlopen

    // solve_info, if the plugin has one and its ABI version is ours or older; read once, when it was loaded.
    const std::optional<solve_info_t>& info() const { return info_; }

    // The text of solve_last_error; empty if the plugin exports none or reports nothing.
    std::string last_error() const;

    // Whether it exports solve_last_error, and that is its own: in the emulator a plain kernel has one all the same.
    bool reports_errors() const;

    // GPU code that the CPU emulator executes.
    bool is_emulated() const { return info_ && (info_->flags & SOLVE_FLAG_EMULATED); }

    // One of enum solve_arithmetic: what the plugin claims; FP32 if it claims nothing.
    uint32_t arithmetic() const { return claims_arithmetic() ? info_->arithmetic : uint32_t{SOLVE_ARITHMETIC_FP32}; }
    bool claims_arithmetic() const { return info_ && info_->arithmetic != 0; }

    // What is false in solve_info, in one line: an entry that is not exported, a text that may not be null, or another
    // description than when it was loaded; empty if nothing is.
    std::string wrong_claim() const;

    PluginInfo describe() const;

  private:
    std::string name_;
    void* library_;
    std::optional<solve_info_t> info_;
    std::string wrong_claim_;
    Entry<decltype(::solve_last_error)> last_error_;
};

}  // namespace judge
