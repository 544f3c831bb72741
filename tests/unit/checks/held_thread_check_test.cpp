#include "host/checks/held_thread_check.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "host/base/processes.h"
#include "tests/catch.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// Two threads, each with half of the terms of every element, whose sums `add` adds to C.
template <class Add>
Multiply in_two_threads(Add add) {
    return [=](const float* A, const float* B, float* C, int M, int N, int K) {
        std::fill_n(C, size_t(M) * K, 0.0f);
        const auto half = [=](int begin, int end) {
            for (int i = 0; i < M; ++i) {
                std::vector<float> sums(K);
                for (int n = begin; n < end; ++n) {
                    for (int k = 0; k < K; ++k) sums[k] += A[size_t(i) * N + n] * B[size_t(n) * K + k];
                }
                add(C + size_t(i) * K, sums);
            }
        };
        std::thread other(half, N / 2, N);
        half(0, N / 2);
        other.join();
    };
}

void add(float* row, const std::vector<float>& sums) {
    for (size_t k = 0; k < sums.size(); ++k) row[k] += sums[k];
}

std::string wrong_of(const Multiply& multiply) {
    std::string wrong;
    CHECK(check_with_held_threads(multiply, wrong));
    return wrong;
}

}  // namespace

TEST_CASE("threads that add to the same elements without a lock are told, and with a lock they are right") {
    CHECK(contains(
        wrong_of(in_two_threads(add)),
        "its threads race: right at 1x3000x400, but not if one of them is held up where it first writes to C again"));
    static std::mutex mutex;
    CHECK(wrong_of(in_two_threads([](float* row, const std::vector<float>& sums) {
              const std::lock_guard lock(mutex);
              add(row, sums);
          })) == "");
}

TEST_CASE("a thread that does not wait long enough for what another one makes ready is told") {
    // It waits for 3 ms of its own work, which is enough for a quarter of the rows, if nobody holds the other one up;
    // and a tenth of what the judge's watch lets threads work that look again and again. In 30 parts, after each of
    // which the other one gets a core on a busy machine too.
    constexpr int kParts = 30;
    constexpr double kSecondsOfPart = 0.0001;
    const auto copies_last_rows = [](bool waits) {
        return [waits](const float* A, const float* B, float* C, int M, int N, int K) {
            const size_t last = size_t(N - N / 4) * K;
            std::vector<float> copy(B, B + last);
            copy.resize(size_t(N) * K);
            std::atomic<bool> has_begun{false}, ready{false};
            std::thread other([&] {
                has_begun = true;
                has_begun.notify_one();
                std::copy_n(B + last, copy.size() - last, copy.data() + last);
                ready = true;
            });
            has_begun.wait(false);  // at rest, however long it takes on a busy machine
            for (int part = 0; !ready && (waits || part < kParts); ++part) {
                const double begin = thread_cpu_seconds();
                while (!ready && thread_cpu_seconds() < begin + kSecondsOfPart) continue;
                std::this_thread::yield();
            }
            multiply(A, copy.data(), C, {M, N, K});
            other.join();
        };
    };
    CHECK(wrong_of(copies_last_rows(true)) == "");
    // On a busy machine the other one may be late with nobody holding it up; what is wrong then is asked no more.
    std::string wrong;
    for (int tries = 0; wrong.empty() && tries < 10; ++tries) wrong = wrong_of(copies_last_rows(false));
    CHECK(contains(wrong, "held up where it first reads A or B"));
}

TEST_CASE("one thread, and one whose plain result is wrong, are not asked further") {
    CHECK(wrong_of([](const float* A, const float* B, float* C, int M, int N, int K) {
              multiply(A, B, C, {M, N, K});
          }) == "");
    CHECK(wrong_of([](const float*, const float*, float* C, int M, int, int K) {
              std::thread([=] { std::fill_n(C, size_t(M) * K, 1.0f); }).join();
          }) == "");
}

TEST_CASE("a call that ends its process, or never returns, is not known to race") {
    for (const Multiply& multiply : {Multiply([](auto...) { std::abort(); }), Multiply([](auto...) {
                                         for (volatile int i = 0;;) {
                                             i = i + 1;
                                         }
                                     })}) {
        std::string wrong;
        CHECK_FALSE(check_with_held_threads(multiply, wrong));
        CHECK(wrong == "");
    }
}
