#include "library/library_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace judge {

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

}  // namespace judge
