// Where a plugin is wrong: in the table, in the message, in the file.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;

}  // namespace

TEST_CASE("a wrong C is drawn below the table, and its pattern named where there is one") {
    const test::TemporaryDirectory directory;
    const std::string json = (directory / "rows.json").string(), bad = test::kBuild + "/bad_plugins/";
    const auto result =
        test::run(test::kCompare + " " + bad + "skips_last_row.so " + bad + "drops_last_term.so " + bad +
                  "control_wrong.so " + bad + "control_correct.so --check-only --shape 40x50x64 --json " + json);
    INFO(result.out);
    CHECK(result.exit_code == 2);
    const auto rows = nlohmann::json::parse(test::read_file(json)).at("rows");
    REQUIRE(rows.size() == 4);
    for (const auto& row : rows) {
        const std::string plugin = row.at("plugin"), message = row.at("message");
        INFO(plugin << ": " << message);
        if (plugin == "control_correct") {
            CHECK(row.at("wrong_places").is_null());
            continue;
        }
        const auto& places = row.at("wrong_places");
        CHECK(places.at("rows") == 40);
        CHECK(places.at("columns") == 64);
        REQUIRE(places.at("map").size() == 14);  // of three rows each
        const std::string first = places.at("map").at(0), last = places.at("map").at(13);
        CHECK(first.size() == 32);
        if (plugin == "skips_last_row") {
            CHECK(places.at("where") == "the last row");
            CHECK(contains(message, "; pattern: the last row: "));
            CHECK(first == std::string(32, '.'));
            CHECK(last == std::string(32, '#'));  // the last line stands for one row
        } else if (plugin == "drops_last_term") {
            CHECK(contains(message, "the last of the 50 terms is missing"));
            CHECK(places.at("where") == "every element");
        } else {
            CHECK(places.at("where") == "");
            CHECK(!contains(message, "pattern"));
        }
    }
    CHECK(contains(result.out,
                   "\nC of skips_last_row at 40x50x64 is 40x64, a character here 3x2: the last row\n    |...."));
    CHECK(contains(result.out, "C of control_wrong at 40x50x64 is 40x64, a character here 3x2: no pattern\n"));
    CHECK(!contains(result.out, "C of drops_last_term"));  // all of it is wrong
}

TEST_CASE("in the emulator, too, a race is told by an equal call that leaves other values", "[heavy]") {
    const test::TemporaryDirectory directory;
    // Nothing keeps a thread from loading the next tile while others still read this one.
    std::ofstream(directory / "race.cu") << R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float a[16][16], b[16][16];
    const int x = threadIdx.x, y = threadIdx.y, m = blockIdx.y * 16 + y, k = blockIdx.x * 16 + x;
    float sum = 0;
    for (int n = 0; n < N; n += 16) {
        a[y][x] = m < M && n + x < N ? A[m * N + n + x] : 0;
        b[y][x] = n + y < N && k < K ? B[(n + y) * K + k] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += a[y][i] * b[i][x];
    }
    if (m < M && k < K) C[m * K + k] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
)";
    const auto result = test::run(test::kCompare + " " + (directory / "race.cu").string() +
                                  " --device emulator --check-only --shape 40x77x50");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 2);
    CHECK(contains(result.out, "an equal call left other values in "));
    CHECK(contains(result.out, "a race (a barrier is missing, as __syncthreads(), or "));
}
