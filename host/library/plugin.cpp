#include "library/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace judge {

namespace {

template <class Function>
Entry<Function> entry(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

std::string arithmetic_name(uint32_t arithmetic) {
    switch (arithmetic) {
        case SOLVE_ARITHMETIC_FP32:
            return "FP32";
        case SOLVE_ARITHMETIC_FP32_EMULATED:
            return "FP32-emulated";
        case SOLVE_ARITHMETIC_TF32:
            return "TF32";
        case SOLVE_ARITHMETIC_FP16:
            return "FP16";
        case SOLVE_ARITHMETIC_BF16:
            return "BF16";
    }
    return "unknown";
}

// A text that a caller relies upon.
std::string find_null_text(const solve_info_t& info) {
    const auto null = [](const char* field) {
        return fmt::format("solve_info()->{} is null, which it may never be (abi/solve.h)", field);
    };
    if (!info.summary) return null("summary");
    if (!info.source) return null("source");
    return {};
}

// What the first version of abi/solve.h has, and so every plugin.
std::string find_wrong_version(const solve_info_t& info) {
    constexpr uint32_t kLeast = offsetof(solve_info_t, flags) + sizeof(info.flags);
    if (info.size < kLeast) {
        return fmt::format("solve_info()->size is {}, less than the {} bytes of any solve_info_t: set it to its sizeof",
                           info.size, kLeast);
    }
    if (info.abi_version == 0) return "solve_info()->abi_version is 0, which is none: set it to SOLVE_ABI_VERSION";
    return {};
}

std::string find_wrong_claim(void* library, uint32_t entries) {
    constexpr struct {
        uint32_t bit;
        const char *bit_name, *function;
    } kEntries[] = {{SOLVE_ENTRY_SOLVE, "SOLVE_ENTRY_SOLVE", "solve"},
                    {SOLVE_ENTRY_LAST_ERROR, "SOLVE_ENTRY_LAST_ERROR", "solve_last_error"},
                    {SOLVE_ENTRY_ENQUEUE, "SOLVE_ENTRY_ENQUEUE", "solve_enqueue"},
                    {SOLVE_ENTRY_CHAIN, "SOLVE_ENTRY_CHAIN", "solve_chain"},
                    {SOLVE_ENTRY_GEMM, "SOLVE_ENTRY_GEMM", "solve_gemm"},
                    {SOLVE_ENTRY_CHAIN_ENQUEUE, "SOLVE_ENTRY_CHAIN_ENQUEUE", "solve_chain_enqueue"}};
    for (const auto& [bit, bit_name, function] : kEntries) {
        if (!(entries & bit) || dlsym(library, function)) continue;
        return fmt::format("solve_info()->entries has {}, but the library exports no {}", bit_name, function);
    }
    return {};
}

// Of a plugin's text, which may be null, or endless.
std::string beginning_of(const char* text) {
    constexpr size_t kMost = 4096;
    return text ? std::string(text, strnlen(text, kMost)) : std::string();
}

// A plugin built with a shorter struct leaves our later fields zero.
solve_info_t copy_of(const solve_info_t& info) {
    solve_info_t copy{};
    std::memcpy(&copy, &info, std::min<size_t>(info.size, sizeof(copy)));
    return copy;
}

// The loader's last error, with the file's own name in place of its copy's, and what to do if a library is missing.
std::string loader_error(const std::string& loaded, const std::string& path) {
    std::string text = dlerror();
    if (const size_t at = text.find(loaded); at != std::string::npos) text.replace(at, loaded.size(), path);
    if (text.find(path) == std::string::npos && text.find("cannot open shared object file") != std::string::npos) {
        text +=
            fmt::format("; install it, or name its directory in LD_LIBRARY_PATH (ldd {} lists what is missing)", path);
    }
    return text;
}

}  // namespace

void die_of_exception() {
    try {
        throw;
    } catch (const std::exception& error) {
        fmt::print(stderr, "a C++ exception: {}\n", beginning_of(error.what()));
    } catch (...) {
        fmt::print(stderr, "a C++ exception of a type of its own\n");
    }
    std::abort();
}

void watch_for_forks() {
    in_forked_child = 0;
    static const int registered = pthread_atfork(
        nullptr, [] { ++forks_seen; }, [] { in_forked_child = 1; });
    (void)registered;
}

Plugin::Plugin(const std::filesystem::path& path, int copy) : name_(path.stem().string()) {
    const std::string absolute = std::filesystem::absolute(path);
    const std::string file = copy < 0 ? absolute : fmt::format("/proc/self/fd/{}", copy);
    // NOW: a symbol that is missing is an error here, not a death in the middle of a run. LOCAL: nothing of it is
    // seen by other libraries. Never unloaded: a CUDA plugin's runtime does not survive it, and the worker ends soon.
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(loader_error(file, absolute));
    library_ = library;
    solve = entry<decltype(::solve)>(library, "solve");
    solve_enqueue = entry<decltype(::solve_enqueue)>(library, "solve_enqueue");
    solve_chain = entry<decltype(::solve_chain)>(library, "solve_chain");
    solve_gemm = entry<decltype(::solve_gemm)>(library, "solve_gemm");
    solve_chain_enqueue = entry<decltype(::solve_chain_enqueue)>(library, "solve_chain_enqueue");
    last_error_ = entry<decltype(::solve_last_error)>(library, "solve_last_error");
    if (!solve && !solve_chain) throw std::runtime_error("exports no `solve`: see abi/solve.h");

    if (const auto get_info = entry<decltype(::solve_info)>(library, "solve_info")) {
        const solve_info_t* const info = get_info();
        if (info == nullptr) throw std::runtime_error("solve_info returned null: it must return a solve_info_t");
        if (info->abi_version > SOLVE_ABI_VERSION) {
            throw std::runtime_error(
                fmt::format("built for version {} of abi/solve.h, this program knows {}: rebuild one",
                            info->abi_version, SOLVE_ABI_VERSION));
        }
        info_ = copy_of(*info);
        const solve_info_t& copy = *info_;
        wrong_claim_ = find_wrong_version(copy);
        if (wrong_claim_.empty()) wrong_claim_ = find_wrong_claim(library, copy.entries);
        if (wrong_claim_.empty()) wrong_claim_ = find_null_text(copy);
    }
}

std::string Plugin::wrong_claim() const {
    if (!wrong_claim_.empty() || !info_) return wrong_claim_;
    const solve_info_t* const info = entry<decltype(::solve_info)>(library_, "solve_info")();
    const solve_info_t now = info ? copy_of(*info) : solve_info_t{};
    constexpr size_t kFields = offsetof(solve_info_t, flags) + sizeof(now.flags);  // without what may lie behind them
    if (std::memcmp(&now, &*info_, kFields) == 0) return {};
    return "solve_info() says something else than before the calls, and must be constant (abi/solve.h)";
}

bool Plugin::reports_errors() const {
    const bool others = is_emulated() && !(info_->entries & SOLVE_ENTRY_LAST_ERROR);
    return last_error_ && !others;
}

std::string Plugin::last_error() const {
    const char* const text = last_error_ ? last_error_() : nullptr;
    return beginning_of(text);
}

PluginInfo Plugin::describe() const {
    PluginInfo description;
    description.name = name_;
    if (solve_enqueue) description.entries.push_back("solve_enqueue");
    if (solve_chain) description.entries.push_back("solve_chain");
    if (solve_gemm) description.entries.push_back("solve_gemm");
    if (solve_chain_enqueue) description.entries.push_back("solve_chain_enqueue");
    description.arithmetic = arithmetic_name(arithmetic());
    if (!info_) return description;
    description.summary = beginning_of(info_->summary);
    description.source = beginning_of(info_->source);
    description.minimum_compute_capability = static_cast<int>(info_->minimum_compute_capability);
    return description;
}

}  // namespace judge
