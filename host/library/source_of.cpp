#include "library/source_of.h"

#include <fstream>
#include <string>

namespace judge {

std::filesystem::path source_of(const std::filesystem::path& plugin) {
    if (plugin.extension() == ".cu" || plugin.extension() == ".cpp") return plugin;
    std::ifstream file(std::filesystem::path(plugin).replace_extension(".d"));
    std::string target, source;
    // "build/plugins/cuda/x.so: plugins/cuda/x.cu a.h \"
    while (file >> target && !target.ends_with(':')) {
    }
    while (file >> source && source == "\\") {
    }
    return file ? std::filesystem::path(source) : std::filesystem::path();
}

}  // namespace judge
