#include "host/checks/verdict.h"

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

TEST_CASE("a verdict puts its status and its figures into a row, and no error where nothing finite was compared") {
    Verdict verdict;
    verdict.status = Status::wrong;
    verdict.message = "off";
    verdict.rho_bound = 17;
    verdict.sampled = true;
    verdict.unwritten = 2;
    verdict.comparison.compared = 10;
    verdict.comparison.wrong = 3;
    verdict.comparison.nan = 4;
    verdict.comparison.inf = 5;
    verdict.comparison.max_error = 0.25;
    verdict.comparison.rho = 99;
    verdict.comparison.error_sum_of_squares = 9;
    verdict.comparison.product_sum_of_squares = 900;
    verdict.comparison.not_close = 1;
    verdict.deterministic = true;
    Row row;
    put_verdict(row, verdict);
    CHECK(row.status == Status::wrong);
    CHECK(row.message == "off");
    CHECK(row.bound == 17.0);
    CHECK(row.sampled);
    CHECK(row.unwritten_elements == 2);
    CHECK(row.wrong_elements == 3);
    CHECK(row.nan_elements == 4);
    CHECK(row.inf_elements == 5);
    CHECK(row.max_error == 0.25);
    CHECK(row.rho == 99.0);
    CHECK(row.normwise == Approx(0.1));
    CHECK(row.allclose == false);
    CHECK(row.deterministic == true);

    verdict.comparison.compared = 9;
    verdict.deterministic.reset();
    Row nothing;
    put_verdict(nothing, verdict);
    CHECK(!nothing.max_error);
    CHECK(!nothing.rho);
    CHECK(!nothing.normwise);
    CHECK(!nothing.deterministic);
    put_verdict(row, verdict);
    CHECK(row.deterministic == true);  // of the calls on the first inputs
}

TEST_CASE("an explanation counts each kind of bad element, and shows the first") {
    Comparison comparison;
    comparison.compared = 400;
    comparison.wrong = 3;
    comparison.first = Mismatch{12, 34, 1.5, 2.25, 0.001};
    CHECK(explain(comparison) == "3 wrong of 400 elements; first at (12, 34): got 1.5, want 2.25 +- 0.001");
    comparison.nan = 2;
    comparison.inf = 1;
    comparison.first.reset();
    CHECK(contains(explain(comparison), "3 wrong, 2 NaN, 1 infinite of 400 elements"));
    comparison.wrong = comparison.inf = 0;
    CHECK(explain(comparison).starts_with("2 NaN of 400 elements"));
    comparison.compared = 1;
    CHECK(explain(comparison).starts_with("2 NaN of 1 element;"));
}
