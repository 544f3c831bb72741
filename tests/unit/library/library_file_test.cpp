#include "host/library/library_file.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>

#include "host/base/sha256.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;
using namespace std::chrono_literals;

namespace {

double seconds_of(const std::function<void()>& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void age(const fs::path& file, std::chrono::seconds by) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - by);
}

std::string refusal(const fs::path& file) {
    return message_thrown_by<std::runtime_error>([&] { LibraryCopy copy(file); });
}

}  // namespace

TEST_CASE("a regular file is read whole, and anything else as nothing, at once") {
    const TemporaryDirectory directory;
    const std::string bytes = std::string(100'000, 'x') + '\0' + "end";
    write_file(directory / "file", bytes);
    REQUIRE(mkfifo((directory / "fifo").c_str(), 0600) == 0);
    CHECK(read_library(directory / "file") == bytes);
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
    const auto wait = [&] { return seconds_of([&] { wait_until_settled(directory / "file"); }); };
    write_file(directory / "file", "x");
    CHECK(wait() > 0.15);
    age(directory / "file", 2s);
    CHECK(wait() < 0.15);
    age(directory / "file", -3600s);
    CHECK(wait() < 0.15);
    fs::remove(directory / "file");
    CHECK(wait() < 0.15);
}

TEST_CASE("a file that is still being written is waited for until it is whole") {
    const TemporaryDirectory directory;
    const std::string whole = read_file(compile_library(directory / "whole.so", kEmptySolve));
    write_file(directory / "slow.so", "");
    auto linker = std::async(std::launch::async, [&] {
        std::ofstream stream(directory / "slow.so", std::ios::binary);
        for (size_t part = 0; part < 8; ++part) {
            stream << whole.substr(part * whole.size() / 8, (part + 1) * whole.size() / 8 - part * whole.size() / 8);
            stream.flush();
            std::this_thread::sleep_for(60ms);
        }
    });
    CHECK(LibraryCopy(directory / "slow.so").sha256() == sha256(whole));
    linker.wait();
}

TEST_CASE("the copy loads although the file has been truncated, and is named by its hash") {
    const TemporaryDirectory directory;
    const auto file = compile_library(directory / "x.so", "extern \"C\" int solve() { return 42; }");
    const LibraryCopy copy(file);
    CHECK(copy.sha256() == sha256(read_file(file)));
    CHECK(copy.note() == "");
    REQUIRE(copy.descriptor() >= 0);
    fs::resize_file(file, 100);
    void* const library = dlopen(fmt::format("/proc/self/fd/{}", copy.descriptor()).c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    CHECK(reinterpret_cast<int (*)()>(dlsym(library, "solve"))() == 42);
    dlclose(library);
}

TEST_CASE("a library that looks for others beside it is loaded from its own place, and says so") {
    const TemporaryDirectory directory;
    for (const char* flag : {"-Wl,-rpath,'$ORIGIN'", "-Wl,-rpath,'/usr/lib:${ORIGIN}/lib'"}) {
        CAPTURE(flag);
        const LibraryCopy copy(compile_library(directory / "x.so", kEmptySolve, flag));
        CHECK(copy.descriptor() == -1);
        CHECK(contains(copy.note(), "$ORIGIN"));
        CHECK(copy.sha256().size() == 64);
    }
    const LibraryCopy elsewhere(compile_library(directory / "x.so", kEmptySolve, "-Wl,-rpath,/usr/lib"));
    CHECK(elsewhere.descriptor() >= 0);
}

TEST_CASE("a file that has become none that could be loaded is refused") {
    const TemporaryDirectory directory;
    const auto file = compile_library(directory / "x.so", kEmptySolve);
    fs::resize_file(file, fs::file_size(file) / 2);
    CHECK(contains(refusal(file), "truncated"));
    fs::remove(file);
    CHECK(contains(refusal(file), "cannot be read"));
}
