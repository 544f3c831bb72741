#include "report/html/verdicts.h"

#include <fmt/format.h>

#include "report/html/markup.h"
#include "report/html/numbers.h"
#include "report/html/table.h"
#include "values/json.h"

namespace judge::html {

Section verdicts(const View& view) {
    Section section{"rows", "All rows", {}, {}};
    if (view.rows().empty()) {
        section.left_out = "no row is finished yet";
        return section;
    }
    Table table("every row of the run", {{"kernel", false},
                                         {"shape", false},
                                         {"status", false},
                                         {"class", false},
                                         {"largest error"},
                                         {"rho / bound"},
                                         {"hot"},
                                         {"cold"},
                                         {"TFLOP/s"},
                                         {"ratio"},
                                         {"message", false}});
    for (const Row& row : view.rows()) {
        const auto& range = row.ratio_interval;
        table.add(
            {{text(label_of(view, row))},
             {text(row.shape)},
             {to_string(row.status), is_right(row.status) ? "" : "s-" + to_string(row.status)},
             {text(class_of(row))},
             {row.max_error ? scientific(*row.max_error) : ""},
             {row.rho && row.bound ? fmt::format("{:.3g} / {:.0f}", *row.rho, *row.bound) : ""},
             {row.median_ms ? duration(*row.median_ms) : ""},
             {row.cold_median_ms ? duration(*row.cold_median_ms) : ""},
             {row.tflops ? three_digits(*row.tflops) : ""},
             {row.ratio ? fmt::format("{:.3f}{}", *row.ratio, range ? "<small>" + interval(*range) + "</small>" : "")
                        : ""},
             {text(row.message, 300)}});
    }
    section.body =
        "<p class=\"filter\" hidden><label>Show the rows with <input type=\"search\" id=\"filter\" "
        "placeholder=\"a name, a shape, a status\"></label> <output id=\"shown\"></output></p>\n" +
        table.html("all-rows");
    return section;
}

}  // namespace judge::html
