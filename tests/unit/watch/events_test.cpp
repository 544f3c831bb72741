#include "host/watch/events.h"

#include <fstream>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;

TEST_CASE("a file is saved when it was written and closed, or another one renamed to it, and no other file counts") {
    const TemporaryDirectory directory;
    const fs::path mine = directory / "my kernel.cu";
    write_file(mine, "1");
    Events events;
    events.follow({mine});
    const auto saved = [&] {
        events.wait(0);
        return events.take_save();
    };
    CHECK_FALSE(saved());
    write_file(mine, "2");
    CHECK(saved());
    CHECK_FALSE(saved());  // since it was asked last
    write_file(directory / ".my kernel.cu.swp", "2");
    write_file(directory / "my kernel.cu~", "2");
    CHECK_FALSE(saved());
    fs::rename(directory / "my kernel.cu~", mine);
    CHECK(saved());
    fs::remove(mine);
    CHECK_FALSE(saved());
    write_file(mine, "3");
    CHECK(saved());
}

TEST_CASE("files in several folders are followed, also through a link, until others are") {
    const TemporaryDirectory directory;
    fs::create_directory(directory / "a");
    fs::create_directory(directory / "b");
    write_file(directory / "a/mine.cu", "1");
    write_file(directory / "b/real.h", "1");
    fs::create_symlink(directory / "b/real.h", directory / "a/link.h");
    Events events;
    events.follow({directory / "a/mine.cu", directory / "a/link.h"});
    const auto saved = [&] {
        events.wait(0);
        return events.take_save();
    };
    write_file(directory / "b/real.h", "2");
    CHECK(saved());
    events.follow({directory / "a/mine.cu"});
    write_file(directory / "b/real.h", "3");
    CHECK_FALSE(saved());
    write_file(directory / "a/mine.cu", "2");
    CHECK(saved());
    CHECK_THROWS_AS(events.follow({directory / "gone/mine.cu"}), std::runtime_error);
}
