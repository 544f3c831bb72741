// Charts as SVG: axes, marks and text. The page's CSS colours them, so that one drawing serves light and dark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace judge::html {

// Maps a range of values to a range of pixels.
class Scale {
  public:
    // `from` and `to` become the ends; of a logarithmic scale both are positive.
    Scale(double from, double to, double first_pixel, double last_pixel, bool logarithmic = false);

    double operator()(double value) const;  // what lies outside the range, at its end
    bool contains(double value) const;
    std::vector<double> ticks(int about) const;  // round numbers within the range
    double first_pixel() const { return first_; }
    double last_pixel() const { return last_; }

  private:
    double from_, to_, first_, last_;
    bool logarithmic_;
};

// Wider than what it is to hold, so that no mark sits on an edge. Values that cannot be drawn are left out; of none, 1
// to 10.
Scale log_scale(const std::vector<double>& values, double first_pixel, double last_pixel);

class Chart {
  public:
    Chart(int width, int height);

    // `style` is classes of CSS.
    void line(double x1, double y1, double x2, double y2, std::string_view style);
    void box(double x, double y, double width, double height, std::string_view style);
    void path(const std::string& d, std::string_view style);
    static std::string segment(double x1, double y1, double x2, double y2);  // of a path

    // What is drawn in between has this said of it under the pointer: text.
    void begin(std::string_view tip);
    void end();

    // A mark whose form, 0 to kForms - 1, tells the class of precision, as its colour does. A page has the forms once.
    void mark(double x, double y, int form, std::string_view style, std::string_view tip);
    static constexpr int kForms = 6;
    static std::string forms();
    // `anchor`: start, middle or end.
    void label(double x, double y, std::string_view text, std::string_view style = {}, const char* anchor = "start");

    // Lines, numbers and a name below, or at the left.
    void x_axis(const Scale& scale, double top, double bottom, std::string_view name, int about = 8);
    void y_axis(const Scale& scale, double left, double right, std::string_view name, int about = 6);

    // `title` is what the picture shows, for those who do not see it: text.
    std::string svg(const std::string& title) const;

  private:
    int width_, height_;
    std::string body_;
};

}  // namespace judge::html
