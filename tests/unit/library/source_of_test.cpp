#include "host/library/source_of.h"

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;

TEST_CASE("the source of a library is what make's dependencies beside it name first") {
    const TemporaryDirectory directory;
    write_file(directory / "a.d", "build/plugins/a.so: plugins/cuda/a.cu plugins/common/x.h\n");
    write_file(directory / "b.d", "build/plugins/b.so: \\\n  plugins/cpu/b.cpp \\\n  x.h\n");
    write_file(directory / "c.d", "build/plugins/c.so : plugins/cuda/c.cu \\\n    x.h\n");  // as nvcc writes it
    write_file(directory / "empty.d", "");
    CHECK(source_of(directory / "a.so") == "plugins/cuda/a.cu");
    CHECK(source_of(directory / "b.so") == "plugins/cpu/b.cpp");
    CHECK(source_of(directory / "c.so") == "plugins/cuda/c.cu");
    CHECK(source_of(directory / "empty.so").empty());
    CHECK(source_of(directory / "none.so").empty());
}

TEST_CASE("a source is its own") {
    CHECK(source_of("x/my.cu") == "x/my.cu");
    CHECK(source_of("my.cpp") == "my.cpp");
}
