#include "worker/one_gpu.h"

#include <chrono>
#include <vector>

#include "base/scoped_variable.h"
#include "base/statistics.h"

namespace judge {

OneGpu time_on_one_gpu(Problem& problem, const Call& call, const std::function<uint64_t()>& next_seed) {
    using Clock = std::chrono::steady_clock;
    const ScopedVariable one("SOLVE_GPUS", "1");
    std::vector<double> ms;
    for (int i = 0; i < 4; ++i) {  // the first one sets the GPU up
        problem.refresh(next_seed());
        const auto start = Clock::now();
        call();
        if (i > 0) ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    return {median(ms), problem.check_again()};
}

}  // namespace judge
