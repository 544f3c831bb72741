// What a user can set of the plugins that work with several GPUs, by environment variables, read at each call:
//
//   SOLVE_GPUS           how many GPUs to use, the first ones that CUDA_VISIBLE_DEVICES leaves; all of them if not set
//   SOLVE_DEVICE_MEMORY  how much memory of each GPU to use at most: bytes, or with K, M or G (powers of 1024)
//   SOLVE_TIMEOUT        how many seconds to wait for a GPU that ends nothing: by default 600, and twenty times as long
//                        as the product should take
//   SOLVE_HOST_THREADS   how many threads copy between pageable and pinned memory: by default half the cores, but 16
//                        if there are so many, and 32 at most
//
// A value that is none is an error that names it.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "failure.h"

namespace ladder {

struct Settings {
    int gpus = 1;
    size_t device_memory = 0;  // bytes; 0: what is free
    int host_threads = 1;
    double timeout_s = 0;  // 0: the default
};

// The number that a variable begins with, and in `rest` what follows it. 0 if the variable is not set or empty.
inline uint64_t number_in_environment(const char* variable, const char*& rest) {
    const char* const text = std::getenv(variable);
    rest = "";
    if (!text || !*text) return 0;
    char* end = nullptr;
    errno = 0;
    const uint64_t number = std::strtoull(text, &end, 10);
    const bool is_number = *text >= '0' && *text <= '9' && errno == 0 && number > 0;
    if (!is_number) give_up("%s=%.40s: a number of at least 1 is expected", variable, text);
    rest = end;
    return number;
}

inline int count_in_environment(const char* variable, int otherwise, int most) {
    const char* rest = nullptr;
    const uint64_t number = number_in_environment(variable, rest);
    if (*rest) give_up("%s=%.40s: a number is expected", variable, std::getenv(variable));
    if (number > uint64_t(most)) give_up("%s=%.40s: at most %d", variable, std::getenv(variable), most);
    return number ? static_cast<int>(number) : otherwise;
}

inline size_t bytes_in_environment(const char* variable) {
    const char* rest = nullptr;
    const uint64_t number = number_in_environment(variable, rest);
    if (!*rest) return number;
    const char* const units = "KMG";
    const char* const unit = std::strchr(units, *rest);
    const int shift = unit ? 10 * static_cast<int>(unit - units + 1) : 0;
    if (!unit || rest[1] || number > (UINT64_MAX >> shift)) {
        give_up("%s=%.40s: bytes are expected, or a number with K, M or G", variable, std::getenv(variable));
    }
    return number << shift;
}

inline double seconds_in_environment(const char* variable) {
    const char* const text = std::getenv(variable);
    if (!text || !*text) return 0;
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (*end != '\0' || !(seconds > 0 && seconds < 1e9)) {
        give_up("%s=%.40s: a number of seconds is expected", variable, text);
    }
    return seconds;
}

inline int host_threads() {
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return count_in_environment("SOLVE_HOST_THREADS", std::clamp(cores / 2, std::min(cores, 16), 32), 1024);
}

inline Settings read_settings() {
    int present = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&present); error != cudaSuccess || present == 0) {
        cudaGetLastError();
        give_up("no GPU: %s", error == cudaSuccess ? "none is visible" : cudaGetErrorString(error));
    }
    Settings settings;
    settings.gpus = count_in_environment("SOLVE_GPUS", present, 1 << 20);
    if (settings.gpus > present) give_up("SOLVE_GPUS=%d, but GPUs that are visible: %d", settings.gpus, present);
    settings.device_memory = bytes_in_environment("SOLVE_DEVICE_MEMORY");
    settings.host_threads = host_threads();
    settings.timeout_s = seconds_in_environment("SOLVE_TIMEOUT");
    return settings;
}

}  // namespace ladder
