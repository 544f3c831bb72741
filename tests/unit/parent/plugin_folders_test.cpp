#include "host/parent/plugin_folders.h"

#include "tests/catch.h"
#include "tests/unit/files.h"

using namespace judge;
using namespace unit;

using Folders = std::vector<fs::path>;

TEST_CASE("without a path the plugins are those beside the program, else those installed with it, and the user's") {
    const TemporaryDirectory directory;
    const fs::path program = directory / "bin" / "compare", mine = directory / "mine", no = directory / "no";
    fs::create_directories(mine);
    CHECK(plugin_folders(program, "").folders.empty());
    const fs::path installed = directory / "lib" / "sgemm-ladder", beside = directory / "bin" / "plugins";
    fs::create_directories(installed);
    CHECK(plugin_folders(program, "").folders == Folders{installed});
    const PluginFolders found = plugin_folders(program, mine.string() + "::" + no.string());
    CHECK(found.folders == Folders{installed, mine});
    CHECK(found.notes == std::vector<std::string>{"SGEMM_LADDER_PATH: no such directory: " + no.string()});
    fs::create_directories(beside);
    CHECK(plugin_folders(program, "").folders == Folders{beside});
}
