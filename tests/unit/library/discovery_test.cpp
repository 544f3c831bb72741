#include "host/library/discovery.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

std::vector<std::string> names_of(const std::vector<Candidate>& candidates) {
    std::vector<std::string> names;
    for (const Candidate& candidate : candidates) names.push_back(candidate.name);
    return names;
}

std::string problem_in(const TemporaryDirectory& directory) {
    const auto candidates = discover({directory.path()});
    REQUIRE(candidates.size() == 1);
    return candidates[0].problem;
}

// A directory with one plugin in it, a.so.
struct PluginDirectory : TemporaryDirectory {
    PluginDirectory() { compile_library(library(), kEmptySolve); }
    fs::path library() const { return *this / "a.so"; }
};

}  // namespace

TEST_CASE("a library in a directory is found, with its absolute path and its stem") {
    const PluginDirectory directory;
    const auto candidates = discover({directory.path()});
    REQUIRE(candidates.size() == 1);
    CHECK(candidates[0].name == "a");
    CHECK(candidates[0].path == directory.library());
    CHECK(candidates[0].problem == "");
    CHECK(to_string(candidates[0].target) == "cpu");
    CHECK(!candidates[0].named);
    CHECK(!candidates[0].baseline);
}

TEST_CASE("a path relative to the working directory comes back absolute") {
    const PluginDirectory directory;
    const fs::path before = fs::current_path();
    fs::current_path(directory.path());
    const auto candidates = discover({"./a.so"});
    fs::current_path(before);
    REQUIRE(candidates.size() == 1);
    CHECK(candidates[0].path == directory.library());
}

TEST_CASE("a library given by its own path is named") {
    const PluginDirectory directory;
    const auto candidates = discover({directory.library()});
    REQUIRE(candidates.size() == 1);
    CHECK(candidates[0].named);
    CHECK(candidates[0].problem == "");
}

TEST_CASE("source code in a library's place is told how it is built") {
    const TemporaryDirectory directory;
    write_file(directory / "mine.cu", "extern \"C\" void solve();");
    const auto candidates = discover({directory / "mine.cu"});
    REQUIRE(candidates.size() == 1);
    CHECK(contains(candidates[0].problem, "make plugin FILE=" + (directory / "mine.cu").string()));
}

TEST_CASE("a library given by its own path need not be called .so") {
    const PluginDirectory directory;
    fs::copy(directory.library(), directory / "b.plugin");
    const auto candidates = discover({directory / "b.plugin"});
    REQUIRE(candidates.size() == 1);
    CHECK(candidates[0].problem == "");
    CHECK(candidates[0].name == "b");
}

TEST_CASE("a library found in a directory and also given by its path is one candidate, and named") {
    const PluginDirectory directory;
    for (const auto& paths : {std::vector<fs::path>{directory.path(), directory.library()},
                              std::vector<fs::path>{directory.library(), directory.path()}}) {
        const auto candidates = discover(paths);
        REQUIRE(candidates.size() == 1);
        CHECK(candidates[0].named);
    }
}

TEST_CASE("libraries are looked for one level below the directory, and not two") {
    const PluginDirectory directory;
    for (const char* name : {"cpu/b.so", "cuda/c.so", "cpu/deep/d.so"}) {
        fs::create_directories((directory / name).parent_path());
        fs::copy(directory.library(), directory / name);
    }
    CHECK(names_of(discover({directory.path()})) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("hidden files, and files in hidden directories, are left alone") {
    const PluginDirectory directory;
    fs::create_directory(directory / ".hidden");
    fs::copy(directory.library(), directory / ".hidden" / "b.so");
    fs::copy(directory.library(), directory / ".c.so");
    write_file(directory / ".so", "");
    CHECK(names_of(discover({directory.path()})) == std::vector<std::string>{"a"});
}

TEST_CASE("what is not called .so is left alone") {
    const PluginDirectory directory;
    for (const char* name : {"b.so.1", "c.so.tmp", "d.txt", "e.o", "so", "fso"})
        fs::copy(directory.library(), directory / name);
    CHECK(names_of(discover({directory.path()})) == std::vector<std::string>{"a"});
}

TEST_CASE("candidates are sorted by name, whatever directory each is in") {
    const TemporaryDirectory directory;
    for (const char* name : {"z/10_b.so", "y/20_a.so", "05_z.so", "z/15.so", "x/10_a.so"})
        write_file(directory / name, "");
    CHECK(names_of(discover({directory.path()})) == std::vector<std::string>{"05_z", "10_a", "10_b", "15", "20_a"});
}

TEST_CASE("libraries of one name in several directories come in the order of their paths, under names of their own") {
    const TemporaryDirectory directory;
    std::vector<fs::path> expected, found;
    for (char name = 'a'; name <= 'p'; ++name) expected.push_back(directory / std::string(1, name) / "same.so");
    for (auto path = expected.rbegin(); path != expected.rend(); ++path) write_file(*path, "");
    for (const Candidate& candidate : discover({directory.path()})) found.push_back(candidate.path);
    CHECK(found == expected);
}

TEST_CASE("the same file by two links is one candidate") {
    const PluginDirectory directory;
    fs::create_symlink(directory.library(), directory / "b.so");
    fs::create_directory(directory / "below");
    fs::create_symlink("../a.so", directory / "below" / "c.so");
    CHECK(names_of(discover({directory.path(), directory.path()})) == std::vector<std::string>{"a"});
}

TEST_CASE("two copies of a file are two candidates") {
    const PluginDirectory directory;
    fs::copy(directory.library(), directory / "b.so");
    CHECK(discover({directory.path()}).size() == 2);
}

TEST_CASE("a FIFO called .so comes back with its problem, and is not opened") {
    const TemporaryDirectory directory;
    REQUIRE(mkfifo((directory / "a.so").c_str(), 0600) == 0);
    CHECK(problem_in(directory) == "a FIFO, not a library");
}

TEST_CASE("a directory called .so comes back with its problem") {
    const TemporaryDirectory directory;
    fs::create_directory(directory / "a.so");
    CHECK(problem_in(directory) == "a directory, not a library");
}

TEST_CASE("a link to nothing comes back with its problem") {
    const TemporaryDirectory directory;
    fs::create_symlink(directory / "missing", directory / "a.so");
    CHECK(problem_in(directory) == "a link to nothing, not a library");
}

TEST_CASE("a loop of links comes back with its problem") {
    const TemporaryDirectory directory;
    fs::create_symlink(directory / "a.so", directory / "a.so");
    CHECK(!problem_in(directory).empty());
}

TEST_CASE("a loop of links given by its path comes back with its problem") {
    const TemporaryDirectory directory;
    fs::create_symlink(directory / "a.so", directory / "a.so");
    std::vector<Candidate> candidates;
    REQUIRE_NOTHROW(candidates = discover({directory / "a.so"}));
    REQUIRE(candidates.size() == 1);
    CHECK(!candidates[0].problem.empty());
}

TEST_CASE("half a library comes back with its problem, beside whole ones") {
    const PluginDirectory directory;
    const std::string whole = read_file(directory.library());
    write_file(directory / "b.so", whole.substr(0, whole.size() / 2));
    const auto candidates = discover({directory.path()});
    REQUIRE(candidates.size() == 2);
    CHECK(candidates[0].problem == "");
    CHECK(contains(candidates[1].problem, "truncated"));
}

TEST_CASE("an empty directory holds no candidates") {
    const TemporaryDirectory directory;
    CHECK(discover({directory.path()}).empty());
    CHECK(discover({}).empty());
}

TEST_CASE("marks decide the device: emulated before host memory before GPU code before CPU") {
    const TemporaryDirectory directory;
    const auto with_sections = [&](const char* name, const std::vector<std::string>& sections) {
        std::string source = kEmptySolve;
        for (size_t i = 0; i < sections.size(); ++i) {
            source += fmt::format("__attribute__((section(\"{}\"), used)) extern const char mark{}[] = \"mark\";\n",
                                  sections[i], i);
        }
        compile_library(directory / name, source);
    };
    with_sections("a.so", {".nv_fatbin", ".solve.baseline"});
    with_sections("b.so", {".nv_fatbin", ".solve.emulated"});
    with_sections("c.so", {".nv_fatbin", ".solve.host_memory"});
    with_sections("d.so", {".solve.emulated", ".solve.host_memory"});
    const auto candidates = discover({directory.path()});
    REQUIRE(candidates.size() == 4);
    CHECK(to_string(candidates[2].target) == "gpus");
    CHECK(to_string(candidates[3].target) == "emulator");
    CHECK(to_string(candidates[0].target) == "cuda");
    CHECK(candidates[0].baseline);
    CHECK(to_string(candidates[1].target) == "emulator");
    CHECK(!candidates[1].baseline);
}

TEST_CASE("a hard link is the same file") {
    const PluginDirectory directory;
    fs::create_hard_link(directory.library(), directory / "b.so");
    CHECK(names_of(discover({directory.path()})) == std::vector<std::string>{"a"});
}

TEST_CASE("plugins of one name for several devices keep it") {
    const TemporaryDirectory directory;
    const std::string mark = "__attribute__((section(\".solve.emulated\"), used)) extern const char mark[] = \"mark\";";
    fs::create_directory(directory / "cpu");
    fs::create_directory(directory / "emulator");
    compile_library(directory / "cpu/x.so", kEmptySolve);
    compile_library(directory / "emulator/x.so", kEmptySolve + mark);
    CHECK(names_of(discover({directory.path()})) == std::vector<std::string>{"x", "x"});
}

TEST_CASE("two plugins of one name for one device are told apart by their directories, or by their paths") {
    const PluginDirectory directory;
    for (const char* name : {"old/x.so", "new/x.so", "p/q/y.so", "r/q/y.so"}) {
        fs::create_directories((directory / name).parent_path());
        fs::copy(directory.library(), directory / name);
    }
    CHECK(names_of(discover({directory / "old", directory / "new"})) == std::vector<std::string>{"new/x", "old/x"});
    CHECK(names_of(discover({directory / "p", directory / "r"})) ==
          std::vector<std::string>{directory / "p/q/y.so", directory / "r/q/y.so"});
}

TEST_CASE("a file that is too large comes back with its problem, unread") {
    const TemporaryDirectory directory;
    write_file(directory / "a.so", "x");
    fs::resize_file(directory / "a.so", uint64_t{513} << 20);
    CHECK(problem_in(directory) == "513 MiB: a plugin may have 512");
}

TEST_CASE("more than 1000 libraries in a directory are refused") {
    const TemporaryDirectory directory;
    for (int i = 0; i < 1001; ++i) fs::create_symlink("nowhere", directory / fmt::format("{}.so", i));
    CHECK(contains(message_thrown_by<std::runtime_error>([&] { discover({directory.path()}); }),
                   "more than 1000 libraries"));
    fs::remove(directory / "7.so");
    CHECK(discover({directory.path()}).size() == 1000);
}

TEST_CASE("a library that is half written when it is found is read again when it is whole") {
    const PluginDirectory directory;
    const std::string whole = read_file(directory.library());
    write_file(directory / "b.so", whole.substr(0, whole.size() / 2));
    auto linker = std::async(std::launch::async, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        write_file(directory / "b.so", whole);
    });
    const auto candidates = discover({directory / "b.so"});
    linker.wait();
    REQUIRE(candidates.size() == 1);
    CHECK(candidates[0].problem == "");
}
