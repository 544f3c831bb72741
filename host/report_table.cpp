#include "report_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace judge {

namespace {

struct Paint {
    bool colour;
    std::string operator()(const char* code, const std::string& text) const {
        return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
    }
    std::string good(const std::string& text) const { return (*this)("32", text); }
    std::string bad(const std::string& text) const { return (*this)("31", text); }
    std::string faint(const std::string& text) const { return (*this)("2", text); }
    std::string bold(const std::string& text) const { return (*this)("1", text); }
};

std::string mark(const Row& row, const Paint& paint) {
    if (row.status == Status::ok) return paint.good("✓");
    if (row.status == Status::unsupported) return paint.faint("-");
    return paint.bad("✗");
}

// Three significant digits, and whole numbers from 100 on.
std::string three_digits(double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:#.3g}", value);
}

// In the unit that keeps it readable.
std::string duration(double ms) {
    if (ms < 1) return three_digits(ms * 1e3) + " us";
    if (ms < 1e3) return three_digits(ms) + " ms";
    return three_digits(ms / 1e3) + " s";
}

std::string deviation_percent(const Row& row) {
    return fmt::format("± {:.1f}%", 100 * *row.deviation_ms / std::max(*row.mean_ms, 1e-12));
}

// "about equal" where the interval does not tell faster from slower.
std::string ratio_text(const Row& row) {
    std::string text = fmt::format("{:>6.3f}", *row.ratio);
    if (!row.ratio_interval) return text;
    text += fmt::format(" [{:.3f}, {:.3f}]", row.ratio_interval->low, row.ratio_interval->high);
    return row.ratio_interval->contains(1) ? text + " about equal" : text;
}

std::string line(const Row& row, size_t name_width, const Paint& paint) {
    std::string text = fmt::format("  {} {:<{}}  {:<8}  {:<13}  {:<14}", mark(row, paint), row.plugin, name_width,
                                   row.device, row.arithmetic, to_string(row.status));
    text += row.max_error ? fmt::format("  {:>9.2e}", *row.max_error) : fmt::format("  {:>9}", "");
    text += row.rho && row.bound ? fmt::format("  {:>8.3g} /{:>5.0f}{}", *row.rho, *row.bound, row.sampled ? "*" : " ")
                                 : fmt::format("  {:>16}", "");
    if (row.median_ms && row.mean_ms && row.deviation_ms && row.tflops && row.cold_median_ms) {
        text += fmt::format("  {:>9}  {:>9} {:<8}  {:>7}", duration(*row.cold_median_ms), duration(*row.mean_ms),
                            deviation_percent(row), three_digits(*row.tflops));
    }
    if (row.ratio) text += "  " + ratio_text(row);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string heading(const std::string& shape, const std::vector<const Row*>& rows, size_t name_width,
                    const Paint& paint) {
    const bool timed = std::any_of(rows.begin(), rows.end(), [](const Row* row) { return row->median_ms; });
    const auto raced = std::find_if(rows.begin(), rows.end(), [](const Row* row) { return row->ratio; });
    std::string text = fmt::format("{:<{}}  {:<8}  {:<13}  {:<14}  {:>9}  {:>16}", shape, name_width + 4, "device",
                                   "arithmetic", "status", "max error", "rho / bound");
    if (timed) text += fmt::format("  {:>9}  {:>9} {:<8}  {:>7}", "cold", "hot mean", "± sd", "TFLOP/s");
    if (raced != rows.end()) text += fmt::format("  x {} [95 %]", (*raced)->baseline);
    return paint.bold(text) + "\n";
}

// What to do about it, where the row's own message does not say.
const char* next_step(Status status) {
    switch (status) {
        case Status::wrong:
            return "repeat it with this seed: build/compare PATH --shape MxNxK --seed N --check-only";
        case Status::not_written:
            return "a launch that failed writes nothing: check cudaGetLastError() after it, or export solve_last_error";
        case Status::out_of_bounds:
        case Status::crashed:
            return "find the access: compute-sanitizer build/compare PATH --shape MxNxK --check-only --timeout 600 on "
                   "a "
                   "GPU, -fsanitize=address in the emulator (abi/solve.h says which sizes are legal)";
        case Status::input_modified:
            return "A and B are const: write to C only";
        case Status::timed_out:
            return "--timeout S allows more; --shape takes a smaller product";
        case Status::suspicious:
            return "its time is not counted until this is explained; --thorough measures longer";
        case Status::ok:
        case Status::load_error:
        case Status::unsupported:
            break;
    }
    return nullptr;
}

std::string text_of(const Json& environment, const char* key) {
    return environment.at(key).is_string() ? environment.at(key).get<std::string>() : "";
}

std::string summary(const std::vector<Row>& rows) {
    std::map<Status, int> counts;
    for (const Row& row : rows) ++counts[row.status];
    std::string text;
    for (const auto& [status, count] : counts) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(status));
    }
    return text + "\n";
}

}  // namespace

std::string format_table(const Json& environment, const std::vector<Row>& rows, bool colour) {
    const Paint paint{colour};
    std::string text =
        text_of(environment, "device").empty()
            ? fmt::format("{}, {} cores", text_of(environment, "processor"), environment.at("cores").dump())
            : fmt::format("{}, driver {}, CUDA {}", text_of(environment, "device"), text_of(environment, "driver"),
                          text_of(environment, "cuda"));
    text += fmt::format(", {}, seed {}\n{}\n", text_of(environment, "date"), environment.at("seed").dump(),
                        text_of(environment, "operation"));

    size_t name_width = 12;
    std::vector<std::string> shapes;  // in the order in which they first came
    for (const Row& row : rows) {
        name_width = std::max(name_width, row.plugin.size());
        if (std::find(shapes.begin(), shapes.end(), row.shape) == shapes.end()) shapes.push_back(row.shape);
    }
    for (const std::string& shape : shapes) {
        std::vector<const Row*> block;
        for (const Row& row : rows) {
            if (row.shape == shape) block.push_back(&row);
        }
        text += "\n" + heading(shape.empty() ? "(not run)" : shape, block, name_width, paint);
        for (const Row* row : block) text += line(*row, name_width, paint);
    }

    text += "\n";
    for (const Row& row : rows) {
        if (row.message.empty()) continue;
        const std::string where = row.shape.empty() ? "" : " at " + row.shape;
        text += fmt::format("{} {} ({}){}: {}: {}\n", mark(row, paint), row.plugin, row.device, where,
                            to_string(row.status), row.message);
    }
    for (const Row& row : rows) {
        if (row.regression.empty()) continue;
        text += fmt::format("{} {} ({}) at {}: {}\n", paint.bad("slower"), row.plugin, row.device, row.shape,
                            row.regression);
    }
    std::set<Status> statuses;
    for (const Row& row : rows) statuses.insert(row.status);
    for (const Status status : statuses) {
        if (const char* step = next_step(status)) text += fmt::format("{}: {}\n", to_string(status), step);
    }
    std::set<std::string> slowed_by;
    for (const Row& row : rows) slowed_by.insert(row.slowed_by.begin(), row.slowed_by.end());
    for (const std::string& reason : slowed_by)
        text += fmt::format("the GPU's clock was held down at times: {}\n", reason);
    const auto sampled = [](const Row& row) { return row.sampled; };
    if (std::any_of(rows.begin(), rows.end(), sampled)) {
        text += "* 128 rows compared element by element, the others by a checksum of each row (Freivalds)\n";
    }
    return text + summary(rows);
}

}  // namespace judge
