#include "host/report/annotations.h"

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;

namespace {

Row row_of(Status status, const std::string& message) {
    Row row;
    row.plugin = "x";
    row.path = "/home/somebody/work/my.cu";
    row.shape = "8x8x8";
    row.status = status;
    row.message = message;
    return row;
}

}  // namespace

TEST_CASE("a row that fails marks the plugin's source, relative to the root of the repository") {
    CHECK(format_annotations({row_of(Status::wrong, "50 % off\nat (0, 0)")}, false, "/home/somebody") ==
          "::error file=work/my.cu,title=x (cpu) at 8x8x8%3A wrong::50 %25 off%0Aat (0, 0)\n");
    CHECK(format_annotations({row_of(Status::crashed, "m")}, false, "/elsewhere")
              .rfind("::error file=/home/somebody/work/my.cu,title=", 0) == 0);
}

TEST_CASE("what is right marks nothing, what is slower an error, and what is allowed to be limited a warning") {
    CHECK(format_annotations({row_of(Status::ok, "a note"), row_of(Status::unsupported, "m")}, false, "").empty());
    Row slower = row_of(Status::ok, "");
    slower.regression = "5 % slower";
    CHECK(format_annotations({slower}, false, "/home/somebody/work") ==
          "::error file=my.cu,title=x (cpu) at 8x8x8%3A slower::5 %25 slower\n");
    const std::vector<Row> limited = {row_of(Status::limited, "m")};
    CHECK(format_annotations(limited, true, "").rfind("::warning ", 0) == 0);
    CHECK(format_annotations(limited, false, "").rfind("::error ", 0) == 0);
}

TEST_CASE("a library whose source is known marks that, another one itself") {
    const TemporaryDirectory directory;
    write_file(directory / "a.d", "build/a.so: \\\n plugins/cuda/a.cu plugins/x.h\n");
    Row row = row_of(Status::wrong, "m");
    row.path = directory / "a.so";
    CHECK(format_annotations({row}, false, "/").rfind("::error file=plugins/cuda/a.cu,", 0) == 0);
    row.path = "/b.so";
    CHECK(format_annotations({row}, false, "/").rfind("::error file=b.so,", 0) == 0);
}
