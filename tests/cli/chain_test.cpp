// compare --op chain.
#include "tests/catch.h"
#include "tests/process.h"

namespace {

const std::string kPlugins = test::kBuild + "/plugins/emulator";

using test::contains;

}  // namespace

TEST_CASE("--op chain judges the plugins that export solve_chain, on four sizes") {
    // Of those that export one and of those that do not. All are judged in `make test-all`, by host/checks/README.md.
    const auto result =
        test::run(test::kCompare + " " + kPlugins + " --filter '^10_' --op chain --shape 30x40x50x20 --check-only");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "30x40x50x20"));
    CHECK(contains(result.out, "10_chain_fused"));
    CHECK_FALSE(contains(result.out, "10_naive"));
}

TEST_CASE("--op gemm leaves chains out, and a chain named for it is unsupported") {
    CHECK(test::run(test::kCompare + " " + kPlugins + " --filter chain --shape 20 --check-only").exit_code == 7);
    const auto named =
        test::run(test::kCompare + " " + test::kBuild + "/plugins/emulator/10_chain_fused.so --shape 20");
    CHECK(named.exit_code == 6);
    CHECK(contains(named.out, "--op chain"));
}

TEST_CASE("four sizes without --op chain are a usage error that says so") {
    const auto result = test::run(test::kCompare + " --shape 1x2x3x4");
    CHECK(result.exit_code == 1);
    CHECK(contains(result.err, "--op chain"));
}

TEST_CASE("a solve_enqueue that breaks a rule fails its row though solve is right") {
    const auto result =
        test::run(test::kCompare + " " + test::kBuild + "/bad_plugins/enqueue_reads_c.so --shape 20 --check-only");
    CHECK(result.exit_code == 2);
    CHECK(contains(result.out, "solve is right, but solve_enqueue"));
    CHECK(contains(result.out, "beta 0"));
}
