#include "library/library_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "base/descriptors.h"
#include "library/elf_file.h"
#include "library/library_file.h"

namespace judge {

namespace {

// Nobody may write to it or change its size any more: the worker has the descriptor, and so has the plugin, whose next
// shape is judged from the same copy.
constexpr int kAllSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

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

std::string sha256(std::string_view bytes) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("OpenSSL computes no SHA-256 here");
    }
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
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
    // What the name is for is /proc/PID/maps, in a debugger; the kernel takes up to 249 bytes.
    const std::string name = path.filename().string().substr(0, 200);
    const int fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && write_all(fd, bytes) && fcntl(fd, F_ADD_SEALS, kAllSeals) == 0) {
        descriptor_ = move_up(fd);
        return;
    }
    if (fd >= 0) close(fd);
    note_ = "loaded from its own place: there is no memory for a copy";
}

LibraryCopy::~LibraryCopy() {
    if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace judge
