#include "source/tree.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace judge {

namespace fs = std::filesystem;

namespace {

// The Makefile gives them to this file only: of two trees all other objects are the same.
constexpr const char* kBuiltFrom = SOURCE_TREE;
constexpr const char* kBuild = SOURCE_BUILD;
constexpr const char* kCompiler = SOURCE_COMPILER;

bool is_tree(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "Makefile", error) && fs::exists(folder / "host/tools/own_plugin.py", error);
}

// An installed program must not run a Makefile that somebody else has put where the tree once was.
bool is_trusted(const fs::path& root) {
    struct stat status {};
    return stat((root / "Makefile").c_str(), &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0);
}

}  // namespace

SourceTree source_tree(const fs::path& program) {
    SourceTree tree;
    tree.compiler = kCompiler;
#ifdef HAVE_CUDA
    tree.has_cuda = true;
#endif
    for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        if (is_tree(folder)) {
            tree.root = folder;
            tree.build = program.parent_path();
            return tree;
        }
    }
    if (is_tree(kBuiltFrom) && is_trusted(kBuiltFrom)) {
        tree.root = kBuiltFrom;
        tree.build = kBuild;
    } else {
        tree.problem = fmt::format(
            "only the source tree that compare was built from can build it, and {} is gone, or another user's: build "
            "it "
            "there with `make plugin FILE=...`, or with nvcc -shared, and give the library",
            kBuiltFrom);
    }
    return tree;
}

}  // namespace judge
