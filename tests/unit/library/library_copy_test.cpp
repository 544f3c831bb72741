#include "host/library/library_copy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;
using namespace std::chrono_literals;

namespace {

std::string refusal_to_copy(const fs::path& file) {
    return message_thrown_by<std::runtime_error>([&] { LibraryCopy copy(file); });
}

}  // namespace

// The examples of FIPS 180-4 (csrc.nist.gov), and lengths around a block's end against sha256sum.
TEST_CASE("SHA-256 gives what the standard's examples say") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 is right for lengths around the end of a block") {
    CHECK(sha256(std::string(55, '\xff')) == "aadaed00a3c5fbb8072ae7f1984ba8199fbe5272de427d11eaf31583af37db51");
    CHECK(sha256(std::string(56, '\xff')) == "528ff50ab05e77bbbd224a9ec86165dbb6824a9a9efb544be0a1d57d5b416457");
    CHECK(sha256(std::string(63, '\xff')) == "d12449c8124182545ae91924286cc6af13528bcf62a5ddbd5e00b891fffc1b48");
    CHECK(sha256(std::string(64, '\xff')) == "8667e718294e9e0df1d30600ba3eeb201f764aad2dad72748643e4a285e1d1f7");
    CHECK(sha256(std::string(65, '\xff')) == "855c9a28fff2bbbd71327165554a00c6fdd44d5d58c1f12b8fdff29b5d67f001");
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
            std::this_thread::sleep_for(20ms);
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

TEST_CASE("nobody changes the copy, whoever has its descriptor") {
    const TemporaryDirectory directory;
    const LibraryCopy copy(compile_library(directory / "x.so", kEmptySolve));
    REQUIRE(copy.descriptor() >= 0);
    const int again = open(fmt::format("/proc/self/fd/{}", copy.descriptor()).c_str(), O_RDWR);
    for (const int descriptor : {copy.descriptor(), again}) {
        CHECK(pwrite(descriptor, "x", 1, 0) == -1);
        CHECK(ftruncate(descriptor, 0) == -1);
        CHECK(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) == MAP_FAILED);
    }
    if (again >= 0) close(again);
}

TEST_CASE("a library of a long name has a copy, too") {
    const TemporaryDirectory directory;
    const auto file = directory / (std::string(252, 'x') + ".so");
    fs::copy_file(compile_library(directory / "x.so", kEmptySolve), file);
    CHECK(LibraryCopy(file).descriptor() >= 0);
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
    CHECK(contains(refusal_to_copy(file), "truncated"));
    fs::remove(file);
    CHECK(contains(refusal_to_copy(file), "cannot be read"));
}
