#include "host/report/saved_files.h"

#include <unistd.h>

#include "host/base/usage_error.h"
#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

std::vector<Row> one_row() {
    Row row;
    row.plugin = "10_naive";
    return {row};
}

}  // namespace

TEST_CASE("both files are there before the first row, and hold every row that was written") {
    const TemporaryDirectory directory;
    SavedFiles files(directory / "x.json", directory / "x.csv", Json::object());
    CHECK(contains(read_file(directory / "x.json"), "\"rows\": []"));
    CHECK(lines_of(read_file(directory / "x.csv")).size() == 1);
    files.write(one_row());
    CHECK(contains(read_file(directory / "x.json"), "10_naive"));
    CHECK(lines_of(read_file(directory / "x.csv")).size() == 2);
    CHECK(files.complete());
    CHECK(SavedFiles({}, {}, Json::object()).complete());
}

TEST_CASE("a file that could never be written is a usage error at once") {
    const TemporaryDirectory directory;
    const auto message =
        message_thrown_by<UsageError>([&] { SavedFiles(directory / "missing" / "x", {}, Json::object()); });
    CHECK(contains(message, "--json"));
    CHECK(contains(message, "No such file or directory"));
}

TEST_CASE("a full disk is said once, keeps nobody from going on, and is over when there is room") {
    const TemporaryDirectory directory;
    fs::create_symlink("/dev/full", directory / "x.json");
    SavedFiles files(directory / "x.json", directory / "x.csv", Json::object());
    const std::string said = printed_to(STDERR_FILENO, [&] {
        files.write(one_row());
        files.write(one_row());
    });
    CHECK(lines_of(said).size() == 1);
    CHECK(contains(said, "--json " + (directory / "x.json").string() + ": cannot be written: No space left on device"));
    CHECK(!files.complete());
    CHECK(lines_of(read_file(directory / "x.csv")).size() == 2);
    fs::remove(directory / "x.json");
    files.write(one_row());
    CHECK(files.complete());
    CHECK(contains(read_file(directory / "x.json"), "10_naive"));
}

TEST_CASE("a directory that is gone during the run is said, too") {
    const TemporaryDirectory directory;
    fs::create_directory(directory / "x");
    SavedFiles files({}, directory / "x" / "x.csv", Json::object());
    fs::remove_all(directory / "x");
    CHECK(contains(printed_to(STDERR_FILENO, [&] { files.write(one_row()); }), "No such file or directory"));
    CHECK(!files.complete());
}
