#include "host/source/tree.h"

#include <fstream>

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;

TEST_CASE("the source tree is the one that the program lies in") {
    const TemporaryDirectory root;
    fs::create_directories(root / "host/tools");
    fs::create_directories(root / "some/build");
    std::ofstream(root / "Makefile") << "all:\n";
    std::ofstream(root / "host/tools/own_plugin.py") << "\n";
    const SourceTree tree = source_tree(root / "some/build/compare");
    CHECK(tree.root == root.path());
    CHECK(tree.build == root / "some/build");
    CHECK(tree.problem == "");
    CHECK(tree.compiler != "");
}

TEST_CASE("a program that lies elsewhere knows the tree that it was built from") {
    const TemporaryDirectory elsewhere;
    const SourceTree tree = source_tree(elsewhere / "compare");
    CHECK(fs::exists(tree.root / "Makefile"));
    CHECK(fs::exists(tree.build / "tests/unit_test"));  // not where the program was put
}
