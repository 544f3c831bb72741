#include "parent/plugin_folders.h"

#include <sstream>

namespace judge {

namespace fs = std::filesystem;

PluginFolders plugin_folders(const fs::path& program, const std::string& more) {
    PluginFolders found;
    const fs::path beside = program.parent_path() / "plugins";
    const fs::path installed = program.parent_path().parent_path() / "lib" / "sgemm-ladder";
    for (const fs::path& own : {beside, installed}) {
        if (!found.folders.empty() || !fs::is_directory(own)) continue;
        found.folders.push_back(own);
    }
    std::istringstream names(more);
    for (std::string name; std::getline(names, name, ':');) {
        if (name.empty()) continue;
        if (fs::is_directory(name)) {
            found.folders.push_back(name);
        } else {
            found.notes.push_back("SGEMM_LADDER_PATH: no such directory: " + name);
        }
    }
    return found;
}

}  // namespace judge
