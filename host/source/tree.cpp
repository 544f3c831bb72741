#include "source/tree.h"

#include <fmt/format.h>

namespace judge {

namespace fs = std::filesystem;

namespace {

// The Makefile gives them to this file only: of two trees all other objects are the same.
constexpr const char* kBuiltFrom = SOURCE_TREE;
constexpr const char* kCompiler = SOURCE_COMPILER;

bool is_tree(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "Makefile", error) && fs::exists(folder / "host/tools/own_plugin.py", error);
}

}  // namespace

SourceTree source_tree(const fs::path& program) {
    SourceTree tree;
    tree.build = program.parent_path();
    tree.compiler = kCompiler;
#ifdef HAVE_CUDA
    tree.has_cuda = true;
#endif
    for (fs::path folder = tree.build; folder.has_relative_path(); folder = folder.parent_path()) {
        if (is_tree(folder)) {
            tree.root = folder;
            return tree;
        }
    }
    if (is_tree(kBuiltFrom)) {
        tree.root = kBuiltFrom;
    } else {
        tree.problem = fmt::format(
            "only the source tree that compare was built from can build it, and {} is gone: build it there with `make "
            "plugin FILE=...`, or with nvcc -shared, and give the library",
            kBuiltFrom);
    }
    return tree;
}

}  // namespace judge
