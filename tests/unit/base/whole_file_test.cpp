#include "host/base/whole_file.h"

#include <fstream>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

std::vector<std::string> files_in(const fs::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
    return names;
}

std::string refusal(const fs::path& file) {
    return message_thrown_by<std::runtime_error>([&] { replace_file(file, "text", "--csv"); });
}

}  // namespace

TEST_CASE("a file is written to the byte, nothing is left beside it, and an older one is replaced") {
    const TemporaryDirectory directory;
    write_file(directory / "x", "an older and longer text than the one that comes");
    const std::string text("a\r\nb\0c\n", 7);
    replace_file(directory / "x", text, "--csv");
    CHECK(read_file(directory / "x") == text);
    CHECK(files_in(directory.path()) == std::vector<std::string>{"x"});
}

TEST_CASE("whoever has the older file open goes on reading the whole of it") {
    const TemporaryDirectory directory;
    replace_file(directory / "x", "older", "--csv");
    std::ifstream reader(directory / "x");
    replace_file(directory / "x", "newer", "--csv");
    std::string seen;
    std::getline(reader, seen);
    CHECK(seen == "older");
    CHECK(read_file(directory / "x") == "newer");
}

TEST_CASE("a path that cannot be written throws, names the option and the file, and leaves nothing behind") {
    const TemporaryDirectory directory;
    const fs::path in_no_directory = directory / "missing" / "x";
    const std::string missing = refusal(in_no_directory);
    CAPTURE(missing);
    CHECK(contains(missing, "--csv " + in_no_directory.string()));
    CHECK(contains(missing, "No such file or directory"));

    fs::create_directory(directory / "taken");
    const std::string taken = refusal(directory / "taken");
    CAPTURE(taken);
    CHECK(contains(taken, "--csv " + (directory / "taken").string()));
    CHECK(contains(taken, "directory"));
    CHECK(files_in(directory.path()) == std::vector<std::string>{"taken"});
}

TEST_CASE("where the disk is full the older file stays as it was, and no part of the newer one") {
    const TemporaryDirectory directory;
    write_file(directory / "x", "older");
    fs::create_symlink("/dev/full", directory / "x.partial");
    CHECK(contains(refusal(directory / "x"), "No space left on device"));
    CHECK(read_file(directory / "x") == "older");
    CHECK(files_in(directory.path()) == std::vector<std::string>{"x"});
}

TEST_CASE("what is there and is no regular file is written to, not replaced") {
    const TemporaryDirectory directory;
    write_file(directory / "target", "older and longer");
    fs::create_symlink("target", directory / "link");
    replace_file(directory / "link", "newer", "--csv");
    CHECK(fs::is_symlink(directory / "link"));
    CHECK(read_file(directory / "target") == "newer");
    fs::create_symlink("/dev/null", directory / "null");
    replace_file(directory / "null", "text", "--csv");
    CHECK(fs::is_character_file(directory / "null"));
    fs::create_symlink("/dev/full", directory / "full");
    CHECK(contains(refusal(directory / "full"), "No space left on device"));
    CHECK(fs::is_character_file(directory / "full"));
}
