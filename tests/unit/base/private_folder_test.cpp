#include "host/base/private_folder.h"

#include <cstdlib>
#include <fstream>

#include "tests/catch.h"

namespace fs = std::filesystem;

TEST_CASE("a private folder is the user's own, and gone at the end with what is in it") {
    fs::path path;
    {
        const judge::PrivateFolder folder;
        path = folder.path();
        CHECK((fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
        fs::create_directories(path / "a/b");
        std::ofstream(path / "a/b/file") << "x";
    }
    CHECK_FALSE(fs::exists(path));
}

TEST_CASE("make can read a private folder's path, whatever TMPDIR says") {
    const char* const before = std::getenv("TMPDIR");
    const std::string kept = before ? before : "";
    const judge::PrivateFolder parent;
    const fs::path odd = parent.path() / "two words $x";
    fs::create_directory(odd);
    setenv("TMPDIR", odd.c_str(), 1);
    const judge::PrivateFolder folder;
    CHECK(folder.path().string().find_first_of(" $") == std::string::npos);
    before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}
