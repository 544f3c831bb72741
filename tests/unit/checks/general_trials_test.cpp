#include "host/checks/general_trials.h"

#include "host/checks/small_product.h"
#include "tests/catch.h"

using namespace judge;

namespace {

Trial right(Trial trial, double seconds) {
    trial.status = Status::ok;
    trial.seconds = seconds;
    return trial;
}

}  // namespace

TEST_CASE("what is long in one size is executed in the emulator where the shorter one was soon done") {
    for (const Dimension dimension : kDimensions) {
        const auto launches_only = [&](int size, const std::vector<Trial>& made) {
            return is_of_launches_only(long_trial(dimension, size), Target::emulator, made);
        };
        const std::vector<Trial> quick = {right(long_trial(dimension, 4097), 0.001)};
        CHECK_FALSE(launches_only(4097, {}));
        CHECK(launches_only(65537, {}));
        CHECK_FALSE(launches_only(65537, quick));
        CHECK_FALSE(launches_only(32769, quick));  // on the way to how many it can do
        CHECK(launches_only(131073, quick));
        CHECK(launches_only(65537, {right(long_trial(dimension, 4097), 0.01)}));
        Trial wrong = quick[0];
        wrong.status = Status::wrong;
        CHECK(launches_only(65537, {wrong}));
        CHECK_FALSE(is_of_launches_only(long_trial(dimension, 65537), Target::cuda, {}));
        CHECK_FALSE(is_of_launches_only(long_trial(dimension, 65537), Target::cpu, {}));
    }
    const std::vector<Trial> of_rows = {right(long_trial(kM, 4097), 0.001)};
    CHECK(is_of_launches_only(long_trial(kK, 65537), Target::emulator, of_rows));
    CHECK(is_of_launches_only(product_at({65537, 9, 3}), Target::emulator, of_rows));
}

TEST_CASE("the last term of a long product shows in C whatever the seed is") {
    const Shape shape = long_trial(kN, 129).shape;
    const auto any_is_not_0 = [](int length, const auto& at) {
        for (int i = 0; i < length; ++i) {
            if (at(i) != 0) return true;
        }
        return false;
    };
    int hidden = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        Operands operands = random_operands(shape, seed, Data::integers);
        const int last = shape.N - 1;
        hidden += !any_is_not_0(shape.M, [&](int i) { return operands.A(i, last); }) ||
                  !any_is_not_0(shape.K, [&](int k) { return operands.B(last, k); });
    }
    CHECK(hidden == 0);
}
