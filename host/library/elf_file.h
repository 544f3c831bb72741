// What an ELF file says of itself, read from its headers without loading it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "library/fatbin.h"

namespace judge {

struct ElfFile {
    std::string problem;       // why the file is no plugin, with what to do about it; empty if it may be one
    bool solve = true;         // exports it; also taken for granted where the symbol table has been stripped
    bool solve_chain = false;  // likewise
    bool solve_gemm = false;
    bool gpu_code = false;     // holds a CUDA fat binary, or needs a CUDA library
    bool emulated = false;     // built for the CPU emulator
    bool host_memory = false;  // marked as one that takes host pointers, though it holds GPU code
    bool baseline = false;     // marked as a library that others are raced against
    bool needs_blas = false;   // is linked with a BLAS library
    bool uses_origin = false;  // looks for the libraries it needs in places relative to its own ($ORIGIN)
    GpuImages images;          // empty where unknown
};

// Reads headers, sections and dynamic symbols of a file's bytes. Every offset is checked against the size, since
// dlopen of a truncated file ends the process with SIGBUS instead of an error.
ElfFile parse_elf(std::string_view bytes);

// The same of a regular file.
ElfFile read_elf(const std::filesystem::path& path);

}  // namespace judge
