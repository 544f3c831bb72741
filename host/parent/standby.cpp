#include "parent/standby.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>

#include "parent/probe_gpu.h"
#include "parent/supervisor.h"

namespace judge {

namespace {

using namespace std::chrono_literals;

// A build that takes longer gains nothing by it that anybody would notice, and others wait for the GPU.
constexpr auto kLongestHold = 10s;

// Something has come through stdin, or that has ended.
bool is_told(int milliseconds) {
    pollfd end{STDIN_FILENO, POLLIN, 0};
    return poll(&end, 1, milliseconds) > 0;
}

bool still_waits() {
    return !interrupted() && !is_told(0);
}

std::vector<std::string> words_from_stdin() {
    std::string text;
    char buffer[4096];
    for (ssize_t size; (size = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0;) text.append(buffer, size_t(size));
    std::vector<std::string> words;
    for (size_t begin = 0, end; (end = text.find('\0', begin)) != text.npos; begin = end + 1) {
        words.push_back(text.substr(begin, end - begin));
    }
    return words;
}

std::unique_ptr<GpuLock> lock_gpu() {
    const GpuInfo gpu = probe_gpu(kLongestHold / 1s);
    if (!gpu.problem.empty()) return nullptr;
    auto lock = std::make_unique<GpuLock>(gpu.uuid, still_waits);
    return lock->held() ? std::move(lock) : nullptr;
}

}  // namespace

LateCommand stand_by(Target device) {
    LateCommand late;
    if (device == Target::cuda) late.lock = lock_gpu();
    if (late.lock || !is_on_gpu(device)) start_worker_early(device);
    const auto begin = std::chrono::steady_clock::now();
    while (still_waits()) {
        is_told(100);
        if (!late.lock || std::chrono::steady_clock::now() < begin + kLongestHold) continue;
        reap_last_worker();
        late.lock.reset();
    }
    if (!interrupted()) late.words = words_from_stdin();
    return late;
}

}  // namespace judge
