// Files that are called *.so and are none.
#include <sys/stat.h>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;
using test::kBuild;
using test::kCompare;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

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
