// Where plugins are looked for if none is named.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace judge {

struct PluginFolders {
    std::vector<std::filesystem::path> folders;  // all of them exist
    std::vector<std::string> notes;              // what was named and is not there, one line each
};

// Those that come with the program, which were built beside it (plugins/) or installed with it (../lib/sgemm-ladder),
// and the folders that `more` lists, as SGEMM_LADDER_PATH does, with a colon between two.
PluginFolders plugin_folders(const std::filesystem::path& program, const std::string& more);

}  // namespace judge
