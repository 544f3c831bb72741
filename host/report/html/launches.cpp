#include "report/html/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.h"
#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/occupancy.h"
#include "report/html/table.h"
#include "values/json.h"

namespace judge::html {

namespace {

constexpr size_t kMostGrids = 4;  // of one line

// What is the same at several shapes: the kernel, but for its grid.
struct Line {
    const Row* row;  // the first
    KernelLaunch launch;
    std::vector<std::pair<std::string, std::string>> grids;  // shape, grid
};

std::string sizes(const std::array<unsigned, 3>& three) {
    if (three[2] > 1) return fmt::format("{} x {} x {}", three[0], three[1], three[2]);
    return three[1] > 1 ? fmt::format("{} x {}", three[0], three[1]) : fmt::format("{}", three[0]);
}

std::vector<Line> launch_lines(const View& view) {
    std::vector<Line> lines;
    for (const Row& row : view.rows()) {
        if (!row.kernels) continue;
        for (const KernelLaunch& launch : *row.kernels) {
            const auto same = [&](const Line& line) {
                KernelLaunch there = line.launch;
                there.grid = launch.grid;
                return there == launch && line.row->plugin == row.plugin && line.row->device == row.device;
            };
            auto line = std::find_if(lines.begin(), lines.end(), same);
            if (line == lines.end()) line = lines.insert(lines.end(), {&row, launch, {}});
            line->grids.emplace_back(row.shape, sizes(launch.grid));
        }
    }
    return lines;
}

std::string grids_of(const Line& line) {
    std::string result;
    for (size_t i = 0; i < std::min(line.grids.size(), kMostGrids); ++i) {
        result += fmt::format("<div>{} <small>at {}</small></div>", line.grids[i].second, text(line.grids[i].first));
    }
    if (line.grids.size() > kMostGrids) {
        result += fmt::format("<div><small>and at {} more</small></div>",
                              counted(int64_t(line.grids.size() - kMostGrids), "shape"));
    }
    return result;
}

std::string title_of(const View& view, const std::vector<Line>& lines, bool known) {
    std::set<std::string> kernels, spilling, several;
    for (const Line& line : lines) {
        kernels.insert(label_of(view, *line.row));
        if (line.launch.local_bytes.value_or(0) > 0) spilling.insert(label_of(view, *line.row));
    }
    for (const Row& row : view.rows()) {
        uint64_t launches = 0;
        if (row.kernels) {
            for (const KernelLaunch& launch : *row.kernels) launches += launch.launches;
        }
        if (launches > 1) several.insert(label_of(view, row));
    }
    const auto named = [](const std::set<std::string>& names) {
        std::string list;
        for (const std::string& each : names) list += (list.empty() ? "" : ", ") + name(each);
        return names.size() <= 4 ? list : fmt::format("{} plugins", names.size());
    };
    const std::string one_each =
        several.empty() ? "Each call launches one kernel"
                        : fmt::format("A call of {} launches several kernels at some shape", named(several));
    if (!known) return one_each + ".";
    return one_each + (spilling.empty()
                           ? "; none uses local memory, so no register is spilled."
                           : fmt::format("; {} local memory, where spilled registers go: {}.",
                                         count_of(spilling.size(), "plugin", "uses", "use"), named(spilling)));
}

}  // namespace

Section launches(const View& view) {
    Section section{"launches", "Launches", {}, {}};
    const auto lines = launch_lines(view);
    if (lines.empty()) {
        section.left_out = "it is not known what the calls launched: that is seen of CUDA plugins on a GPU";
        return section;
    }
    const auto capability = view.environment().find("compute_capability");
    const int sm = capability != view.environment().end() && capability->is_number() ? capability->get<int>() : 0;
    const bool known =
        std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.launch.registers.has_value(); });
    Table table("kernels that a call launches", {{"plugin", false},
                                                 {"kernel", false},
                                                 {"a call"},
                                                 {"grid", false},
                                                 {"block"},
                                                 {"registers"},
                                                 {"shared memory"},
                                                 {"local memory"},
                                                 {"occupancy"}});
    for (const Line& line : lines) {
        const KernelLaunch& launch = line.launch;
        std::string fitting;
        if (line.row->device == Target::cuda) {
            if (const auto fits = occupancy(launch, sm)) {
                fitting = fmt::format("{} <small>{}, by {}</small>", percent(fits->part),
                                      counted(fits->blocks, "block"), fits->limit);
            }
        }
        table.add({{text(label_of(view, *line.row))},
                   {text(launch.name, 160) +
                    (launch.error.empty() ? "" : " <b class=\"bad\">failed: " + text(launch.error, 200) + "</b>")},
                   {fmt::format("{}", launch.launches)},
                   {grids_of(line)},
                   {sizes(launch.block)},
                   {launch.registers ? fmt::format("{}", *launch.registers) : ""},
                   {launch.shared_bytes > 0 ? fmt::format("{:.1f} KiB", double(launch.shared_bytes) / 1024) : "0"},
                   {launch.local_bytes ? fmt::format("{} B", *launch.local_bytes) : "",
                    launch.local_bytes.value_or(0) > 0 ? "warn" : ""},
                   {fitting}});
    }
    section.body = fmt::format(
        "<h3>{}</h3>\n<p class=\"note\">Registers and local memory are of a thread, shared memory of a block. "
        "Occupancy: the "
        "part of a multiprocessor's threads that its registers, its shared memory and its limits let run at a time; a "
        "grid "
        "that is too small does not reach it.</p>\n{}",
        title_of(view, lines, known), table.html());
    return section;
}

}  // namespace judge::html
