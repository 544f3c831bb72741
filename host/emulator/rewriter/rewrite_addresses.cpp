// Kernels whose address is taken: cudaLaunchKernel((void*)kernel, grid, block, arguments) does not say how to call it.
#include <algorithm>
#include <map>

#include "functions.h"
#include "rewriter.h"

namespace emulator {
namespace {

bool calls_launch(const Rewriter& source) {
    for (size_t i = 0; i < source.size(); ++i) {
        if (source.is(i, "cudaLaunchKernel") && !source[i].in_library_header) return true;
    }
    return false;
}

}  // namespace

// __global__ void k(int a) { }  ->  ...{ } static const bool k_emulated_kernel = ::emulator::know_kernel(k);
void know_kernels(Rewriter& source) {
    if (!calls_launch(source)) return;
    std::map<std::string_view, std::vector<Function>> kernels;
    std::vector<size_t> declared;
    for (const Function& each : find_functions(source)) {
        if (each.space == Function::kKernel) kernels[source[each.name].text].push_back(each);
        declared.push_back(each.name);
    }
    std::map<std::string_view, bool> is_address;
    for (size_t i = 0; i < source.size(); ++i) {
        if (!kernels.count(source[i].text) || std::binary_search(declared.begin(), declared.end(), i)) continue;
        if (!source.is(i + 1, "<") && !source.is(i + 1, "(")) is_address[source[i].text] = true;
    }
    for (const auto& [name, functions] : kernels) {
        const auto has_body = [&](const Function& each) { return each.open < source.size(); };
        const auto defined = std::find_if(functions.begin(), functions.end(), has_body);
        const bool overloaded = std::count_if(functions.begin(), functions.end(), has_body) != 1;
        if (!is_address[name] || overloaded || defined->is_template) continue;
        source.insert_after(defined->close, " [[maybe_unused]] static const bool " + std::string(name) +
                                                "_emulated_kernel = ::emulator::know_kernel(" + std::string(name) +
                                                ");");
    }
}

// cudaLaunchKernel((const void*)k<16>, ...)  ->  cudaLaunchKernel(k<16>, ...): an instantiation says how to call it.
void uncast_kernel(Rewriter& source, size_t i) {
    if (!source.is(i + 1, "(")) return;
    const size_t begin = i + 2;
    size_t end = begin;  // of the cast
    while (end < source.size() && (source.is(end, "(") || source.is(end, "const") || source.is(end, "void") ||
                                   source.is(end, "*") || source.is(end, "reinterpret_cast") || source.is(end, "<") ||
                                   source.is(end, ">") || source.is(end, ")") || source.is(end, "&"))) {
        ++end;
        if (source.is(end - 1, ")") || source.is(end - 1, ">")) break;
    }
    const bool cast = source.is(end - 1, ")") || source.is(end - 1, ">");
    if (!cast || end - begin < 3) return;
    size_t name = end;
    while (source.is(name, "&") || source.is(name, "(")) ++name;
    while (source.is(name + 1, ":")) name += 3;
    if (source[name].kind == Token::kIdentifier && source.is(name + 1, "<")) source.remove(begin, end - 1);
}

}  // namespace emulator
