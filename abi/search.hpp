// search.hpp - where a library of ours looks for the plugins, the same for all of them.
#ifndef SGEMM_LADDER_SEARCH_HPP
#define SGEMM_LADDER_SEARCH_HPP

#include <dlfcn.h>
#include <sys/stat.h>

#include <sstream>
#include <string>
#include <vector>

namespace sgemm_ladder {

// The folder of the library or program that `place` belongs to, PREFIX/lib or build/lib.
inline std::string folder_of(const void* place) {
    Dl_info info{};
    if (!dladdr(place, &info) || !info.dli_fname) return ".";
    const std::string path = info.dli_fname;
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Where the plugins of a device ("cuda", "cpu" or "emulator") may lie, the first choice first: the folders of `more`,
// which has colons between them as SGEMM_LADDER_PATH has, and their subfolders of that name; then what make install
// puts beside a library in `own`; then what make builds.
inline std::vector<std::string> folders_of(const std::string& device, const std::string& more, const std::string& own) {
    std::vector<std::string> found;
    std::istringstream names(more);
    for (std::string name; std::getline(names, name, ':');) {
        if (!name.empty()) found.insert(found.end(), {name, name + "/" + device});
    }
    found.insert(found.end(), {own + "/sgemm-ladder/" + device, own + "/../plugins/" + device});
    return found;
}

// The first of the folders' files of this name, or nothing.
inline std::string find_file(const std::vector<std::string>& folders, const std::string& name) {
    for (const std::string& folder : folders) {
        struct stat found {};
        const std::string path = folder + "/" + name;
        if (stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode)) return path;
    }
    return {};
}

// "a, b, c".
inline std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace sgemm_ladder

#endif  // SGEMM_LADDER_SEARCH_HPP
