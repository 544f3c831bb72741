#include "report/row_order.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "values/precision_class.h"

namespace judge {

namespace {

constexpr double kLast = std::numeric_limits<double>::infinity();

void sort_block(std::vector<Row>& rows, Sort sort) {
    const auto by = [&](auto key) {
        std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });
    };
    switch (sort) {
        case Sort::none:
            return;
        case Sort::speed:
            return by([](const Row& row) {
                const bool counts = row.median_ms && is_right(row.status);
                return std::tuple(class_rank(row), counts ? *row.median_ms : kLast);
            });
        case Sort::name:
            return by([](const Row& row) { return row.plugin; });
        case Sort::error:
            return by([](const Row& row) { return row.max_error.value_or(kLast); });
    }
}

}  // namespace

std::vector<std::string> shapes_of(const std::vector<Row>& rows) {
    std::vector<std::string> shapes;
    for (const Row& row : rows) {
        if (std::find(shapes.begin(), shapes.end(), row.shape) == shapes.end()) shapes.push_back(row.shape);
    }
    return shapes;
}

int class_rank(const Row& row) {
    int place = 0;
    while (place <= int(PrecisionClass::wrong) && to_string(static_cast<PrecisionClass>(place)) != row.precision)
        ++place;
    return place;
}

std::vector<Row> sorted(const std::vector<Row>& rows, Sort sort) {
    if (sort == Sort::none) return rows;
    std::vector<Row> all;
    for (const std::string& shape : shapes_of(rows)) {
        std::vector<Row> block;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(block),
                     [&](const Row& row) { return row.shape == shape; });
        sort_block(block, sort);
        all.insert(all.end(), block.begin(), block.end());
    }
    return all;
}

}  // namespace judge
