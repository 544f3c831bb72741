#include "report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "report/measured_columns.h"
#include "report/sparkline.h"
#include "values/json.h"

namespace judge {

namespace {

using Rows = std::vector<Row>;

bool always(const Rows&) {
    return true;
}

bool never(const Rows&) {
    return false;
}

bool has_error_ratio(const Rows& rows) {
    return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.error_ratio.has_value(); });
}

bool has_no_error_ratio(const Rows& rows) {
    return !has_error_ratio(rows);
}

bool has_refused(const Rows& rows) {
    return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.allclose == false; });
}

// Three significant digits, and whole numbers from 100 on.
std::string three_digits(double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

std::string duration_of(const std::optional<double>& ms) {
    return ms ? duration(*ms) : "";
}

// "{:.1e}" of a value that may be absent.
std::string number(const char* format, const std::optional<double>& value) {
    return value ? fmt::format(fmt::runtime(format), *value) : "";
}

std::string counted_in(uint64_t count) {
    return count > 0 ? std::to_string(count) : "";
}

std::string ratio_text(const Row& row) {
    if (!row.ratio) return "";
    std::string text = fmt::format("{:>6.3f}", *row.ratio);
    if (!row.ratio_interval) return text;
    text += fmt::format(" [{:.3f}, {:.3f}]", row.ratio_interval->low, row.ratio_interval->high);
    return is_about_equal(row) ? text + " ≈" : text;
}

std::string mean_text(const Row& row) {
    if (!row.mean_ms || !row.deviation_ms) return "";
    return fmt::format("{} ± {} of {} runs, {} loops", duration(*row.mean_ms), duration(*row.deviation_ms),
                       row.time_ms.size(), row.loops);
}

std::string grid_text(const Row& row) {
    const KernelLaunch* const kernel = main_kernel(row);
    if (kernel == nullptr) return "";
    const std::string others = row.kernels->size() > 1 ? fmt::format(" +{}", row.kernels->size() - 1) : "";
    return fmt::format("{} / {}{}", sizes_of(kernel->grid), sizes_of(kernel->block), others);
}

std::string registers_text(const Row& row) {
    const KernelLaunch* const kernel = main_kernel(row);
    return kernel && kernel->registers ? std::to_string(*kernel->registers) : "";
}

std::string shared_text(const Row& row) {
    const KernelLaunch* const kernel = main_kernel(row);
    return kernel ? fmt::format("{:.1f} KiB", double(kernel->shared_bytes) / 1024) : "";
}

std::string local_text(const Row& row) {
    const KernelLaunch* const kernel = main_kernel(row);
    return kernel && kernel->local_bytes ? fmt::format("{} B", *kernel->local_bytes) : "";
}

// What fits into 160 characters when all rows are ok is usual; --json has the rest. The error against the baseline's
// says more than the error, which stands in for it where there is none; torch.allclose's verdict is worth a column
// where it refuses something.
const std::vector<Column>& own_columns() {
    static const std::vector<Column> columns = {
        {"device", "device", false, [](const Row& row) { return to_string(row.device); },
         "where it ran; emulated rows show no speed", 4, always},
        {"class", "class", false, class_of, "the precision as it was measured; speeds are compared within one", kStays,
         always},
        {"status", "status", false,
         [](const Row& row) { return to_string(row.status) + (row.deterministic == false ? " ~" : ""); },
         "right or not: host/README.md lists them", kStays, always},
        {"error", "max error", true, [](const Row& row) { return number("{:.2e}", row.max_error); },
         "the largest |C - C64| of an element; C64 is the product in FP64", 5, always},
        {"rho", "rho / bound", true,
         [](const Row& row) {
             if (!row.rho || !row.bound) return std::string();
             return fmt::format("{:.3g} /{:>5.0f}{}", *row.rho, *row.bound, row.sampled ? '*' : ' ');
         },
         "the largest |C - C64| / (u |A||B|), u = 2^-24, and what it may be", 6, always},
        {"xbase", "x base", true, [](const Row& row) { return number("{:.3g}", row.error_ratio); },
         "the normwise error over that of the baseline on the same matrices", 2, has_error_ratio},
        {"normwise", "normwise", true, [](const Row& row) { return number("{:.1e}", row.normwise); },
         "||C - C64|| / ||C64||", 1, has_no_error_ratio},
        {"allclose", "1e-3", true,
         [](const Row& row) -> std::string { return row.allclose ? (*row.allclose ? "yes" : "no") : ""; },
         "the criterion of torch.allclose(atol=1e-3), for comparison; the verdict does not depend on it", 0,
         has_refused},
        {"wrong", "wrong", true,
         [](const Row& row) {
             return counted_in(row.wrong_elements + row.nan_elements + row.inf_elements + row.unwritten_elements);
         },
         "elements of C that are wrong, NaN, infinite or not written", 3, never},
        {"first", "first", true, [](const Row& row) { return duration_of(row.first_ms); },
         "the first call at this shape, with what it loads and allocates", 3, never},
        {"cold", "cold", true, [](const Row& row) { return duration_of(row.cold_median_ms); },
         "a call that finds nothing in the caches: median of the single calls", 7, always},
        {"hot", "hot", true, [](const Row& row) { return duration_of(row.median_ms); },
         "a call of many back to back: median of the batches", 9, always},
        {"sd", "± sd", false,
         [](const Row& row) {
             if (!row.deviation_ms || !row.mean_ms) return std::string();
             return fmt::format("± {:.1f}%", 100 * *row.deviation_ms / std::max(*row.mean_ms, 1e-12));
         },
         "the standard deviation of the batches, as a part of their mean", 8, always, 1},
        {"mean", "mean ± sd", true, mean_text,
         "of a call, hot, as %timeit has it: runs are batches, loops the calls that fill one", 3, never},
        {"cpu", "CPU time", true, [](const Row& row) { return duration_of(row.cpu_ms); },
         "of all threads of the process, a call, hot: beside hot, what the GPU leaves to the host, or how many cores "
         "compute",
         3, never},
        {"host", "host", true, [](const Row& row) { return row.host_us ? duration(*row.host_us / 1e3) : ""; },
         "from a call to its return, where it does not wait for its work", 3, never},
        {"samples", "samples", true,
         [](const Row& row) {
             return row.time_ms.empty() ? "" : fmt::format("{} + {}", row.time_ms.size(), row.cold_ms.size());
         },
         "batches, and cold calls, that were timed", 3, never},
        {"batches", "batches", false, [](const Row& row) { return sparkline(row.time_ms, 16); },
         "the times of the batches in their order, from the shortest to the longest", 3, never},
        {"tflops", "TFLOP/s", true, [](const Row& row) { return row.tflops ? three_digits(*row.tflops) : ""; },
         "2MNK operations over the hot time", kStays, always},
        {"ratio", "x baseline", false, ratio_text,
         "the baseline's hot time over the plugin's, above 1 it is faster: median of the blocks, and its 95 % "
         "interval",
         kStays, always},
        {"pcie", "% of PCIe", true,
         [](const Row& row) {
             return row.pcie_ms && row.median_ms ? three_digits(100 * *row.pcie_ms / *row.median_ms) : "";
         },
         "of host memory: the least time that A and B take into the GPUs, or C back, as measured, over the hot time", 2,
         [](const Rows& rows) {
             return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.pcie_ms.has_value(); });
         }},
        {"scaling", "x 1 GPU", true,
         [](const Row& row) {
             return row.one_gpu_ms && row.median_ms ? three_digits(*row.one_gpu_ms / *row.median_ms) : "";
         },
         "with --scaling: how many times as fast as on one GPU", 2,
         [](const Rows& rows) {
             return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.one_gpu_ms.has_value(); });
         }},
        {"coldratio", "x cold", true, [](const Row& row) { return number("{:.3f}", row.cold_ratio); },
         "the same of the cold calls", 3, never},
        {"grid", "grid / block", true, grid_text,
         "blocks, and threads of one, of the kernel with the most threads; + as many other kernels a call", 3, never},
        {"registers", "registers", true, registers_text, "of a thread of that kernel", 3, never},
        {"shared", "shared", true, shared_text, "the shared memory of a block of that kernel", 3, never},
        {"local", "local", true, local_text, "the local memory of a thread: its stack, and spilled registers", 3,
         never},
        {"clock", "MHz", true, [](const Row& row) { return number("{:.0f}", row.clock_mhz); },
         "the GPU's clock over the batches: median", 3, never},
        {"power", "W", true, [](const Row& row) { return number("{:.0f}", row.power_w); },
         "the GPU's power: the most over the batches", 3, never},
        {"temperature", "°C", true, [](const Row& row) { return number("{:.0f}", row.temperature_c); },
         "the GPU's temperature: the most over the batches", 3, never},
        {"slowdown", "x as long", false,
         [](const Row& row) {
             return row.slowdown ? fmt::format("[{:.3f}, {:.3f}]", row.slowdown->low, row.slowdown->high) : "";
         },
         "as in the run of --against, 95 % interval", 3, never},
        {"claim", "claims", false, [](const Row& row) { return row.arithmetic; },
         "the arithmetic that the plugin says to have", 3, never}};
    return columns;
}

const std::vector<Column>& all_columns() {
    static const std::vector<Column> columns = [] {
        std::vector<Column> all = own_columns();
        for (const Column& column : host_to_host_columns()) all.push_back(column);
        for (const Column& column : counter_columns()) all.push_back(column);
        return all;
    }();
    return columns;
}

const Column* find_column(const std::string& name) {
    const auto found = std::find_if(all_columns().begin(), all_columns().end(),
                                    [&](const Column& column) { return column.name == name; });
    return found == all_columns().end() ? nullptr : &*found;
}

}  // namespace

std::string duration(double ms) {
    if (ms < 1) return three_digits(ms * 1e3) + " us";
    if (ms < 1e3) return three_digits(ms) + " ms";
    return three_digits(ms / 1e3) + " s";
}

bool is_about_equal(const Row& row) {
    return row.ratio_interval && row.ratio_interval->contains(1);
}

const KernelLaunch* main_kernel(const Row& row) {
    if (!row.kernels || row.kernels->empty()) return nullptr;
    const auto threads = [](const KernelLaunch& kernel) {
        double product = double(kernel.launches);
        for (const unsigned size : kernel.grid) product *= size;
        for (const unsigned size : kernel.block) product *= size;
        return product;
    };
    return &*std::max_element(row.kernels->begin(), row.kernels->end(),
                              [&](const auto& a, const auto& b) { return threads(a) < threads(b); });
}

std::string sizes_of(const std::array<unsigned, 3>& sizes) {
    const size_t count = sizes[2] != 1 ? 3 : sizes[1] != 1 ? 2 : 1;
    std::string text = std::to_string(sizes[0]);
    for (size_t i = 1; i < count; ++i) text += "x" + std::to_string(sizes[i]);
    return text;
}

ColumnChoice parse_columns(const std::string& list) {
    ColumnChoice choice;
    std::istringstream names(list);
    for (std::string name; std::getline(names, name, ',');) {
        const bool added = name.starts_with('+');
        name.erase(0, added ? 1 : 0);
        if (!choice.names.empty() && added != choice.added) {
            throw std::invalid_argument("either all names have a + (beside the usual columns) or none (these alone)");
        }
        choice.added = added;
        if (name == "all") {
            for (const Column& column : all_columns()) choice.names.push_back(column.name);
        } else if (find_column(name) != nullptr) {
            choice.names.push_back(name);
        } else {
            std::string known;
            for (const Column& column : all_columns()) known += std::string(known.empty() ? "" : ", ") + column.name;
            throw std::invalid_argument(fmt::format("there is no column '{}'; there are all, {}", name, known));
        }
    }
    if (choice.names.empty()) throw std::invalid_argument("no column is named; help lists them");
    return choice;
}

std::string describe_columns() {
    std::string text =
        "--columns NAME,NAME shows these columns and no others, +NAME,+NAME these beside the usual ones, all all:\n\n";
    for (const Column& column : all_columns()) {
        text += fmt::format("  {:<12} {}\n", column.name, column.legend);
    }
    return text;
}

std::vector<Column> columns_for(const std::vector<Row>& rows, const ColumnChoice& choice) {
    std::vector<Column> columns;
    const auto is_named = [&](const Column& column) {
        return std::find(choice.names.begin(), choice.names.end(), column.name) != choice.names.end();
    };
    if (choice.usual() || choice.added) {
        for (Column column : all_columns()) {
            if (is_named(column)) column.room = kStays;
            if (is_named(column) || column.usual(rows)) columns.push_back(column);
        }
    } else {
        for (const std::string& name : choice.names) {
            columns.push_back(*find_column(name));
            columns.back().room = kStays;
        }
    }
    return columns;
}

std::string heading_of(const Column& column, const std::vector<Row>& rows) {
    if (column.cell != ratio_text) return column.heading;
    const auto raced = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.ratio.has_value(); });
    return raced == rows.end() ? column.heading : fmt::format("x {} [95 %]", raced->baseline);
}

}  // namespace judge
