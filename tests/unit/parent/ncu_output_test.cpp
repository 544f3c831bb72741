#include "host/parent/ncu_output.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

struct Counter {
    const char *name, *unit, *first, *second;  // what two kernels have of it
};

// As `ncu --csv --page raw --print-units base` prints them: its own lines, the names, the units, a line a kernel.
std::string output() {
    constexpr Counter kCounters[] = {
        {"ID", "", "0", "1"},
        {"Kernel Name", "", R"(void gemm<(int)128, (int)8>(const float *, ""x""))", "add"},
        {"Block Size", "", "(256, 1, 1)", "(256, 1, 1)"},
        {"dram__bytes.sum", "byte", "201,326,592", "8"},
        {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "66.5", "26.5"},
        {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", "12.25", "52.25"},
        {"gpu__time_duration.sum", "ns", "3,000", "1,000"},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "", "1,024", "0"},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "", "16", "0"},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", "1,234,567", "0"},
        {"lts__t_bytes.sum", "byte", "4,000,000", "16"},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", "50", "10"},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%", "80.5", "n/a"},
    };
    std::string text = "==PROF== Connected to process 4711 (/somewhere/compare)\n==PROF== Disconnected\n";
    for (const auto part : {&Counter::name, &Counter::unit, &Counter::first, &Counter::second}) {
        std::string line;
        for (const Counter& counter : kCounters)
            line += (line.empty() ? "\"" : ",\"") + std::string(counter.*part) + '"';
        text += line + "\n";
    }
    return text;
}

const std::string kOutput = output();

std::string replaced(std::string text, const std::string& part, const std::string& by) {
    REQUIRE(contains(text, part));
    return text.replace(text.find(part), part.size(), by);
}

}  // namespace

TEST_CASE("counts of a call's kernels are added, and percentages are means over their time") {
    const Counters found = counters_of(kOutput).value();
    CHECK(found.memory_percent == Approx((3 * 66.5 + 26.5) / 4));
    CHECK(found.dram_percent == Approx((3 * 12.25 + 52.25) / 4));
    CHECK(found.occupancy_percent == Approx(40));
    CHECK(found.issue_percent == Approx(80.5));  // of the kernel that has it
    CHECK(found.bank_conflicts == 1040.0);
    CHECK(found.wavefronts == 1234567.0);
    CHECK(found.dram_bytes == 201326600.0);
    CHECK(found.l2_bytes == 4000016.0);
}

TEST_CASE("units are read, and a figure in one that is not known is none") {
    const std::string row = R"("byte","%","%","ns")";
    CHECK(counters_of(replaced(kOutput, row, R"("Mbyte","%","%","ns")")).value().dram_bytes == Approx(201326600e6));
    CHECK(!counters_of(replaced(kOutput, row, R"("sector","%","%","ns")")).value().dram_bytes);
    CHECK(!counters_of(replaced(kOutput, row, R"("byte","ratio","%","ns")")).value().memory_percent);
    // Times of one unit or another weigh alike; of none that is known, the kernels count the same.
    CHECK(counters_of(replaced(kOutput, row, R"("byte","%","%","usecond")")).value().memory_percent == Approx(56.5));
    CHECK(counters_of(replaced(kOutput, row, R"("byte","%","%","cycle")")).value().memory_percent == Approx(46.5));
}

TEST_CASE("counters that this GPU lacks, and metrics that nobody asked for, cost nothing") {
    std::string fewer = replaced(kOutput, "dram__bytes.sum", "some__metric.sum");
    fewer = replaced(fewer, R"("66.5")", R"("(!) nan")");
    fewer = replaced(fewer, R"("26.5")", R"("")");
    const Counters found = counters_of(fewer).value();
    CHECK(!found.dram_bytes);
    CHECK(!found.memory_percent);
    CHECK(found.occupancy_percent == Approx(40));
}

TEST_CASE("no table, a table without kernels, or one of strangers, has no counters") {
    CHECK(!counters_of(""));
    CHECK(!counters_of("==ERROR== something\n"));
    CHECK(!counters_of("\"ID\",\"x\"\n\"0\",\"1\"\n"));
    const size_t kernels = kOutput.find("\"0\",\"void");
    CHECK(!counters_of(kOutput.substr(0, kernels)));
    CHECK(contains(refusal_of(kOutput.substr(0, kernels)).why, "no kernel"));
    // One that was cut off in the midst of a line has the kernels before it.
    const Counters cut = counters_of(kOutput.substr(0, kOutput.size() - 40)).value();
    CHECK(cut.memory_percent == 66.5);
}

TEST_CASE("every counter is asked for by a metric of its own") {
    std::vector<std::string> names = counter_metrics();
    for (const std::string& name : names) CHECK(contains(kOutput, "\"" + name + "\""));
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("a driver that lets nobody read counters is told with what to do, for all plugins at once") {
    const CountersRefused refused = refusal_of(
        "==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
        "NVIDIA GPU Performance Counters on the target device 0.\n==WARNING== No kernels were profiled.\n");
    CHECK(refused.always);
    CHECK(contains(refused.why, "NVreg_RestrictProfilingToAdminUsers=0"));
    CHECK(contains(refused.why, "/etc/modprobe.d"));
}

TEST_CASE("what else ncu says is told as it is, and is no more than one plugin's") {
    const CountersRefused refused =
        refusal_of("==PROF== Connected\n==ERROR== The target \x1b[31mcrashed.\nmore of it\n");
    CHECK(!refused.always);
    CHECK(refused.why == "ncu gave no counters: The target crashed.");
    CHECK(refusal_of("\n \nIllegal instruction\n\n").why == "ncu gave no counters: Illegal instruction");
    CHECK(refusal_of("").why == "ncu gave no counters and said nothing");
}
