#include "library/library_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/sha256.h"
#include "library/elf_file.h"

namespace judge {

namespace {

bool write_all(int fd, const std::string& bytes) {
    for (size_t written = 0; written < bytes.size();) {
        const ssize_t count = write(fd, bytes.data() + written, bytes.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        written += static_cast<size_t>(count);
    }
    return true;
}

}  // namespace

std::string read_library(const std::filesystem::path& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return {};
    struct stat status {};
    std::string bytes;
    const bool readable = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (readable && static_cast<uint64_t>(status.st_size) <= kLargestLibrary) {
        bytes.resize(static_cast<size_t>(status.st_size));
        size_t filled = 0;
        while (filled < bytes.size()) {
            const ssize_t count = read(fd, bytes.data() + filled, bytes.size() - filled);
            if (count <= 0) break;
            filled += static_cast<size_t>(count);
        }
        bytes.resize(filled);
    }
    close(fd);
    return bytes;
}

void wait_until_settled(const std::filesystem::path& path) {
    using namespace std::chrono_literals;
    const auto give_up = std::chrono::steady_clock::now() + 3s;
    while (std::chrono::steady_clock::now() < give_up) {
        std::error_code error;
        const auto written = std::filesystem::last_write_time(path, error);
        const auto age = std::filesystem::file_time_type::clock::now() - written;
        if (error || age < 0s || age >= 300ms) return;  // written in the future: another machine's clock
        std::this_thread::sleep_for(20ms);
    }
}

LibraryCopy::LibraryCopy(const std::filesystem::path& path) {
    wait_until_settled(path);
    const std::string bytes = read_library(path);
    const ElfFile elf = parse_elf(bytes);
    if (!elf.problem.empty()) throw std::runtime_error(elf.problem);
    sha256_ = judge::sha256(bytes);
    if (elf.uses_origin) {
        note_ = "loaded from its own place, not from a copy: it looks for other libraries beside it ($ORIGIN)";
        return;
    }
    const int fd = memfd_create(path.filename().c_str(), MFD_CLOEXEC);
    if (fd >= 0 && write_all(fd, bytes)) {
        descriptor_ = fd;
        return;
    }
    if (fd >= 0) close(fd);
    note_ = "loaded from its own place: there is no memory for a copy";
}

LibraryCopy::~LibraryCopy() {
    if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace judge
