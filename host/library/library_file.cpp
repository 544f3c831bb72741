#include "library/library_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace judge {

namespace {

// A descriptor of a regular file that is not too large, and its size; or -1.
int open_library(const std::filesystem::path& path, uint64_t& size) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return fd;
    struct stat status {};
    const bool readable = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (readable && static_cast<uint64_t>(status.st_size) <= kLargestLibrary) {
        size = static_cast<uint64_t>(status.st_size);
        return fd;
    }
    close(fd);
    return -1;
}

}  // namespace

std::string read_library(const std::filesystem::path& path) {
    uint64_t size = 0;
    const int fd = open_library(path, size);
    if (fd < 0) return {};
    std::string bytes(size, 0);
    size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t count = read(fd, bytes.data() + filled, bytes.size() - filled);
        if (count <= 0) break;
        filled += static_cast<size_t>(count);
    }
    bytes.resize(filled);
    close(fd);
    return bytes;
}

LibraryParts::LibraryParts(const std::filesystem::path& path) : descriptor_(open_library(path, size_)) {
    char first = 0;
    if (descriptor_ < 0 || pread(descriptor_, &first, 1, 0) != 1) size_ = 0;
    bytes_.reset(new char[size_]);  // whose pages are made where they are touched
    is_there_.resize(size_ / kBlock + 1);
}

LibraryParts::~LibraryParts() {
    if (descriptor_ >= 0) close(descriptor_);
}

const char* LibraryParts::read(uint64_t offset, uint64_t size) {
    const uint64_t end = std::min(size_, offset + std::min(size, size_));
    for (uint64_t block = offset / kBlock; block * kBlock < end; ++block) {
        if (!is_there_[block]) read_block(block);
    }
    return bytes_.get();
}

// What the file has lost meanwhile is zeros.
void LibraryParts::read_block(uint64_t block) {
    const uint64_t begin = block * kBlock, end = std::min(size_, begin + kBlock);
    uint64_t filled = begin;
    while (filled < end) {
        const ssize_t count = pread(descriptor_, bytes_.get() + filled, end - filled, static_cast<off_t>(filled));
        if (count <= 0) break;
        filled += static_cast<uint64_t>(count);
    }
    std::fill(bytes_.get() + filled, bytes_.get() + end, 0);
    is_there_[block] = true;
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

}  // namespace judge
