#include "host/report/columns.h"

#include <stdexcept>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

std::string cell(const char* name, const Row& row) {
    const auto columns = columns_for({row}, parse_columns(name));
    REQUIRE(columns.size() == 1);
    return columns[0].cell(row);
}

std::vector<std::string> names(const std::vector<Column>& columns) {
    std::vector<std::string> names;
    for (const Column& column : columns) names.emplace_back(column.name);
    return names;
}

}  // namespace

TEST_CASE("columns are taken by name, alone or beside the usual ones") {
    CHECK(parse_columns("hot,tflops") == ColumnChoice{{"hot", "tflops"}, false});
    CHECK(parse_columns("+grid,+registers") == ColumnChoice{{"grid", "registers"}, true});
    CHECK(names(columns_for({}, parse_columns("tflops,device"))) == std::vector<std::string>{"tflops", "device"});
    const size_t usual = columns_for({}, {}).size();
    CHECK(columns_for({}, parse_columns("+grid")).size() == usual + 1);
    CHECK(columns_for({}, parse_columns("+device")).size() == usual);
    CHECK(columns_for({}, parse_columns("all")).size() > usual + 10);
}

TEST_CASE("a name that is none is refused with those there are, and so is what says nothing") {
    const auto refusal = [](const char* list) {
        return message_thrown_by<std::invalid_argument>([&] { parse_columns(list); });
    };
    CHECK(contains(refusal("speed"), "there is no column 'speed'; there are all, device, class"));
    CHECK(contains(refusal("hot,+grid"), "either all names have a +"));
    CHECK(contains(refusal(""), "no column is named"));
}

TEST_CASE("every column that may be asked for is described") {
    const std::string help = describe_columns();
    for (const Column& column : columns_for({}, parse_columns("all"))) {
        CAPTURE(column.name);
        CHECK(contains(help, std::string("\n  ") + column.name + " "));
        CHECK(contains(help, column.legend));
    }
}

TEST_CASE("what a call launched: the kernel with the most threads, and how many others") {
    Row row;
    CHECK(cell("grid", row).empty());
    KernelLaunch add, gemm;
    add.grid = {8, 1, 1};
    add.block = {32, 1, 1};
    gemm.grid = {16, 16, 1};
    gemm.block = {256, 1, 1};
    gemm.shared_bytes = 16896;
    gemm.registers = 96;
    gemm.local_bytes = 8;
    row.kernels = {add, gemm};
    CHECK(cell("grid", row) == "16x16 / 256 +1");
    CHECK(cell("registers", row) == "96");
    CHECK(cell("shared", row) == "16.5 KiB");
    CHECK(cell("local", row) == "8 B");
    row.kernels->pop_back();
    CHECK(cell("grid", row) == "8 / 32");
    CHECK(cell("registers", row).empty());
    CHECK(sizes_of({1, 2, 3}) == "1x2x3");
}

TEST_CASE("the mean of a call is told with its runs and loops, and times stand in a unit that fits") {
    Row row;
    CHECK(cell("mean", row).empty());
    row.time_ms = {2, 3, 2};
    row.cold_ms = {4, 5};
    row.loops = 7;
    row.mean_ms = 2.345;
    row.deviation_ms = 0.0471;
    row.cpu_ms = 4.5;
    row.host_us = 3.25;
    row.first_ms = 1234.0;
    CHECK(cell("mean", row) == "2.35 ms ± 47.1 us of 3 runs, 7 loops");
    CHECK(cell("samples", row) == "3 + 2");
    CHECK(cell("batches", row) == "▁█▁");
    CHECK(cell("cpu", row) == "4.50 ms");
    CHECK(cell("host", row) == "3.25 us");
    CHECK(cell("first", row) == "1.23 s");
}

TEST_CASE("the heading of the ratio names the baseline") {
    Row row;
    const Column ratio = columns_for({}, parse_columns("ratio")).at(0);
    CHECK(heading_of(ratio, {row}) == "x baseline");
    row.ratio = 1;
    row.baseline = "00_cublas_fp32";
    CHECK(heading_of(ratio, {row}) == "x 00_cublas_fp32 [95 %]");
}

TEST_CASE(
    "of host memory on GPUs: the part of PCIe's rate, and how many times as fast as one GPU, where there is any") {
    Row row;
    CHECK(cell("pcie", row).empty());
    CHECK(cell("scaling", row).empty());
    const size_t usual = columns_for({row}, {}).size();
    row.median_ms = 40;
    row.pcie_ms = 30;
    CHECK(cell("pcie", row) == "75.0");
    CHECK(columns_for({row}, {}).size() == usual + 1);
    row.one_gpu_ms = 76;
    CHECK(cell("scaling", row) == "1.90");
    CHECK(columns_for({row}, {}).size() == usual + 2);
}

TEST_CASE("times from host to host are shown where there are any, for both kinds of memory") {
    Row row;
    const size_t usual = columns_for({row}, {}).size();
    for (const char* name : {"h2h", "h2h-gpu", "h2h-kernel", "h2h-cpu"}) CHECK(cell(name, row).empty());
    row.device = Target::cuda;
    row.pageable = {41.25, 40, 2, 7};
    CHECK(cell("h2h", row) == "41.2 ms");
    row.pinned = {30.5, 30, 2.5, 0.5};
    CHECK(cell("h2h", row) == "41.2 ms / 30.5 ms");
    CHECK(cell("h2h-gpu", row) == "40.0 ms / 30.0 ms");
    CHECK(cell("h2h-kernel", row) == "2.00 ms / 2.50 ms");
    CHECK(cell("h2h-cpu", row) == "7.00 ms / 500 us");
    CHECK(columns_for({row}, {}).size() == usual + 4);
    row.device = Target::emulator;
    row.pinned = {};
    CHECK(cell("h2h", row) == "41.2 ms emulated");
    CHECK(cell("h2h-cpu", row) == "7.00 ms emulated");
}

TEST_CASE("counters are shown where any were read, and what is not known is empty") {
    Row row;
    const size_t usual = columns_for({row}, {}).size();
    row.counters.bank_conflicts = 1024;
    CHECK(columns_for({row}, {}).size() == usual + 6);
    CHECK(cell("conflicts", row) == "1024");
    row.counters = {66.54, 12, 80.25, 50, 1024, 4096, 201326592, 4e15};
    CHECK(cell("memory", row) == "66.5");
    CHECK(cell("dram", row) == "12.0");
    CHECK(cell("issue", row) == "80.2");
    CHECK(cell("occupancy", row) == "50.0");
    CHECK(cell("conflicts", row) == "1024 (25.0 %)");
    CHECK(cell("traffic", row) == "201 MB / 4e+03 TB");
    row.counters.dram_bytes.reset();
    row.counters.l2_bytes = 999;
    CHECK(cell("traffic", row) == "999 B");
    CHECK(cell("memory", Row{}).empty());
    CHECK(cell("traffic", Row{}).empty());
}
