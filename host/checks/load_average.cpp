#include "checks/load_average.h"

#include <cstdio>
#include <cstdlib>

#include <atomic>

namespace judge {

namespace {

constexpr double kTrue = -1;
std::atomic<double> said{kTrue};

int true_load(double* loads, int count) {
    std::FILE* const file = std::fopen("/proc/loadavg", "re");
    if (file == nullptr) return -1;
    int read = 0;
    while (read < count && std::fscanf(file, "%lf", &loads[read]) == 1) ++read;
    std::fclose(file);
    return read > 0 ? read : -1;
}

}  // namespace

LoadAverage::LoadAverage(double load) {
    said = load;
}

LoadAverage::~LoadAverage() {
    said = kTrue;
}

}  // namespace judge

// In place of the C library's, for the plugins too: a program's own functions come first.
extern "C" __attribute__((visibility("default"))) int getloadavg(double* loads, int count) noexcept {
    const int most = count > 3 ? 3 : count;
    if (judge::said == judge::kTrue) return judge::true_load(loads, most);
    for (int i = 0; i < most; ++i) loads[i] = judge::said;
    return most;
}
