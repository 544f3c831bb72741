#include "host/report/row_order.h"

#include "tests/catch.h"

using namespace judge;

namespace {

Row row_of(const std::string& plugin, const std::string& shape, const std::string& precision, double ms, double error) {
    Row row;
    row.plugin = plugin;
    row.shape = shape;
    row.precision = precision;
    row.status = Status::ok;
    row.max_error = error;
    if (ms > 0) row.median_ms = ms;
    return row;
}

std::string names(const std::vector<Row>& rows) {
    std::string text;
    for (const Row& row : rows) text += row.plugin + "@" + row.shape + " ";
    return text;
}

std::vector<Row> some_rows() {
    std::vector<Row> rows = {row_of("d", "8", "TF32-grade", 1, 4), row_of("c", "9", "FP32", 5, 1),
                             row_of("b", "8", "FP32", 3, 3),       row_of("a", "8", "FP32", 0, 2),
                             row_of("e", "8", "FP32", 2, 1),       row_of("f", "8", "FP32", 1, 0)};
    rows.back().status = Status::suspicious;  // a time that does not count
    rows.back().max_error.reset();
    return rows;
}

}  // namespace

TEST_CASE("rows stay as they came unless an order is asked for, and then come shape by shape") {
    CHECK(names(sorted(some_rows(), Sort::none)) == "d@8 c@9 b@8 a@8 e@8 f@8 ");
    CHECK(names(sorted(some_rows(), Sort::name)) == "a@8 b@8 d@8 e@8 f@8 c@9 ");
    CHECK(shapes_of(some_rows()) == std::vector<std::string>{"8", "9"});
}

TEST_CASE("by speed: the fastest first within its class, what has no time that counts after them") {
    CHECK(names(sorted(some_rows(), Sort::speed)) == "e@8 b@8 a@8 f@8 d@8 c@9 ");
}

TEST_CASE("by error: the smallest first, what has none last") {
    CHECK(names(sorted(some_rows(), Sort::error)) == "e@8 a@8 b@8 d@8 f@8 c@9 ");
}
