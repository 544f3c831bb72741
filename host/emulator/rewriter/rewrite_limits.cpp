// What a kernel's declaration promises (__launch_bounds__), and what a library may hold (__constant__).
#include "rewriter.h"

namespace emulator {
namespace {

// The '{' of the function's body, or size() for a declaration.
size_t body_after(const Rewriter& source, size_t i) {
    for (; i < source.size() && !source.is(i, ";"); ++i) {
        if (source.is(i, "{")) return i;
        if (source.is(i, "(") || source.is(i, "[")) i = source.closing(i);
    }
    return source.size();
}

}  // namespace

// __launch_bounds__(256, 2) void k() {  ->  void k() { ::emulator::launch_bounds(256, 2);
size_t rewrite_launch_bounds(Rewriter& source, size_t i) {
    if (!source.is(i + 1, "(")) return i;
    const size_t close = source.closing(i + 1), body = body_after(source, close + 1);
    if (body < source.size()) {
        source.insert_after(body, " ::emulator::launch_bounds" + source.joined(i + 1, close) + ";");
    }
    source.remove(i, close);
    return close;
}

// __constant__ T a[2], b = 3;  ->  T a[2], b = 3; static const bool a_emulated_constant = ..., b_emulated_constant =
// ...;
void count_constants(Rewriter& source, size_t i) {
    if (i > 0 && source.is(i - 1, "extern")) return;
    std::string counted;
    size_t name = source.size();
    const auto settle = [&] {
        if (name == source.size()) return;
        const std::string variable(source[name].text);
        counted += "; [[maybe_unused]] static const bool " + variable +
                   "_emulated_constant = ::emulator::constant_variable(sizeof(" + variable + "))";
        name = source.size();
    };
    bool named = false;
    int angle = 0;
    for (++i; i < source.size() && !source.is(i, ";"); ++i) {
        if (source.is(i, "extern") || source.is(i, "template")) return;
        if (source.is(i, "(") || source.is(i, "{") || source.is(i, "[")) {
            named = named || name < source.size();
            i = source.closing(i);
        } else if (source.is(i, "<") && !named) {
            ++angle;
        } else if (source.is(i, ">") && !named) {
            --angle;
        } else if (source.is(i, "=")) {
            named = true;
        } else if (source.is(i, ",") && angle == 0) {
            settle();
            named = false;
        } else if (source[i].kind == Token::kIdentifier && !named && angle == 0) {
            name = i;
        }
    }
    settle();
    if (i < source.size()) source.insert_before(i, counted);
}

}  // namespace emulator
