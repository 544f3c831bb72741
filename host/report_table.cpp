#include "report_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "precision.h"

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

// The place of a row among those of its shape: by what was measured, from the best class to the worst, then the rest.
int rank(const Row& row) {
    int place = 0;
    while (place <= int(PrecisionClass::wrong) && to_string(static_cast<PrecisionClass>(place)) != row.precision)
        ++place;
    return place;
}

bool is_claim(const Row& row) {
    return row.precision.empty() && !row.arithmetic.empty();
}

bool any(const std::vector<const Row*>& rows, const std::function<bool(const Row&)>& is_so) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row* row) { return is_so(*row); });
}

std::string accuracy(const Row& row, bool with_ratio) {
    std::string text = row.normwise ? fmt::format("  {:>8.1e}", *row.normwise) : fmt::format("  {:>8}", "");
    if (with_ratio) text += row.error_ratio ? fmt::format("  {:>6.3g}", *row.error_ratio) : fmt::format("  {:>6}", "");
    return text + fmt::format("  {:>4}", row.allclose ? (*row.allclose ? "yes" : "no") : "");
}

std::string line(const Row& row, size_t name_width, bool with_error_ratio, const Paint& paint) {
    const std::string precision = is_claim(row) ? row.arithmetic + "?" : row.precision;
    const std::string status = to_string(row.status) + (row.deterministic == false ? " ~" : "");
    std::string text = fmt::format("  {} {:<{}}  {:<8}  {:<14}  {:<14}", mark(row, paint), row.plugin, name_width,
                                   row.device, precision, status);
    text += row.max_error ? fmt::format("  {:>9.2e}", *row.max_error) : fmt::format("  {:>9}", "");
    text += row.rho && row.bound ? fmt::format("  {:>8.3g} /{:>6.0f}{}", *row.rho, *row.bound, row.sampled ? "*" : " ")
                                 : fmt::format("  {:>17}", "");
    text += accuracy(row, with_error_ratio);
    if (row.median_ms && row.mean_ms && row.deviation_ms && row.tflops) {
        text += fmt::format("  {:>9} {:<8}  {:>9}  {:>7}", duration(*row.mean_ms), deviation_percent(row),
                            duration(*row.median_ms), three_digits(*row.tflops));
    }
    if (row.ratio) text += fmt::format("  {:>6.3f}", *row.ratio);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string heading(const std::string& shape, const std::vector<const Row*>& rows, size_t name_width,
                    bool with_error_ratio, const Paint& paint) {
    const bool timed = any(rows, [](const Row& row) { return row.median_ms.has_value(); });
    const auto raced = std::find_if(rows.begin(), rows.end(), [](const Row* row) { return row->ratio; });
    std::string text = fmt::format("{:<{}}  {:<8}  {:<14}  {:<14}  {:>9}  {:>17}  {:>8}{}  {:>4}", shape,
                                   name_width + 4, "device", "class", "status", "max error", "rho / bound", "normwise",
                                   with_error_ratio ? "  x base" : "", "1e-3");
    if (timed) text += fmt::format("  {:>9} {:<8}  {:>9}  {:>7}", "mean", "± sd", "median", "TFLOP/s");
    if (raced != rows.end()) text += fmt::format("  x {}", (*raced)->baseline);
    return paint.bold(text) + "\n";
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
        std::stable_sort(block.begin(), block.end(), [](const Row* a, const Row* b) { return rank(*a) < rank(*b); });
        const bool with_error_ratio = any(block, [](const Row& row) { return row.error_ratio.has_value(); });
        text += "\n" + heading(shape.empty() ? "(not run)" : shape, block, name_width, with_error_ratio, paint);
        for (const Row* row : block) text += line(*row, name_width, with_error_ratio, paint);
    }

    text += "\n";
    for (const Row& row : rows) {
        if (row.message.empty()) continue;
        const std::string where = row.shape.empty() ? "" : " at " + row.shape;
        text += fmt::format("{} {} ({}){}: {}: {}\n", mark(row, paint), row.plugin, row.device, where,
                            to_string(row.status), row.message);
    }
    const auto explain_if = [&](bool (*is_so)(const Row&), const char* meaning) {
        if (std::any_of(rows.begin(), rows.end(), is_so)) text += meaning;
    };
    explain_if([](const Row& row) { return row.sampled; },
               "* 128 rows compared element by element, the others by a checksum of each row (Freivalds)\n");
    explain_if([](const Row& row) { return row.deterministic == false; }, "~ equal calls gave different bits\n");
    explain_if(is_claim, "? what the plugin claims; its precision was not measured\n");
    explain_if([](const Row& row) { return row.error_ratio.has_value(); },
               "x base: the normwise error over that of the baseline on the same matrices\n");
    explain_if([](const Row& row) { return row.allclose.has_value(); },
               "1e-3: the criterion of torch.allclose(atol=1e-3), for comparison; the verdict does not depend on it\n");
    return text + summary(rows);
}

std::string format_list(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos) {
    size_t name_width = 6, summary_width = 7;
    for (size_t i = 0; i < candidates.size(); ++i) {
        name_width = std::max(name_width, candidates[i].name.size());
        summary_width = std::max(summary_width, infos[i].summary.size());
    }
    std::string text = fmt::format("{:<{}}  {:<8}  {:<13}  {:<5}  {:<{}}  {}\n", "plugin", name_width, "device",
                                   "arithmetic", "needs", "summary", summary_width, "source");
    for (size_t i = 0; i < candidates.size(); ++i) {
        const PluginInfo& info = infos[i];
        const std::string needs =
            info.minimum_compute_capability ? fmt::format("sm_{}", info.minimum_compute_capability) : "";
        text += fmt::format("{:<{}}  {:<8}  {:<13}  {:<5}  {:<{}}  {}", candidates[i].name, name_width,
                            to_string(candidates[i].target), info.arithmetic, needs, info.summary, summary_width,
                            info.source);
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    return text;
}

std::string format_list_as_markdown(const std::vector<Candidate>& candidates, const std::vector<PluginInfo>& infos) {
    std::string text = "| plugin | what it does | arithmetic | needs | source |\n|---|---|---|---|---|\n";
    for (size_t i = 0; i < candidates.size(); ++i) {
        const PluginInfo& info = infos[i];
        const int capability = info.minimum_compute_capability;
        text += fmt::format("| {} | {} | {} | {} | {} |\n", candidates[i].name, info.summary, info.arithmetic,
                            capability ? fmt::format("sm_{}", capability) : "", info.source);
    }
    return text;
}

}  // namespace judge
