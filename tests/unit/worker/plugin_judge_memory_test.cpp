// Rows of matrices that find no memory, and of a judge that does not.
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "host/values/json.h"
#include "tests/unit/worker/work.h"

using namespace judge;
using namespace unit;

TEST_CASE("matrices that do not fit are unsupported at their shape, and the next shape is judged") {
    const TemporaryDirectory directory;
    const auto plugin = compile_library(directory / "x.so", kRightSolve);
    const Outcome outcome = work(judging(plugin, {{2147483647, 2147483647, 1}, {2, 2, 2}}));
    const auto rows = outcome.all<Row>();
    REQUIRE(rows.size() == 2);
    CHECK(to_string(rows[0].status) == "unsupported");
    CHECK(contains(rows[0].message, "could not get 171798691"));
    CHECK(contains(rows[0].message, " are free: take a smaller --shape"));
    CHECK(to_string(rows[1].status) == "ok");
}

namespace {

// Takes the address space of the process, but for 40 MB, or gives it back.
constexpr const char* kTakeMemory = R"(
    #include <sys/mman.h>
    #include <vector>
    static void take_memory(bool taken) {
        static std::vector<void*> pieces;
        const size_t size = 1 << 20;
        for (void* piece : pieces) munmap(piece, size);
        pieces.clear();
        pieces.reserve(10'000);
        while (taken && pieces.size() < pieces.capacity()) {
            void* const piece = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (piece == MAP_FAILED) break;
            pieces.push_back(piece);
        }
        for (int i = 0; i < 40 && !pieces.empty(); ++i, pieces.pop_back()) munmap(pieces.back(), size);
    })";

// While it exists this process and its children may have 8 GB of address space beyond what they have: each core has a
// thread, and an arena of malloc.
class LittleMemory {
  public:
    LittleMemory() {
        getrlimit(RLIMIT_AS, &before_);
        long pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlimit little{rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + 8'000'000'000, before_.rlim_max};
        setrlimit(RLIMIT_AS, &little);
    }
    ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }

  private:
    rlimit before_;
};

constexpr const char* kNoMemory =
    "the judge itself failed, not the plugin: it could not get the memory that it needs: take a smaller --shape, or "
    "end other programs";

}  // namespace

TEST_CASE("memory that the judge cannot get for its reference is its own failure, and the next shape is judged",
          "[heavy]") {
    const TemporaryDirectory directory;
    const std::string source = kRightSolve;
    const auto plugin = compile_library(
        directory / "x.so", kTakeMemory + std::string(source).insert(source.rfind('}'), "take_memory(K > 1000);"));
    const LittleMemory limit;
    for (const int rows_of_a : {1, 2}) {  // the second row is for another thread of the judge
        // The FP64 sums of a row take 128 MB: more than malloc keeps in reserve for a thread (64 MiB).
        const Outcome outcome = work(judging(plugin, {{rows_of_a, 1, 16'000'000}, {2, 2, 2}}));
        CHECK(outcome.done());
        const auto rows = outcome.all<Row>();
        REQUIRE(rows.size() == 2);
        CHECK(to_string(rows[0].status) == "judge-failed");
        CHECK(rows[0].message == kNoMemory);
        CHECK(to_string(rows[1].status) == "ok");
    }
}

TEST_CASE("memory that the judge cannot get before the first shape is one row without a shape") {
    const TemporaryDirectory directory;
    // The judge copies the environment, to see what of it has changed.
    Job job = judging(compile_library(directory / "x.so", kTakeMemory + std::string(kRightSolve) + R"(
        #include <cstdlib>
        #include <string>
        __attribute__((constructor)) static void load() {
            static std::string variable = "LARGE=" + std::string(100'000'000, 'x');
            putenv(variable.data());
            take_memory(true);
        })"),
                      {{1, 1, 1}, {2, 2, 2}});
    const LittleMemory limit;
    const Outcome judged = work(job);
    CHECK(judged.done());
    const Row row = judged.only_row();
    CHECK(to_string(row.status) == "judge-failed");
    CHECK(row.shape == "");
    CHECK(row.message == kNoMemory);
}
