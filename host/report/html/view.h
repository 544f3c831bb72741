// What the sections of the page share of a run: the rows that were timed, their shapes, and what bounds their speed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "values/record.h"
#include "values/shape.h"

namespace judge::html {

struct Ceilings {
    std::optional<double> fp32_tflops;  // an FFMA on every FP32 lane in every cycle at the highest clock
    std::optional<double> memory_gb_s;  // by the data sheet
};

class View {
  public:
    // Both outlive the view, which has charts at no more shapes than these.
    View(const Json& environment, const std::vector<Row>& rows, size_t most_shapes);

    const Json& environment() const { return environment_; }
    const std::vector<Row>& rows() const { return rows_; }
    const Ceilings& ceilings() const { return ceilings_; }

    // The device that the charts are of: the one with the most timed rows. Times of two are not compared.
    Target device() const { return device_; }

    // At which rows of that device were timed, the smallest first; and of these, those that have charts of their own:
    // of too many, what takes the most work.
    const std::vector<std::string>& all_shapes() const { return all_shapes_; }
    const std::vector<std::string>& shapes() const { return shapes_; }

    // Of those, the one that is shown first: it has the most rows and, of several, takes the most work.
    size_t chosen() const { return chosen_; }

    // The rows of the charts' device at a shape that are right and were timed, in the order of the run.
    std::vector<const Row*> timed(const std::string& shape) const;

    // What these are raced against, empty if nothing; and its TFLOP/s at a shape, by its own row or by the others'
    // ratios.
    std::string baseline() const;
    std::optional<double> baseline_tflops(const std::string& shape) const;

    // Why there are no charts of speed; empty if there are.
    std::string no_speed() const;

    // A chart a shape, of which the page shows the one that the reader has chosen. Those for which `chart` has nothing
    // are said to have none.
    std::string for_each_shape(const std::function<std::string(const std::string& shape)>& chart) const;

  private:
    const Json& environment_;
    const std::vector<Row>& rows_;
    Ceilings ceilings_;
    Target device_ = Target::cpu;
    std::vector<std::string> all_shapes_, shapes_;
    size_t chosen_ = 0;
};

// Of a row or a text; none where it is no shape.
std::optional<Shape> parsed_shape(const std::string& text);

// "4096³" for 4096x4096x4096, where space is short.
std::string short_shape(const std::string& shape);

// The place of a row's class among the classes, from FP32 on, that are shown in a colour of their own; and the classes
// of CSS that give it.
int place_of_class(const Row& row);
std::string style_of_class(const Row& row);

// The row's name and where it ran: "10_naive", or "10_naive (cpu)" if that is not the view's device.
std::string label_of(const View& view, const Row& row);

// "n kernels are", with the verb that goes with the count.
std::string count_of(size_t count, const std::string& noun, const std::string& singular, const std::string& plural);

// What the colours and forms of the marks stand for, for those classes that these rows have.
std::string legend(const std::vector<const Row*>& rows);

}  // namespace judge::html
