#include "host/library/elf_file.h"

#include <elf.h>
#include <sys/stat.h>

#include <cstring>
#include <random>

#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

constexpr const char* kNoSolve = "exports no `solve`";

ElfFile read_library(const std::string& source, const std::string& flags = {}) {
    const TemporaryDirectory directory;
    return read_elf(compile_library(directory / "x.so", source, flags));
}

const std::string& good_library() {
    static const std::string bytes = [] {
        const TemporaryDirectory directory;
        return read_file(compile_library(directory / "x.so", kEmptySolve));
    }();
    return bytes;
}

template <class Change>
std::string with_header(Change change) {
    std::string bytes = good_library();
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    change(header);
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
}

}  // namespace

TEST_CASE("a library that exports solve is a plugin for the CPU") {
    const ElfFile file = parse_elf(good_library());
    CHECK(file.problem == "");
    CHECK(!file.gpu_code);
    CHECK(!file.emulated);
    CHECK(!file.baseline);
}

TEST_CASE("a weak solve, and a solve_chain alone, are plugins too") {
    CHECK(read_library("extern \"C\" __attribute__((weak)) void solve() {}").problem == "");
    CHECK(read_library("extern \"C\" void solve_chain() {}").problem == "");
}

TEST_CASE("a stripped library is a plugin, and so is one with the other kind of symbol hash") {
    CHECK(read_library(kEmptySolve, "-s").problem == "");
    CHECK(read_library(kEmptySolve, "-Wl,--hash-style=sysv").problem == "");
}

TEST_CASE("a library that exports no solve is told so") {
    for (const char* source : {
             "extern \"C\" void other() {}",
             "extern \"C\" void solver() {}",
             "extern \"C\" void solve_info() {}",
             "extern \"C\" __attribute__((visibility(\"hidden\"))) void solve() {}",
             "extern \"C\" void solve(); extern \"C\" void caller() { solve(); }",
             "extern \"C\" { int solve_chain = 1; }",
             "namespace other { void solve(int) {} }",
         }) {
        CAPTURE(source);
        const std::string problem = read_library(source).problem;
        CAPTURE(problem);
        CHECK(contains(problem, kNoSolve));
    }
}

TEST_CASE("a solve with a C++ name is told to be extern C") {
    const std::string problem =
        read_library("void solve(const float*, const float*, float*, int, int, int) {}").problem;
    CAPTURE(problem);
    CHECK(contains(problem, "extern \"C\" void solve("));
    CHECK(contains(problem, "solve(float const*, float const*, float*, int, int, int)"));
    CHECK(contains(problem, "_Z5solvePKfS0_Pfiii"));
}

TEST_CASE("a solve with a C++ name is found where it is hidden, local or in a namespace, but not where it is a part") {
    const auto is_found = [](const std::string& source, const std::string& flags = {}) {
        return contains(read_library(source, flags).problem, "extern \"C\"");
    };
    CHECK(is_found("void solve(int) {}", "-fvisibility=hidden"));
    CHECK(is_found("namespace { __attribute__((used)) void solve(int) {} }"));
    CHECK(is_found("namespace mine { void solve(float*) {} }"));
    const TemporaryDirectory directory;
    write_file(directory / "map", "{ global: solve; local: *; };");
    CHECK(is_found("void solve(int) {}", "-Wl,--version-script='" + (directory / "map").string() + "'"));
    CHECK(!is_found("void resolve(int) {}"));
    CHECK(!is_found("void f(int) {} namespace solve { void g() {} }"));
    CHECK(contains(read_library("extern \"C\" __attribute__((visibility(\"hidden\"))) void solve() {}").problem,
                   "static or hidden"));
    CHECK(read_library("void solve(int) {} extern \"C\" void solve_chain() {}").problem == "");
}

TEST_CASE("a solve that an assembler was not told to be a function is one where it can be executed") {
    const auto problem_of = [](const std::string& section) {
        return read_library("asm(\".section " + section + "\\n.globl solve\\nsolve: .byte 0xc3\\n.text\");").problem;
    };
    CHECK(problem_of(".text") == "");
    CHECK(contains(problem_of(".data"), "`solve` is data"));
}

TEST_CASE("a solve that is data is not a function") {
    CHECK(contains(read_library("extern \"C\" { int solve = 7; }").problem, "`solve` is data"));
    CHECK(contains(read_library("extern \"C\" { thread_local int solve = 7; }").problem, "`solve` is data"));
}

TEST_CASE("marks are read from section names") {
    const auto with_section = [](const std::string& name) {
        return read_library(std::string(kEmptySolve) + "__attribute__((section(\"" + name +
                            "\"), used)) extern const char mark[] = \"mark\";");
    };
    const ElfFile baseline = with_section(".solve.baseline");
    CHECK(baseline.problem == "");
    CHECK(baseline.baseline);
    CHECK(!baseline.emulated);
    CHECK(!baseline.gpu_code);
    const ElfFile emulated = with_section(".solve.emulated");
    CHECK(emulated.emulated);
    CHECK(!emulated.baseline);
    CHECK(with_section(".nv_fatbin").gpu_code);
    const ElfFile other = with_section(".solve.baseline2");
    CHECK(!other.baseline);
}

TEST_CASE("a library that needs a CUDA library holds GPU code") {
    const TemporaryDirectory directory;
    compile_library(directory / "libcudart.so.99", "extern \"C\" void cudaMalloc() {}", "-Wl,-soname,libcudart.so.99");
    compile_library(directory / "libother.so.99", "extern \"C\" void other() {}", "-Wl,-soname,libother.so.99");
    const auto needing = [&](const std::string& library) {
        return read_elf(compile_library(directory / "x.so", kEmptySolve,
                                        "-Wl,--no-as-needed -L'" + directory.path().string() + "' -l:" + library));
    };
    CHECK(needing("libcudart.so.99").gpu_code);
    CHECK(!needing("libother.so.99").gpu_code);
}

TEST_CASE("a library that looks for others beside itself says so") {
    CHECK(!parse_elf(good_library()).uses_origin);
    CHECK(!read_library(kEmptySolve, "-Wl,-rpath,/usr/lib").uses_origin);
    CHECK(read_library(kEmptySolve, "-Wl,-rpath,'$ORIGIN'").uses_origin);
    CHECK(read_library(kEmptySolve, "-Wl,--disable-new-dtags,-rpath,'/usr/lib:${ORIGIN}/lib'").uses_origin);
}

TEST_CASE("a program is told to be linked with -shared, however it was linked") {
    CHECK(contains(read_elf("/proc/self/exe").problem, "a program, not a library"));
    const TemporaryDirectory directory;
    const auto problem_of = [&](const std::string& flags) {
        return read_elf(compile(directory / "x.so", std::string(kEmptySolve) + "int main() {}", flags)).problem;
    };
    CHECK(contains(problem_of("-pie -rdynamic"), "a program, not a library: link it with -shared"));
    CHECK(contains(problem_of("-no-pie"), "a program, not a library: link it with -shared"));
}

TEST_CASE("an object file is told to be linked with -shared") {
    const TemporaryDirectory directory;
    CHECK(contains(read_elf(compile(directory / "x.so", kEmptySolve, "-c")).problem,
                   "an object file, not a library: link it with -shared"));
}

TEST_CASE("what is not ELF is told so") {
    CHECK(contains(parse_elf("").problem, "empty"));
    CHECK(parse_elf("#!/bin/sh\necho solve\n").problem == "not an ELF file");
    CHECK(parse_elf(std::string(1000, '\0')).problem == "not an ELF file");
    CHECK(parse_elf("!<arch>\n").problem == "not an ELF file");
    CHECK(parse_elf("\x7f").problem == "not an ELF file");
}

TEST_CASE("what is not a regular file is a problem, and a FIFO does not block") {
    const TemporaryDirectory directory;
    REQUIRE(mkfifo((directory / "fifo.so").c_str(), 0600) == 0);
    for (const fs::path& path : {directory / "missing.so", directory.path(), directory / "fifo.so"}) {
        CAPTURE(path.string());
        CHECK(!read_elf(path).problem.empty());
    }
}

TEST_CASE("a library for another processor, or of another kind, is told so") {
    CHECK(parse_elf(with_header([](Elf64_Ehdr& header) { header.e_machine = EM_MIPS; })).problem ==
          "built for another processor");
    CHECK(parse_elf(with_header([](Elf64_Ehdr& header) { header.e_ident[EI_CLASS] = ELFCLASS32; })).problem ==
          "built for another processor");
    CHECK(parse_elf(with_header([](Elf64_Ehdr& header) { header.e_type = ET_CORE; })).problem ==
          "not a shared library");
}

TEST_CASE("a library without section headers is left to the worker") {
    const std::string bytes =
        with_header([](Elf64_Ehdr& header) { header.e_shnum = header.e_shoff = header.e_shstrndx = 0; });
    CHECK(parse_elf(bytes).problem == "");
}

TEST_CASE("a library cut at any length is truncated, and never taken for a plugin") {
    const std::string& whole = good_library();
    std::vector<size_t> lengths;
    for (size_t length = 0; length < 256; ++length) lengths.push_back(length);
    for (size_t length = 256; length < whole.size(); length += 61) lengths.push_back(length);
    for (size_t length = whole.size() - 80; length < whole.size(); ++length) lengths.push_back(length);
    size_t truncated = 0;
    for (const size_t length : lengths) {
        const std::string problem = parse_elf(whole.substr(0, length)).problem;
        truncated += contains(problem, "truncated");
        if (problem.empty()) FAIL("cut at " << length << " of " << whole.size() << " bytes, it is accepted");
    }
    CHECK(truncated == lengths.size() - sizeof(Elf64_Ehdr));
}

TEST_CASE("headers full of nonsense are read without harm") {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = good_library();
        for (int change = 0; change < 1 + round % 8; ++change) {
            const bool in_header = random() % 2;
            const size_t at = EI_VERSION + random() % ((in_header ? sizeof(Elf64_Ehdr) : bytes.size()) - EI_VERSION);
            bytes[at] = random() % 3 == 0 ? char(0xff) : char(random());
        }
        CHECK_NOTHROW(parse_elf(bytes));
    }
}

TEST_CASE("section headers that point far outside are truncated") {
    for (const uint64_t offset : {uint64_t{1} << 40, ~uint64_t{0}, ~uint64_t{63}, uint64_t{1} << 63}) {
        CAPTURE(offset);
        CHECK(contains(parse_elf(with_header([=](Elf64_Ehdr& header) { header.e_shoff = offset; })).problem,
                       "truncated"));
        CHECK(contains(parse_elf(with_header([=](Elf64_Ehdr& header) { header.e_phoff = offset; })).problem,
                       "truncated"));
    }
}
