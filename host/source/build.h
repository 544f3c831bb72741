// Builds libraries from somebody's own .cu and .cpp files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "source/tree.h"
#include "values/target.h"

namespace judge {

struct Built {
    std::filesystem::path library;  // empty if there is none
    Target target = Target::cpu;    // what it was, or would have been, built for
    std::string problem;            // why there is none: the first line that names an error
    std::string messages;           // what the compiler said, its warnings included, as it is
};

struct BuildWishes {
    std::string device;      // cuda or emulator, for .cu files; empty: what make takes
    bool resources = false;  // nvcc says how many registers a kernel takes
    bool at_once = false;    // nvcc's steps side by side: a file is built sooner if it is the only one
    int architecture = 0;    // what nvcc compiles for; 0: make asks the driver, by a program that takes 0.1 s and more
};

// Runs `make plugin` for each of the files, as many at a time as there are cores. What comes of it goes to `folder`,
// whose path must be one word to make: a folder for each file, and in that the library, named after the file as far as
// make can read its name. `cancelled` is asked a hundred times a second; once it says yes, the rest is not built.
std::vector<Built> build_sources(const std::vector<std::filesystem::path>& sources, const SourceTree& tree,
                                 const BuildWishes& wishes, const std::filesystem::path& folder,
                                 const std::function<bool()>& cancelled);

// What is left of MAKEFLAGS for a make that is no part of the one which has started us: without the descriptors
// through which that counts its jobs.
std::string without_jobs(const std::string& makeflags);

}  // namespace judge
