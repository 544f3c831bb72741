// Loops of device code that may wait for another thread, which would never run if they did not let it.
#include <algorithm>
#include <iterator>

#include "functions.h"
#include "rewriter.h"

namespace emulator {
namespace {

// A condition that changes nothing itself: == <= >= != are no assignments.
bool only_looks(const Rewriter& source, size_t first, size_t last) {
    for (size_t i = first; i <= last; ++i) {
        const bool doubled = source.adjacent(i) && source.is(i - 1, source[i].text);
        if (doubled && (source.is(i, "+") || source.is(i, "-"))) return false;
        const bool compares = source.is(i + 1, "=") || source.is(i - 1, "=") || source.is(i - 1, "!") ||
                              source.is(i - 1, "<") || source.is(i - 1, ">");
        if (source.is(i, "=") && !compares) return false;
    }
    return true;
}

bool ends_do(const Rewriter& source, size_t i) {
    if (i == 0 || !source.is(i - 1, "}")) return false;
    const size_t open = source.opening(i - 1);
    return open > 0 && open < source.size() && source.is(open - 1, "do");
}

// Reads memory anew each time, whatever the compiler knows.
bool reads_anew(const Rewriter& source, size_t i, const std::set<std::string_view>& names) {
    constexpr std::string_view loads[] = {"__ldcg", "__ldcv", "__ldlu"};
    if (source[i].kind != Token::kIdentifier) return false;
    if (source.is(i, "volatile")) return i == 0 || !(source.is(i - 1, "asm") || source.is(i - 1, "__asm__"));
    return names.count(source[i].text) > 0 ||
           std::find(std::begin(loads), std::end(loads), source[i].text) != std::end(loads);
}

// The last token of the statement that begins at i, as far as its reads go.
size_t statement_end(const Rewriter& source, size_t i) {
    for (; i < source.size(); ++i) {
        if (source.is(i, ";")) return i;
        if (source.is(i, "{")) return source.closing(i);
        if (source.is(i, "(") || source.is(i, "[")) i = source.closing(i);
    }
    return source.size();
}

// The names that a declaration with `volatile` at i gives: volatile int *a, b[2]; but not of a cast's type.
void add_names(const Rewriter& source, size_t i, std::set<std::string_view>& names) {
    size_t name = 0;
    for (++i; i < source.size(); ++i) {
        if (source[i].kind == Token::kIdentifier) {
            name = i;
        } else if (source.is(i, "[") || source.is(i, "(")) {
            if (source.is(i, "(") && name == 0) return;  // asm volatile (
            i = source.closing(i);
        } else if (source.is(i, ",") || source.is(i, ";") || source.is(i, "=") || source.is(i, ")")) {
            const bool declared = name > 0 && name + 1 <= i && !source.is(i - 1, "*") && !source.is(i - 1, ">");
            if (declared) names.insert(source[name].text);
            const bool parameter =  // another one, with a type of its own
                i + 2 < source.size() && source[i + 1].kind == Token::kIdentifier &&
                (source[i + 2].kind == Token::kIdentifier || source.is(i + 2, "*") || source.is(i + 2, "&"));
            if (!source.is(i, ",") || parameter) return;
        } else if (source.is(i, "{") || source.is(i, "}")) {
            return;
        }
    }
}

}  // namespace

std::set<std::string_view> volatile_names(const Rewriter& source) {
    std::set<std::string_view> names;
    for (size_t i = 0; i < source.size(); ++i) {
        const bool of_asm = i > 0 && (source.is(i - 1, "asm") || source.is(i - 1, "__asm__"));
        if (source.is(i, "volatile") && !of_asm && !source[i].in_library_header) add_names(source, i, names);
    }
    for (const Function& each : find_functions(source)) {
        if (each.open == source.size() || each.space == Function::kHost || source.is(each.name, "operator")) continue;
        for (size_t i = each.name + 1; i < each.close; ++i) {
            if (!reads_anew(source, i, names)) continue;
            names.insert(source[each.name].text);
            break;
        }
    }
    return names;
}

// while (*flag == 0);  ->  while (*flag == 0) ::emulator::wait_for_others(...);
// while (*flag == 0) { f(); }  ->  while (*flag == 0) { ::emulator::look(...); f(); }   if flag is volatile
void yield_in_loop(Rewriter& source, size_t i, const std::set<std::string_view>& volatile_names) {
    const bool is_do = source.is(i, "do");
    if (is_do ? !source.is(i + 1, "{") : !source.is(i + 1, "(") || ends_do(source, i)) return;
    const size_t body = is_do ? i + 1 : source.closing(i + 1) + 1;
    if (body >= source.size()) return;
    const size_t condition = is_do ? source.closing(body) + 2 : i + 1;  // its '('
    const size_t end = is_do ? source.closing(condition) : statement_end(source, body);
    if (end >= source.size()) return;
    const std::string place = "{\"" + std::string(source[i].text) + "\", __builtin_FILE(), __builtin_LINE()}";

    const bool braces = source.is(body, "{"), empty = source.is(body, ";") || (braces && source.is(body + 1, "}"));
    if (empty && !source.is(i, "for") && only_looks(source, condition + 1, source.closing(condition) - 1)) {
        if (!braces) source.insert_after(body - 1, " ::emulator::wait_for_others(" + place + ")");
        if (braces) source.insert_after(body, " ::emulator::wait_for_others(" + place + ");");
        return;
    }
    for (size_t at = i + 1; at <= end; ++at) {
        if (!reads_anew(source, at, volatile_names)) continue;
        if (braces) source.insert_after(body, " ::emulator::look(" + place + ", false);");
        if (!braces) source.insert_before(body, "if (::emulator::look(" + place + ", false), false) {} else ");
        return;
    }
}

}  // namespace emulator
