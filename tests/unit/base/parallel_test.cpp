#include "host/base/parallel.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/catch.h"

using namespace judge;

TEST_CASE("each of the count is in one part, the first part in the caller's thread, the others in their own") {
    for (const int parts : {1, 2, 3, 8}) {
        for (const int count : {0, 1, 7, 8, 317}) {
            CAPTURE(parts, count);
            std::vector<int> visits(count);
            std::vector<std::thread::id> threads(parts);
            in_parallel(parts, count, [&](int64_t part, int64_t first, int64_t last) {
                threads[part] = std::this_thread::get_id();
                for (int64_t i = first; i < last; ++i) ++visits[i];
            });
            CHECK(visits == std::vector<int>(count, 1));
            CHECK(threads[0] == std::this_thread::get_id());
            for (int part = 1; part < parts; ++part) CHECK(threads[part] != threads[0]);
        }
    }
}

TEST_CASE("what a part throws is thrown, when all of them have ended") {
    std::atomic<int> ended = 0;
    const auto failing = [&](int64_t part, int64_t, int64_t) {
        if (part == 2) throw std::runtime_error("of part 2");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++ended;
    };
    CHECK_THROWS_AS(in_parallel(4, 100, failing), std::runtime_error);
    CHECK(ended == 3);
}

TEST_CASE("where there is no memory for another thread, its part is done in the caller's") {
    rlimit before;
    getrlimit(RLIMIT_AS, &before);
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr rlim_t kLessThanAStack = 4 << 20;
    const rlimit little{rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + kLessThanAStack, before.rlim_max};
    constexpr int kParts = 64;  // more than the stacks of threads before, which glibc keeps
    std::vector<int> visits(kParts);
    std::vector<std::thread::id> threads(kParts);
    setrlimit(RLIMIT_AS, &little);
    const auto work = [&](int64_t part, int64_t, int64_t) {
        threads[part] = std::this_thread::get_id();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++visits[part];
    };
    CHECK_NOTHROW(in_parallel(kParts, kParts, work));
    setrlimit(RLIMIT_AS, &before);
    CHECK(visits == std::vector<int>(kParts, 1));
    CHECK(std::ranges::count(threads, std::this_thread::get_id()) > 1);
}
