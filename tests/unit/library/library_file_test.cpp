#include "host/library/library_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <functional>

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;
using namespace std::chrono_literals;

namespace {

// How often this thread gave up its processor in a call. A clock would count what a busy machine delays, too.
long sleeps_in(const std::function<void()>& call) {
    const auto sleeps = [] {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_nvcsw;
    };
    const long before = sleeps();
    call();
    return sleeps() - before;
}

void age(const fs::path& file, std::chrono::seconds by) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - by);
}

}  // namespace

TEST_CASE("a regular file is read whole, and anything else as nothing, at once") {
    const TemporaryDirectory directory;
    const std::string bytes = std::string(100'000, 'x') + '\0' + "end";
    write_file(directory / "file", bytes);
    REQUIRE(mkfifo((directory / "fifo").c_str(), 0600) == 0);
    CHECK(read_library(directory / "file") == bytes);
    LibraryParts parts(directory / "file");
    REQUIRE(parts.size() == bytes.size());
    for (const size_t at : {bytes.size() - 1, size_t{0}, bytes.size() / 2}) {
        CHECK(parts.read(at, 100)[at] == bytes[at]);
    }
    CHECK(std::string(parts.read(0, bytes.size() + 7), bytes.size()) == bytes);
    for (const char* name : {"missing", "fifo", "."}) {
        CAPTURE(name);
        CHECK(read_library(directory / name).empty());
    }
}

TEST_CASE("a file larger than a library may be is not read") {
    const TemporaryDirectory directory;
    write_file(directory / "large", "x");
    fs::resize_file(directory / "large", kLargestLibrary + 1);
    CHECK(read_library(directory / "large").empty());
}

TEST_CASE("a file that was just written is waited for, an old one and one of the future are not") {
    const TemporaryDirectory directory;
    const auto sleeps = [&] { return sleeps_in([&] { wait_until_settled(directory / "file"); }); };
    write_file(directory / "file", "x");
    wait_until_settled(directory / "file");
    CHECK(fs::file_time_type::clock::now() - fs::last_write_time(directory / "file") >= 300ms);
    age(directory / "file", 2s);
    CHECK(sleeps() == 0);
    age(directory / "file", -3600s);
    CHECK(sleeps() == 0);
    fs::remove(directory / "file");
    CHECK(sleeps() == 0);
}
