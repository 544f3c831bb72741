// Finds the plugins, and tells from their ELF headers what each is for. Never loads a file: loading runs its
// constructors, and a damaged or hostile one would take this process with it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "library/fatbin.h"
#include "values/target.h"

namespace judge {

struct Candidate {
    std::filesystem::path path;    // absolute
    std::filesystem::path source;  // the .cu or .cpp file that it is, or was built from; empty for a library
    std::string name;  // the file's stem, cleaned, with as much of its path before it as tells it from others
    Target target = Target::cpu;
    bool gemm = true;         // exports solve
    bool chain = false;       // exports solve_chain
    bool full_gemm = false;   // exports solve_gemm
    bool baseline = false;    // carries the mark of a library that others are raced against
    bool needs_blas = false;  // is linked with a BLAS library, as such a one is
    bool named = false;       // given on the command line, not found in a directory
    GpuImages images;         // the GPUs that it holds code for; empty where unknown
    std::string problem;      // why it cannot be a plugin; empty if it can
    std::string unsupported;  // why it is one but not for this run; empty if it is
};

// The plugins that a path stands for: itself, or the *.so in a directory and in the directories right below it,
// sorted by name. Whatever else is called *.so (a FIFO, a broken link, half a file) comes back with its problem. A file
// found twice, by whatever links, is one candidate. Throws UsageError if a directory holds more than 1000.
std::vector<Candidate> discover(const std::vector<std::filesystem::path>& paths);

// Whether its name is that of a .cu or .cpp file.
bool is_source(const std::filesystem::path& path);

// The file that the user knows it by.
const std::filesystem::path& known_as(const Candidate& candidate);

// Of two plugins of one name for one device, old/x.so and new/x.so, the names become old/x and new/x; and the whole
// paths if that is not enough. discover() has done so; what is built later may have a name that is taken.
void tell_apart(std::vector<Candidate>& candidates);

}  // namespace judge
