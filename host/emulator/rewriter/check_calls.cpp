// Calls that nvcc refuses: of a host function in device code, of device code by a host function. g++ compiles the
// emulated source as one, and would run them.
//
// By name, without types: where a name may mean something else, such as a variable or a function of a library, nothing
// is said of it. Nor is anything said of functions that run on both sides, or of templates that nobody may instantiate.
#include <array>
#include <map>
#include <set>

#include "functions.h"

namespace emulator {
namespace {

// All functions of one name.
struct Group {
    bool host = false, device = false, kernel = false, both = false, defined = false, is_constexpr = true;
    size_t name = 0;  // where it is defined, or declared
};

template <size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
    for (std::string_view each : words) {
        if (each == word) return true;
    }
    return false;
}

// Words that can stand before an expression.
bool begins_expression(std::string_view word) {
    constexpr std::array<std::string_view, 15> words{"return", "else",   "do",  "throw",     "case",
                                                     "and",    "or",     "not", "co_return", "co_yield",
                                                     "new",    "delete", "in",  "goto",      "__extension__"};
    return is_one_of(word, words);
}

// std::name, not cuda::std::name.
bool follows_std(const Rewriter& source, size_t i) {
    return source.is(i - 1, ":") && source.is(i - 2, ":") && source.is(i - 3, "std") && !source.is(i - 4, ":");
}

// Of C's library and of C++'s, what a kernel may be thought to call.
bool is_host_only(const Rewriter& source, size_t i) {
    constexpr std::array<std::string_view, 14> functions{"rand",   "srand",   "exit",     "fprintf", "sprintf",
                                                         "fflush", "fopen",   "getenv",   "time",    "puts",
                                                         "calloc", "realloc", "snprintf", "putchar"};
    constexpr std::array<std::string_view, 7> of_std{"cout", "cerr", "vector", "string", "sort", "rand", "function"};
    const bool in_std = follows_std(source, i);
    if (in_std && is_one_of(source[i].text, of_std)) return true;
    return source.is(i + 1, "(") && (in_std || !source.is(i - 1, ":")) && is_one_of(source[i].text, functions);
}

// Which nvcc takes in device code with --expt-relaxed-constexpr only.
bool is_constexpr_of_std(const Rewriter& source, size_t i) {
    constexpr std::array<std::string_view, 8> names{"max", "min", "clamp", "swap", "minmax", "gcd", "lcm", "exchange"};
    return follows_std(source, i) && (source.is(i + 1, "(") || source.is(i + 1, "<")) &&
           is_one_of(source[i].text, names);
}

bool is_device_only(std::string_view name) {
    constexpr std::array<std::string_view, 6> names{"__syncthreads", "__syncwarp",       "__threadfence",
                                                    "__shfl_sync",   "__shfl_down_sync", "__ldg"};
    return is_one_of(name, names) ||
           (name.starts_with("atomic") && name.size() > 6 && name[6] >= 'A' && name[6] <= 'Z');
}

class Calls {
  public:
    explicit Calls(const Rewriter& source) : source_(source), functions_(find_functions(source)) {
        std::set<size_t> names;
        for (const Function& each : functions_) {
            add(each);
            names.insert(each.name);
        }
        for (size_t i = 0; i < source.size(); ++i) {
            const auto found = groups_.find(source[i].text);
            if (found == groups_.end() || source[i].kind != Token::kIdentifier) continue;
            const bool other = source[i].in_library_header ? source.is(i + 1, "(") || source.is(i + 1, "<")
                                                           : !names.count(i) && is_declared(i);
            if (other) ambiguous_.insert(source[i].text);
            if (!names.count(i)) used_.insert(source[i].text);
        }
    }

    // Throws for the first call; returns a warning for each that needs a flag of nvcc's.
    std::vector<std::string> check() {
        for (const Function& caller : functions_) {
            if (caller.open == source_.size() || caller.space == Function::kBoth) continue;
            const bool device = caller.space != Function::kHost;
            if (caller.is_template && (!device || !used_.count(source_[caller.name].text))) continue;
            for (size_t i = caller.open + 1; i < caller.close; ++i) {
                if (!device && source_.is(i, "__device__")) i = skip_body(i, caller.close);
                if (takes_no_value(i)) i = source_.closing(i + 1);
                if (source_[i].kind != Token::kIdentifier) continue;
                device ? check_in_device(caller, i) : check_in_host(caller, i);
            }
        }
        return warnings_;
    }

  private:
    void add(const Function& function) {
        const std::string_view name = source_[function.name].text;
        if (name == "operator") return;
        Group& group = groups_[name];
        group.host |= function.space == Function::kHost;
        group.device |= function.space == Function::kDevice;
        group.kernel |= function.space == Function::kKernel;
        group.both |= function.space == Function::kBoth;
        group.is_constexpr &= function.is_constexpr;
        if (!group.defined) group.name = function.name;
        group.defined |= function.open < source_.size();
    }

    // T name, T &name, T *name: a variable, a parameter, a type. Before '(' a '*' or '&' may as well be an operator.
    bool is_declared(size_t i) const {
        if (i == 0) return false;
        if (source_[i - 1].kind == Token::kIdentifier) return !begins_expression(source_[i - 1].text);
        const bool call = source_.is(i + 1, "(") || source_.is(i + 1, "<");
        return !call &&
               (source_.is(i - 1, "*") || source_.is(i - 1, "&") || source_.is(i - 1, ">") || source_.is(i - 1, "."));
    }

    bool takes_no_value(size_t i) const {
        constexpr std::array<std::string_view, 7> words{"decltype", "sizeof",   "noexcept",     "alignof",
                                                        "typeid",   "requires", "__attribute__"};
        return source_.is(i + 1, "(") && is_one_of(source_[i].text, words);
    }

    // Past a lambda or a local class's function that says where it runs.
    size_t skip_body(size_t i, size_t end) const {
        while (i < end && !source_.is(i, "{") && !source_.is(i, ";")) ++i;
        return source_.is(i, "{") ? source_.closing(i) : i;
    }

    // name(...) or name<...>(...), and no launch.
    bool is_call(size_t i) const {
        if (source_.is(i + 1, "(")) return true;
        if (!source_.is(i + 1, "<") || source_.is(i + 2, "<")) return false;
        int depth = 0;
        for (size_t at = i + 1; at < source_.size(); ++at) {
            if (source_.is(at, ";") || source_.is(at, "{") || source_.is(at, "}") || source_.is(at, "&")) return false;
            if (source_.is(at, "(")) at = source_.closing(at);
            if (source_.is(at, "<")) ++depth;
            if (source_.is(at, ">") && --depth == 0) return source_.is(at + 1, "(");
        }
        return false;
    }

    // std::numeric_limits<T>::max(), not ::digits.
    bool is_limit(size_t i) const {
        if (!source_.is(i, "numeric_limits") || source_.is(i - 4, ":")) return false;
        while (i < source_.size() && !source_.is(i, ":") && !source_.is(i, ";")) ++i;
        return source_.is(i + 1, ":") && source_.is(i + 3, "(");
    }

    const Group* called(size_t i) const {
        const auto found = groups_.find(source_[i].text);
        if (found == groups_.end() || ambiguous_.count(source_[i].text) || !is_call(i)) return nullptr;
        return &found->second;
    }

    std::string place(size_t i) const {
        const Location where = locate(source_.text(), source_[i].begin);
        return where.file + ":" + std::to_string(where.line);
    }
    std::string quoted(size_t i) const { return "'" + std::string(source_[i].text) + "'"; }
    std::string caller_is(const Function& caller) const {
        const char* kind = caller.space == Function::kHost     ? "the host function "
                           : caller.space == Function::kKernel ? "the kernel "
                                                               : "the __device__ function ";
        return kind + quoted(caller.name);
    }

    void check_in_device(const Function& caller, size_t i) {
        if (is_constexpr_of_std(source_, i)) return warn(i, "'std::" + std::string(source_[i].text) + "'");
        if (is_limit(i)) return warn(i, "a function of 'std::numeric_limits'");
        const Group* group = called(i);
        if (!group) {
            if (!groups_.count(source_[i].text) && is_host_only(source_, i)) {
                refuse(i, quoted(i) + ", which there is on the host only, in " + caller_is(caller),
                       "write what it does as a __device__ function");
            }
            return;
        }
        if (!group->host || group->device || group->both || group->kernel || !group->defined) return;
        if (group->is_constexpr) return warn(i, quoted(i));
        refuse(i, "the host function " + quoted(i) + " (" + place(group->name) + ") in " + caller_is(caller),
               "declare it __device__, or __host__ __device__ if the host calls it too");
    }

    void check_in_host(const Function& caller, size_t i) {
        const Group* group = called(i);
        if (!group) {
            if (!groups_.count(source_[i].text) && source_.is(i + 1, "(") && is_device_only(source_[i].text)) {
                refuse(i, quoted(i) + " in " + caller_is(caller), "it belongs into a kernel");
            }
            return;
        }
        if (group->host || group->both || group->kernel == group->device) return;
        if (group->kernel) {
            refuse(i, "the kernel " + quoted(i) + " like a function in " + caller_is(caller),
                   "launch it: " + std::string(source_[i].text) + "<<<grid, block>>>(...)");
        }
        refuse(i, "the __device__ function " + quoted(i) + " (" + place(group->name) + ") in " + caller_is(caller),
               "declare it __host__ __device__");
    }

    void warn(size_t i, const std::string& what) {
        if (!warned_.insert(source_[i].text).second) return;
        warnings_.push_back(place(i) + ": warning: " + what +
                            " is constexpr, but a host function: in device code nvcc takes it with "
                            "--expt-relaxed-constexpr only");
    }

    [[noreturn]] void refuse(size_t i, const std::string& what, const std::string& advice) const {
        throw RewriteError(place(i) + ": error: a call of " + what + ", which nvcc refuses: " + advice);
    }

    const Rewriter& source_;
    std::vector<Function> functions_;
    std::map<std::string_view, Group> groups_;
    std::set<std::string_view> ambiguous_, used_, warned_;
    std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> check_calls(const Rewriter& source) {
    return Calls(source).check();
}

}  // namespace emulator
