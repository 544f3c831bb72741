// Where this program was built from, and how.
#pragma once

#include <filesystem>
#include <string>

namespace judge {

struct SourceTree {
    std::filesystem::path root;   // holds the Makefile; empty if it is gone
    std::filesystem::path build;  // what make calls BUILD: where this program is, or was built if it was installed
    std::string compiler;         // CXX
    bool has_cuda = false;        // whether this program can run CUDA plugins
    std::string problem;          // what to do where the tree is gone; else empty
};

// The tree that `program` lies in, as build/compare does, else the one that it was built from.
SourceTree source_tree(const std::filesystem::path& program);

}  // namespace judge
