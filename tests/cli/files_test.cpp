// Files that are called *.so and are none.
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::kBuild;
using test::kCompare;

}  // namespace

TEST_CASE("whatever is called x.so becomes a row that says what it is, and the good plugin beside it runs") {
    const test::TemporaryDirectory directory;
    const fs::path good = kBuild + "/bad_plugins/control_correct.so";
    fs::copy_file(good, directory / "good.so");
    REQUIRE(mkfifo((directory / "fifo.so").c_str(), 0600) == 0);
    fs::create_directory(directory / "directory.so");
    fs::create_symlink("loop.so", directory / "loop.so");
    fs::create_symlink("nowhere", directory / "dangling.so");
    std::ofstream(directory / "empty.so").close();
    std::ofstream(directory / "text.so") << "not a library\n";
    fs::copy_file(good, directory / "half.so");
    fs::resize_file(directory / "half.so", fs::file_size(good) / 2);
    fs::copy_file(kCompare, directory / "program.so");

    const auto result = test::run(kCompare + " " + directory.path().string() + " --check-only --shape 9");
    CHECK(result.exit_code == 3);
    CHECK(contains(result.out, "fifo (cpu): load-error: a FIFO"));
    CHECK(contains(result.out, "directory (cpu): load-error: a directory"));
    CHECK(contains(result.out, "dangling (cpu): load-error: a link to nothing"));
    CHECK(contains(result.out, "loop (cpu): load-error: "));
    CHECK(contains(result.out, "empty (cpu): load-error: empty"));
    CHECK(contains(result.out, "text (cpu): load-error: not an ELF file"));
    CHECK(contains(result.out, "half (cpu): load-error: truncated"));
    CHECK(contains(result.out, "program (cpu): load-error: a program, not a library"));
    CHECK(contains(result.out, "1 ok, 8 load-error"));
}

TEST_CASE("a library truncated anywhere is a load error, never the end of the program") {
    const test::TemporaryDirectory directory;
    const fs::path good = kBuild + "/bad_plugins/control_correct.so";
    const auto size = fs::file_size(good);
    for (int part = 1; part < 16; ++part) {
        const fs::path cut = directory / ("cut" + std::to_string(part) + ".so");
        fs::copy_file(good, cut);
        fs::resize_file(cut, size * part / 16);
    }
    const auto result = test::run(kCompare + " " + directory.path().string() + " --check-only --shape 9");
    CHECK(result.exit_code == 3);
    CHECK(contains(result.out, "15 load-error"));
}

TEST_CASE("a library that is truncated or replaced during the run is judged as it was at the start", "[heavy]") {
    const test::TemporaryDirectory directory;
    const fs::path library = directory / "x.so";
    // Truncates its own file in the first call, and ends the worker at one of the shapes, none of those that are tried
    // beside: the next one loads it again.
    std::ofstream(directory / "x.cpp") << R"(#include <cstdlib>
        #include <unistd.h>
        #include "tests/bad_plugins/multiply.h"
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            if (truncate(FILE_OF_ITS_OWN, 10) != 0 || (M == 4 && N == 4 && K == 4)) std::abort();
            multiply(A, B, C, M, N, K);
        })";
    const auto built = test::run("c++ -shared -fPIC -I. '-DFILE_OF_ITS_OWN=\"" + library.string() + "\"' " +
                                 (directory / "x.cpp").string() + " -o " + library.string());
    INFO(built.err);
    REQUIRE(built.exit_code == 0);
    const std::string sum = test::run("sha256sum " + library.string()).out.substr(0, 64);
    const auto json_file = directory / "rows.json";
    const auto result = test::run(kCompare + " " + library.string() +
                                  " --check-only --shape 3 --shape 4 --shape 5 --json " + json_file.string());
    INFO(result.out);
    CHECK(fs::file_size(library) == 10);
    const auto rows = nlohmann::json::parse(test::read_file(json_file)).at("rows");
    REQUIRE(rows.size() == 3);
    CHECK(rows.at(0).at("status") == "ok");
    CHECK(rows.at(1).at("status") == "crashed");
    CHECK(rows.at(2).at("status") == "ok");
    for (const auto& row : rows) CHECK(row.at("sha256") == sum);
}

TEST_CASE("a library that finds another beside itself is loaded from its own place, with a note", "[heavy]") {
    const test::TemporaryDirectory directory;
    std::ofstream(directory / "helper.cpp") << "extern \"C\" float one() { return 1; }\n";
    std::ofstream(directory / "x.cpp") << R"(#include "tests/bad_plugins/multiply.h"
        extern "C" float one();
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            multiply(A, B, C, M, N, K);
            if (M > 0 && K > 0) C[0] *= one();
        })";
    const std::string at = directory.path().string();
    const auto built =
        test::run("c++ -shared -fPIC " + at + "/helper.cpp -o " + at + "/libhelper.so.1 && c++ -shared -fPIC -I. " +
                  at + "/x.cpp -L" + at + " -l:libhelper.so.1 '-Wl,-rpath,$ORIGIN' -o " + at + "/x.so");
    INFO(built.err);
    REQUIRE(built.exit_code == 0);
    const auto result = test::run(kCompare + " " + at + "/x.so --check-only --shape 5");
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "ok: loaded from its own place, not from a copy"));
}

TEST_CASE("two plugins of one name are two rows under names of their own", "[heavy]") {
    const test::TemporaryDirectory directory;
    for (const char* folder : {"old", "new"}) {
        fs::create_directory(directory / folder);
        fs::copy_file(kBuild + "/bad_plugins/control_correct.so", directory / folder / "x.so");
    }
    const auto result = test::run(kCompare + " " + directory.path().string() + " --check-only --shape 5");
    CHECK(contains(result.out, "new/x "));
    CHECK(contains(result.out, "old/x "));
    CHECK(contains(result.out, "2 ok"));
}

TEST_CASE("a file's name does nothing to a terminal, a table or a file, and what a plugin says of itself neither") {
    const test::TemporaryDirectory directory;
    std::ofstream(directory / "x.cpp") << R"(#include "abi/solve.h"
        #include "tests/bad_plugins/multiply.h"
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            multiply(A, B, C, M, N, K);
        }
        extern "C" const solve_info_t* solve_info() {
            static solve_info_t info = {};
            info.size = sizeof(info);
            info.abi_version = SOLVE_ABI_VERSION;
            info.summary = "a \033[31m|`\n\xff";
            info.source = "\033]0;title\a";
            return &info;
        })";
    const fs::path strange = directory / "a\033[31m\n|`,\"\xff.so";
    const auto built = test::run("c++ -O2 -w -shared -fPIC -I. " + (directory / "x.cpp").string() + " -o " +
                                 (directory / "x.so").string());
    INFO(built.err);
    REQUIRE(built.exit_code == 0);
    fs::rename(directory / "x.so", strange);
    const auto is_clean = [](const std::string& text) {
        return text.find('\033') == text.npos && text.find('\a') == text.npos && text.find('\xff') == text.npos;
    };
    const auto json = directory / "rows.json", csv = directory / "rows.csv";
    const std::string compare = kCompare + " " + directory.path().string() + " --shape 5 --check-only";
    const auto result = test::run(compare + " --json " + json.string() + " --csv " + csv.string());
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "a |`,\"\ufffd "));
    CHECK(is_clean(result.out + result.err));
    const auto rows = nlohmann::json::parse(test::read_file(json)).at("rows");
    CHECK(rows.at(0).at("plugin") == "a |`,\"\ufffd");
    const std::string lines = test::read_file(csv);
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
    CHECK(contains(lines, "\n\"a |`,\"\"\ufffd\","));
    CHECK(is_clean(lines));
    const std::string markdown = test::run(compare + " --markdown").out;
    CHECK(contains(markdown, "| a \\|\\`,\"\ufffd | cpu | FP32 | ok |\n"));
    CHECK(is_clean(markdown));
    for (const char* format : {"", " --markdown"}) {
        const auto list = test::run(kCompare + " --list " + directory.path().string() + format);
        CHECK(list.exit_code == 0);
        CHECK(std::count(list.out.begin(), list.out.end(), '\n') == (*format ? 3 : 2));
        CHECK(is_clean(list.out));
    }
}
