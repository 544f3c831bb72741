#include "report/html/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html/markup.h"

namespace judge::html {

namespace {

constexpr size_t kLongestLabel = 120;

std::string tick_text(double value) {
    if (value != 0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e6)) return fmt::format("{:.0e}", value);
    return fmt::format("{:.6g}", value);
}

// To a tenth of a pixel.
std::string pixel(double value) {
    std::string shown = fmt::format("{:.1f}", value);
    if (shown.ends_with(".0")) shown.resize(shown.size() - 2);
    return shown;
}

std::string tip_element(std::string_view tip) {
    return tip.empty() ? "" : fmt::format("<title>{}</title>", text(tip));
}

}  // namespace

Scale::Scale(double from, double to, double first_pixel, double last_pixel, bool logarithmic)
    : from_(from), to_(to > from ? to : from + 1), first_(first_pixel), last_(last_pixel), logarithmic_(logarithmic) {}

double Scale::operator()(double value) const {
    const double inside = std::clamp(value, from_, to_);
    const double part =
        logarithmic_ ? std::log(inside / from_) / std::log(to_ / from_) : (inside - from_) / (to_ - from_);
    return first_ + part * (last_ - first_);
}

bool Scale::contains(double value) const {
    return from_ <= value && value <= to_;
}

std::vector<double> Scale::ticks(int about) const {
    std::vector<double> found;
    if (logarithmic_) {
        const double decades = std::log10(to_ / from_);
        const int step = std::max(1, int(std::ceil(decades / about)));
        const std::vector<double> digits = decades < 1   ? std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}
                                           : decades < 3 ? std::vector<double>{1, 2, 5}
                                                         : std::vector<double>{1};
        for (int power = int(std::floor(std::log10(from_))); power <= std::log10(to_); power += step) {
            for (const double digit : digits) {
                if (const double value = digit * std::pow(10, power); contains(value)) found.push_back(value);
            }
        }
        return found;
    }
    const double raw = (to_ - from_) / about, power = std::pow(10, std::floor(std::log10(raw)));
    const double step = power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
    for (double i = std::ceil(from_ / step); i * step <= to_ * (1 + 1e-9); ++i) found.push_back(i * step);
    return found;
}

Scale log_scale(const std::vector<double>& values, double first_pixel, double last_pixel) {
    double low = INFINITY, high = 0;
    for (const double value : values) {
        if (!std::isfinite(value) || value <= 0) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (high == 0) return {1, 10, first_pixel, last_pixel, true};
    const double margin = std::max(1.1, std::pow(high / low, 0.04));
    return {low / margin, high * margin, first_pixel, last_pixel, true};
}

Chart::Chart(int width, int height) : width_(width), height_(height) {}

void Chart::line(double x1, double y1, double x2, double y2, std::string_view style) {
    path(segment(x1, y1, x2, y2), style);
}

std::string Chart::segment(double x1, double y1, double x2, double y2) {
    return fmt::format("M{} {}L{} {}", pixel(x1), pixel(y1), pixel(x2), pixel(y2));
}

void Chart::begin(std::string_view tip) {
    body_ += "<g>" + tip_element(tip);
}

void Chart::end() {
    body_ += "</g>\n";
}

void Chart::box(double x, double y, double width, double height, std::string_view style) {
    if (!(width > 0)) return;
    body_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", style, pixel(x), pixel(y),
                         pixel(width), pixel(height));
}

void Chart::path(const std::string& d, std::string_view style) {
    body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, d);
}

void Chart::mark(double x, double y, int form, std::string_view style, std::string_view tip) {
    body_ += fmt::format("<use class=\"{}\" href=\"#f{}\" x=\"{}\" y=\"{}\"", style, std::clamp(form, 0, kForms - 1),
                         pixel(x), pixel(y));
    body_ += tip.empty() ? "/>" : ">" + tip_element(tip) + "</use>";
}

std::string Chart::forms() {
    // A disc, a triangle, a square, a triangle, a rhomb and a cross, of about equal areas.
    constexpr std::array<const char*, kForms> kPaths = {"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
                                                        "M0-5.5l5 9.2h-10z",
                                                        "M-4-4h8v8h-8z",
                                                        "M0 5.5l5-9.2h-10z",
                                                        "M0-6l5 6-5 6-5-6z",
                                                        "M-5-3l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z"};
    std::string paths;
    for (int i = 0; i < kForms; ++i) paths += fmt::format("<path id=\"f{}\" d=\"{}\"/>", i, kPaths[size_t(i)]);
    return "<svg class=\"forms\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>" + paths + "</defs></svg>\n";
}

void Chart::label(double x, double y, std::string_view string, std::string_view style, const char* anchor) {
    const std::string classes = style.empty() ? "" : fmt::format(" class=\"{}\"", style);
    const std::string align = std::string(anchor) == "start" ? "" : fmt::format(" text-anchor=\"{}\"", anchor);
    body_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>", x, y, classes, align, text(string, kLongestLabel));
}

void Chart::x_axis(const Scale& scale, double top, double bottom, std::string_view name, int about) {
    std::string lines;
    for (const double value : scale.ticks(about)) {
        lines += segment(scale(value), top, scale(value), bottom);
        label(scale(value), bottom + 16, tick_text(value), "tick", "middle");
    }
    path(lines, "grid");
    label((scale.first_pixel() + scale.last_pixel()) / 2, bottom + 34, name, "axis", "middle");
}

void Chart::y_axis(const Scale& scale, double left, double right, std::string_view name, int about) {
    std::string lines;
    for (const double value : scale.ticks(about)) {
        lines += segment(left, scale(value), right, scale(value));
        label(left - 8, scale(value) + 4, tick_text(value), "tick", "end");
    }
    path(lines, "grid");
    label(left - 8, std::min(scale.first_pixel(), scale.last_pixel()) - 14, name, "axis");
}

std::string Chart::svg(const std::string& title) const {
    return fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"chart\"><svg viewBox=\"0 0 {0} {1}\" "
        "role=\"img\" aria-label=\"{2}\">\n{3}\n</svg></div>\n",
        width_, height_, text(title), body_);
}

}  // namespace judge::html
