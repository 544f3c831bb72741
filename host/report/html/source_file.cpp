#include "report/html/source_file.h"

#include <algorithm>
#include <fstream>

#include "library/library_copy.h"
#include "library/library_file.h"
#include "library/source_of.h"

namespace judge::html {

namespace {

namespace fs = std::filesystem;

std::string first_bytes(const fs::path& file, size_t most) {
    std::string bytes(most, '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(bytes.data(), std::streamsize(most));
    bytes.resize(size_t(std::max<std::streamsize>(stream.gcount(), 0)));
    return bytes;
}

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

// What the compiler's list names, relative to where make ran, which is the folder that the build directory is in, or
// one further up.
fs::path named_by_compiler(const fs::path& library) {
    const fs::path source = source_of(library);
    if (source.empty() || source.is_absolute()) return is_file(source) ? source : fs::path();
    for (fs::path folder = library.parent_path(); !folder.empty(); folder = folder.parent_path()) {
        if (is_file(folder / source)) return folder / source;
        if (folder == folder.root_path()) break;
    }
    return is_file(source) ? source : fs::path();
}

fs::path beside(const fs::path& library) {
    for (const char* extension : {".cu", ".cpp"}) {
        fs::path source = fs::path(library).replace_extension(extension);
        if (is_file(source)) return source;
    }
    return {};
}

}  // namespace

SourceFile find_source(const fs::path& library, const std::string& sha256) {
    SourceFile found;
    const bool is_source = library.extension() == ".cu" || library.extension() == ".cpp";
    found.file = is_source && is_file(library) ? library : named_by_compiler(library);
    if (found.file.empty()) found.file = beside(library);
    if (found.file.empty()) {
        found.note =
            "its source is not found: neither the compiler's list beside the library names it, nor does it lie there";
        return found;
    }
    found.text = read_source(found.file);
    if (found.text.size() == SourceFile::kLargest) found.note = "only its first 64 KiB are shown";
    if (is_source) return found;
    std::error_code error;
    const auto built = fs::last_write_time(library, error);
    if (error) {
        found.note = "the library is gone: this is the source as it is now";
    } else if (!sha256.empty() && judge::sha256(read_library(library)) != sha256) {
        found.note = "the library was built anew after this run: the source may have been another";
    } else if (fs::last_write_time(found.file, error) > built) {
        found.note = "the source was changed after the library was built";
    }
    return found;
}

std::string read_source(const fs::path& file) {
    return first_bytes(file, SourceFile::kLargest);
}

const SourceFile& SourceFiles::of(const Row& row) {
    const auto [at, is_new] = found_.try_emplace(row.path);
    if (is_new) at->second = find_source(row.path, row.sha256);
    return at->second;
}

}  // namespace judge::html
