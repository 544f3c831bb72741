#include "host/device/page_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "tests/catch.h"

using namespace judge;

namespace {

struct Pages {
    static constexpr size_t kBytes = 1 << 16;
    char* begin = static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ~Pages() { munmap(begin, kBytes); }

    volatile char& operator[](size_t i) const { return begin[i]; }
};

bool has_handler() {
    struct sigaction action {};
    sigaction(SIGSEGV, nullptr, &action);
    return (action.sa_flags & SA_SIGINFO) || action.sa_handler != SIG_DFL;
}

}  // namespace

TEST_CASE("an access to closed pages is noted by its first address, and goes on") {
    const Pages pages;
    const bool had_handler = has_handler();
    guard_pages(pages.begin, Pages::kBytes, false);
    CHECK(has_handler());
    pages[5000] = 7;
    pages[6000] = 8;
    const auto found = unguard_pages(pages.begin);
    REQUIRE(found);
    CHECK(found->address == pages.begin + 5000);
#if defined(__x86_64__)
    CHECK(found->wrote);
#endif
    CHECK(pages[5000] == 7);
    CHECK(has_handler() == had_handler);
    CHECK(!unguard_pages(pages.begin));
}

TEST_CASE("pages that may be read tell who writes, in any thread") {
    const Pages pages;
    guard_pages(pages.begin, Pages::kBytes, true);
    CHECK(pages[100] == 0);
    std::thread([&] { pages[200] = 1; }).join();
    const auto found = unguard_pages(pages.begin);
    REQUIRE(found);
    CHECK(found->address == pages.begin + 200);
    CHECK(found->wrote);
    guard_pages(pages.begin, Pages::kBytes, true);
    CHECK(pages[200] == 1);
    CHECK(!unguard_pages(pages.begin));
}

TEST_CASE("pages stay closed while nobody touches them, and close again after a touch") {
    const Pages pages;
    const int64_t before = closed_bytes();
    CHECK(guard_pages(pages.begin, Pages::kBytes, false));
    CHECK(guard_pages(pages.begin, Pages::kBytes, false));
    CHECK(closed_bytes() == before + int64_t{Pages::kBytes});
    CHECK(!trespass_on_pages(pages.begin));
    pages[5000] = 7;
    REQUIRE(trespass_on_pages(pages.begin));
    CHECK(trespass_on_pages(pages.begin)->address == pages.begin + 5000);
    CHECK(closed_bytes() == before);
    CHECK(guard_pages(pages.begin, Pages::kBytes, false));
    CHECK(!trespass_on_pages(pages.begin));
    pages[6000] = 8;
    const auto found = unguard_pages(pages.begin);
    REQUIRE(found);
    CHECK(found->address == pages.begin + 6000);
    CHECK(closed_bytes() == before);
}

TEST_CASE("a handler that a call has put in the place of the guard's does not keep the next call's from it") {
    const Pages pages;
    struct sigaction before {};
    sigaction(SIGSEGV, nullptr, &before);
    guard_pages(pages.begin, Pages::kBytes, false);
    signal(SIGSEGV, SIG_DFL);
    guard_pages(pages.begin, Pages::kBytes, false);
    pages[5000] = 7;
    CHECK(unguard_pages(pages.begin));
    sigaction(SIGSEGV, &before, nullptr);
}

TEST_CASE("more than can be guarded is not") {
    const Pages pages;
    constexpr size_t kPage = 4096;
    std::vector<Pages> many(140);
    for (const Pages& each : many) guard_pages(each.begin, kPage, false);
    guard_pages(pages.begin, kPage, false);
    pages[0] = 1;
    CHECK(!unguard_pages(pages.begin));
    many[0][0] = 1;
    CHECK(unguard_pages(many[0].begin));
    for (const Pages& each : many) unguard_pages(each.begin);
}

TEST_CASE("any other fault ends the process as ever") {
    const Pages pages;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);  // the test program has a handler of its own
        guard_pages(pages.begin, Pages::kBytes, false);
        *reinterpret_cast<volatile int*>(8) = 1;
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
}
