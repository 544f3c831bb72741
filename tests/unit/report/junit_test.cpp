#include "host/report/junit.h"

#include <stdexcept>

#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

const Json kCpu = {{"device", nullptr}, {"processor", "A & B"}, {"cores", 2}, {"date", "2024-05-06T07:08:09Z"}};

Row row_of(const std::string& plugin, Status status, const std::string& message = "") {
    Row row;
    row.plugin = plugin;
    row.shape = "8x8x8";
    row.status = status;
    row.message = message;
    return row;
}

}  // namespace

TEST_CASE("a row is a test: what fails, what did not get so far, what was not run") {
    Row timed = row_of("a", Status::ok), slower = row_of("b", Status::ok);
    timed.median_ms = 2.5;
    slower.regression = "5 % slower";
    Row unloaded = row_of("f", Status::load_error, "not an ELF file");
    unloaded.shape.clear();
    const std::string text = format_junit(
        kCpu,
        {timed, slower, row_of("c", Status::wrong, "1 < 2 & \"3\""), row_of("d", Status::crashed, "SIGSEGV"),
         row_of("e", Status::unsupported, "needs a GPU"), unloaded},
        false);
    CHECK(contains(text,
                   "<testsuite name=\"compare\" hostname=\"A &amp; B, 2 cores\" timestamp=\"2024-05-06T07:08:09Z\" "
                   "tests=\"6\" failures=\"2\" errors=\"2\" skipped=\"1\">\n"));
    CHECK(contains(text, "<testcase classname=\"8x8x8\" name=\"a (cpu)\" time=\"0.002500000\"></testcase>\n"));
    CHECK(contains(text, "name=\"b (cpu)\"><failure type=\"regression\" message=\"5 % slower\"/></testcase>"));
    CHECK(contains(text, "<failure type=\"wrong\" message=\"1 &lt; 2 &amp; &quot;3&quot;\"/>"));
    CHECK(contains(text, "<error type=\"crashed\" message=\"SIGSEGV\"/>"));
    CHECK(contains(text, "<skipped type=\"unsupported\" message=\"needs a GPU\"/>"));
    CHECK(contains(text, "classname=\"not run\" name=\"f (cpu)\"><error type=\"load-error\""));
}

TEST_CASE("what is limited fails unless it is allowed, and what is right says what is to be known") {
    const std::vector<Row> rows = {row_of("a", Status::limited, "multiples of 32"), row_of("b", Status::ok, "a note")};
    CHECK(contains(format_junit(kCpu, rows, false), "<failure type=\"limited\" message=\"multiples of 32\"/>"));
    const std::string allowed = format_junit(kCpu, rows, true);
    CHECK(contains(allowed, " failures=\"0\""));
    CHECK(contains(allowed, "<system-out>multiples of 32</system-out>"));
    CHECK(contains(allowed, "<system-out>a note</system-out>"));
}

TEST_CASE("a file of tests that cannot be written is named with its option") {
    const TemporaryDirectory directory;
    write_junit(directory / "x.xml", kCpu, {}, false);
    CHECK(contains(read_file(directory / "x.xml"), " tests=\"0\""));
    const fs::path nowhere = directory / "missing" / "x.xml";
    CHECK(contains(message_thrown_by<std::runtime_error>([&] { write_junit(nowhere, kCpu, {}, false); }),
                   "--junit " + nowhere.string()));
}
