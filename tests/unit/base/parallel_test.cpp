#include "host/base/parallel.h"

#include <atomic>
#include <chrono>
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
