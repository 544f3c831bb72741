#include "report/html/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "base/counted.h"
#include "report/html/markup.h"
#include "values/environment.h"
#include "values/json.h"
#include "values/precision_class.h"

namespace judge::html {

namespace {

std::optional<double> positive(const Json& environment, const char* key) {
    const auto found = environment.find(key);
    if (found == environment.end() || !found->is_number()) return std::nullopt;
    const double value = found->get<double>();
    return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

bool is_timed(const Row& row) {
    return is_right(row.status) && row.tflops && std::isfinite(*row.tflops) && *row.tflops > 0 && row.median_ms &&
           *row.median_ms > 0;
}

double work(const std::string& shape) {
    const auto parsed = parsed_shape(shape);
    return parsed ? parsed->flops() : 0;
}

}  // namespace

View::View(const Json& environment, const std::vector<Row>& rows, size_t most_shapes)
    : environment_(environment),
      rows_(rows),
      ceilings_{positive(environment, "fp32_tflops"), positive(environment, "memory_gb_s")} {
    std::map<Target, size_t> timed_on;
    for (const Row& row : rows) timed_on[row.device] += is_timed(row) ? 1 : 0;
    size_t most = 0;
    for (const auto& [device, count] : timed_on) {
        if (count > most) device_ = device;
        most = std::max(most, count);
    }
    if (most == 0 && !rows.empty()) device_ = rows.front().device;
    if (device_ != Target::cuda) ceilings_ = {};  // those in the environment are the GPU's
    std::map<std::string, size_t> count_at;
    for (const Row& row : rows) {
        if (is_timed(row) && row.device == device_) ++count_at[row.shape];
    }
    for (const auto& [shape, count] : count_at) all_shapes_.push_back(shape);
    std::stable_sort(all_shapes_.begin(), all_shapes_.end(),
                     [](const std::string& a, const std::string& b) { return work(a) < work(b); });
    const size_t without = all_shapes_.size() - std::min(all_shapes_.size(), most_shapes);
    shapes_.assign(all_shapes_.begin() + std::ptrdiff_t(without), all_shapes_.end());
    for (size_t i = 0; i < shapes_.size(); ++i) {
        if (count_at[shapes_[i]] >= count_at[shapes_[chosen_]]) chosen_ = i;
    }
}

std::vector<const Row*> View::timed(const std::string& shape) const {
    std::vector<const Row*> found;
    for (const Row& row : rows_) {
        if (is_timed(row) && row.device == device_ && row.shape == shape) found.push_back(&row);
    }
    return found;
}

std::string View::baseline() const {
    for (const Row& row : rows_) {
        if (row.device == device_ && row.ratio && !row.baseline.empty()) return row.baseline;
    }
    return {};
}

std::optional<double> View::baseline_tflops(const std::string& shape) const {
    const std::string name = baseline();
    std::vector<double> found;
    for (const Row* row : timed(shape)) {
        if (row->plugin == name) return row->tflops;
        if (row->ratio && *row->ratio > 0) found.push_back(*row->tflops / *row->ratio);
    }
    if (name.empty() || found.empty()) return std::nullopt;
    return median(found);
}

std::string View::no_speed() const {
    if (!shapes_.empty()) return {};
    if (rows_.empty()) return "there is no row";
    const auto count = [&](auto is_so) { return std::count_if(rows_.begin(), rows_.end(), is_so); };
    const auto right = count([](const Row& row) { return is_right(row.status); });
    if (right == 0) return "no row is right, and only such are timed";
    if (count([](const Row& row) { return is_right(row.status) && row.device == Target::emulator; }) == right) {
        return "every row that is right ran in the emulator, whose times say nothing of a GPU's";
    }
    return "no row was timed (--check-only)";
}

std::string View::for_each_shape(const std::function<std::string(const std::string& shape)>& chart) const {
    std::string body;
    for (size_t i = 0; i < shapes_.size(); ++i) {
        const std::string drawn = chart(shapes_[i]);
        body += fmt::format(
            "<div class=\"panel p{}{}\">{}</div>\n", i, i == chosen_ ? " first" : "",
            drawn.empty() ? fmt::format("<p class=\"note\">Nothing to show at {}.</p>", text(shapes_[i])) : drawn);
    }
    return body;
}

std::optional<Shape> parsed_shape(const std::string& text) {
    try {
        const auto operation = std::count(text.begin(), text.end(), 'x') == 3 ? Operation::chain : Operation::gemm;
        return parse_shape(text, operation);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

std::string short_shape(const std::string& shape) {
    const auto parsed = parsed_shape(shape);
    const bool cube = parsed && !parsed->is_chain() && parsed->M == parsed->N && parsed->N == parsed->K;
    return cube ? fmt::format("{}³", parsed->M) : shape;
}

int place_of_class(const Row& row) {
    int place = 0;
    while (place < int(PrecisionClass::wrong) && to_string(static_cast<PrecisionClass>(place)) != row.precision)
        ++place;
    return place;
}

std::string style_of_class(const Row& row) {
    return fmt::format("c{}", place_of_class(row));
}

std::string label_of(const View& view, const Row& row) {
    return row.device == view.device() ? row.plugin : fmt::format("{} ({})", row.plugin, to_string(row.device));
}

std::string count_of(size_t count, const std::string& noun, const std::string& singular, const std::string& plural) {
    return counted(int64_t(count), noun) + " " + (count == 1 ? singular : plural);
}

std::string legend(const std::vector<const Row*>& rows) {
    constexpr const char* kForms[] = {"●", "▲", "■", "▼", "◆", "✖"};
    std::string items;
    for (int place = 0; place <= int(PrecisionClass::wrong); ++place) {
        const auto of_class = [&](const Row* row) { return place_of_class(*row) == place; };
        const auto found = std::find_if(rows.begin(), rows.end(), of_class);
        if (found == rows.end()) continue;
        const bool known = place < int(PrecisionClass::wrong);
        items += fmt::format("<li><span class=\"key c{}\" aria-hidden=\"true\">{}</span> {}</li>", place, kForms[place],
                             known ? to_string(static_cast<PrecisionClass>(place)) : "wrong, or not measured");
    }
    return "<ul class=\"legend\" aria-label=\"classes of precision\">" + items + "</ul>\n";
}

}  // namespace judge::html
