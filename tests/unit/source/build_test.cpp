#include "host/source/build.h"

#include <chrono>

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;

TEST_CASE("a make that is no part of another one keeps its variables, not its jobs") {
    CHECK(without_jobs("") == "");
    CHECK(without_jobs("k") == "k");
    CHECK(without_jobs(" -j8 --jobserver-auth=3,4 -- CXX=ccache\\ g++ X=-j8") == "-- CXX=ccache\\ g++ X=-j8");
    CHECK(without_jobs("rk -j --jobserver-fds=3,4") == "rk");
}

TEST_CASE("without a source tree nothing is built, and it is said what to do") {
    SourceTree tree;
    tree.problem = "the tree is gone";
    const auto built = build_sources({"a.cu", "b.cpp"}, tree, {}, "/no/such/folder", [] { return false; });
    REQUIRE(built.size() == 2);
    for (const Built& each : built) {
        CHECK(each.library.empty());
        CHECK(each.problem == "not built: the tree is gone");
    }
}

TEST_CASE("a build that is given up starts nothing") {
    SourceTree tree;
    tree.root = "/no/such/folder";
    const auto built = build_sources({"a.cu"}, tree, {}, "/no/such/folder", [] { return true; });
    CHECK(built.at(0).problem == "not built: interrupted");
}

TEST_CASE("nobody has to wait until what was built has settled") {
    using namespace std::chrono_literals;
    const unit::TemporaryDirectory directory;
    unit::write_file(directory / "Makefile", "plugin:\n\t@echo library > $(INTO)/a.so\n");
    SourceTree tree;
    tree.root = tree.build = directory.path();
    const auto built = build_sources({"a.cu"}, tree, {}, directory.path(), [] { return false; });
    INFO(built.at(0).messages);
    REQUIRE(built.at(0).library.filename() == "a.so");
    CHECK(std::filesystem::last_write_time(built.at(0).library) <
          std::filesystem::file_time_type::clock::now() - 500ms);
}
