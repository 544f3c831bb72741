// The class of precision that each plugin gets, end to end, and what --require and --data make of it.
#include <nlohmann/json.hpp>

#include <map>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;

const std::string kBad = kBuild + "/bad_plugins";

struct Run {
    int exit_code;
    std::string out;
    std::map<std::string, nlohmann::json> rows;  // by plugin; of the last shape
};

Run run(const std::string& arguments) {
    const test::TemporaryDirectory directory;
    const auto file = directory / "rows.json";
    const auto result = test::run(kCompare + " " + arguments + " --json " + file.string());
    INFO(arguments << "\n" << result.err);
    REQUIRE(std::filesystem::exists(file));
    Run run{result.exit_code, result.out, {}};
    const auto document = nlohmann::json::parse(test::read_file(file));
    for (const auto& row : document.at("rows")) run.rows[row.at("plugin")] = row;
    return run;
}

std::string judged(const nlohmann::json& row) {
    return row.at("class").get<std::string>() + ", " + row.at("status").get<std::string>();
}

}  // namespace

// That each of tests/bad_plugins gets its class is checked in bad_plugins_test.cpp.
TEST_CASE("a row says what its class rests on", "[heavy]") {
    const std::map<std::string, std::string> expected = {
        {"control_correct", "FP32, ok"},
        {"not_deterministic", "FP32, ok"},
        {"flushes_subnormals", "FP32, ok"},
        {"rounds_to_tf32", "TF32-grade, ok"},
        {"claims_fp32_rounds_to_tf32", "TF32-grade, wrong"},
        {"rounds_to_bf16", "BF16-grade, ok"},
        {"short_accumulator", "wrong, wrong"},
        {"drops_a_tail", "FP32, limited"},
        {"rarely_wrong", "wrong, wrong"},
    };
    std::string filter;
    for (const auto& [plugin, verdict] : expected) filter += (filter.empty() ? "^(" : "|") + plugin;
    // N = 64 is a multiple of every step: only other shapes show what drops_a_tail does.
    const auto rows = run(kBad + " --filter '" + filter + ")$' --check-only --shape 96x64x80").rows;
    CHECK(rows.size() == expected.size());
    for (const auto& [plugin, verdict] : expected) {
        INFO(plugin << ": " << rows.at(plugin).dump(2));
        CHECK(judged(rows.at(plugin)) == verdict);
    }
    CHECK(rows.at("control_correct").at("deterministic") == true);
    CHECK(rows.at("not_deterministic").at("deterministic") == false);
    CHECK(rows.at("rarely_wrong").at("deterministic") == false);
    CHECK(contains(rows.at("rarely_wrong").at("message"), "not all: "));
    CHECK(contains(rows.at("claims_fp32_rounds_to_tf32").at("message"), "claims FP32, measures TF32-grade"));
    CHECK(contains(rows.at("short_accumulator").at("message"), "accumulator is shorter than 24 bits"));
    CHECK(rows.at("flushes_subnormals").at("evidence").at("flushes_subnormals") == true);
    CHECK(rows.at("rounds_to_bf16").at("evidence").at("input_bits") == 8);
    CHECK(rows.at("rounds_to_tf32").at("evidence").at("rounding") == "TF32, nearest");
}

TEST_CASE("--require turns lower classes into wrong rows that say what to do", "[heavy]") {
    const std::string three =
        kBad + " --filter '^(control_correct|three_tf32_products|rounds_to_tf32)$' --check-only --shape 40";
    const auto statuses = [](const Run& all) {
        std::string text;
        for (const auto& [plugin, row] : all.rows) text += row.at("status").get<std::string>() + " ";
        return text + std::to_string(all.exit_code);
    };
    const Run fp32 = run(three + " --require fp32");
    CHECK(statuses(fp32) == "ok wrong wrong 2");
    CHECK(statuses(run(three + " --require fp32-emulated")) == "ok wrong ok 2");
    CHECK(statuses(run(three + " --require tf32")) == "ok ok ok 0");
    const std::string message = fp32.rows.at("rounds_to_tf32").at("message");
    CHECK(contains(message, "--require fp32, and it measures TF32-grade"));
    CHECK(contains(message, "--require tf32"));
    const auto usage = test::run(kCompare + " " + kBad + " --require fp8");
    CHECK(usage.exit_code == 1);
    CHECK(contains(usage.err, "--require"));
}

TEST_CASE("TF32 that is not seen on the data of a shape is seen all the same", "[heavy]") {
    for (const std::string data : {"integers", "positive"}) {
        const Run all =
            run(kBad + " --filter '^(control_correct|rounds_to_tf32|claims_fp32_rounds_to_tf32)$' --check-only" +
                " --shape 24x4096x20 --data " + data);
        INFO(data);
        CHECK(judged(all.rows.at("control_correct")) == "FP32, ok");
        CHECK(judged(all.rows.at("rounds_to_tf32")) == "TF32-grade, ok");
        CHECK(judged(all.rows.at("claims_fp32_rounds_to_tf32")) == "TF32-grade, wrong");
        if (data == "integers") {
            CHECK(all.rows.at("rounds_to_tf32").at("max_error") == 0);
            CHECK(all.rows.at("claims_fp32_rounds_to_tf32").at("wrong_elements") == 0);
        }
    }
}

TEST_CASE("the old criterion is shown, and decides nothing", "[heavy]") {
    const Run all = run(kBad + " --filter '^(control_correct|rounds_to_tf32)$' --check-only --shape 64x256x64");
    CHECK(all.rows.at("control_correct").at("allclose") == true);
    CHECK(all.rows.at("rounds_to_tf32").at("allclose") == false);
    CHECK(all.rows.at("rounds_to_tf32").at("status") == "ok");
    CHECK(all.rows.at("rounds_to_tf32").at("normwise").get<double>() == Approx(2.6e-4).epsilon(0.1));
}

TEST_CASE("the CPU rungs are FP32, and Strassen only normwise where it divides", "[heavy]") {
    const std::string cpu = kBuild + "/plugins/cpu";
    const Run all = run(cpu + " --check-only --shape 130x257x190");
    CHECK(all.rows.size() >= 4);
    for (const auto& [plugin, row] : all.rows) {
        INFO(plugin);
        CHECK(judged(row) == "FP32, ok");
        CHECK(row.at("deterministic") == true);
    }
    const Run divided = run(cpu + "/30_strassen.so --check-only --shape 2048");
    INFO(divided.rows.at("30_strassen").at("message"));
    CHECK(judged(divided.rows.at("30_strassen")) == "normwise-only, ok");
}

TEST_CASE("the error ratio is one for the baseline itself", "[heavy]") {
    const Run all = run(kBuild + "/plugins/cpu --filter '00_serial|90_openblas' --shape 96 --quick");
    if (all.rows.count("90_openblas") == 0) return;  // no CBLAS here
    CHECK(all.rows.at("90_openblas").at("error_ratio").get<double>() == Approx(1));
    CHECK(all.rows.at("00_serial").at("error_ratio").get<double>() > 0.5);
    CHECK(all.rows.at("00_serial").at("error_ratio").get<double>() < 4);
    CHECK(contains(all.out, "x base"));
}

TEST_CASE("emulated rungs are measured, and those for tensor cores are TF32-grade", "[heavy]") {
    const Run all = run(kBuild + "/plugins/emulator --filter '^(10_naive|68_|70_|74_)' --check-only --shape 20x30x40");
    CHECK(all.rows.size() == 4);
    for (const auto& [plugin, row] : all.rows) {
        INFO(plugin);
        const bool tensor = plugin.starts_with("7");
        CHECK(judged(row) == (tensor ? "TF32-grade, ok" : "FP32, ok"));
        CHECK(row.at("message") == "");
        CHECK(row.at("deterministic") == true);
        CHECK(row.at("pageable_ms").is_null());  // nor a time that nobody asked for
    }
    // Those of the best class come first.
    CHECK(all.out.find("68_split_n") < all.out.find("70_wmma_tf32"));
}
