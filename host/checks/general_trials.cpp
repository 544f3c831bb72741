#include "checks/general_trials.h"

#include <algorithm>
#include <array>

#include "checks/probes.h"
#include "values/data.h"

namespace judge {

namespace {

constexpr int kManyRows = 65535 * 128 + 1;
// Past which the emulator would take longer than for all that is smaller.
constexpr int kMostExecuted = 4097, kMostOfDrawnExecuted = 128;
// Unless that is soon done: a kernel of a thread an element takes 6 ms for 65537 rows, one that is launched for each 8
// columns a minute.
constexpr int kMostIfSoonDone = 65537;
constexpr double kSoon = 0.1;  // seconds

bool is_soon_done(const Trial& trial, const std::vector<Trial>& made) {
    for (const Dimension dimension : kDimensions) {
        const int size = size_of(trial.shape, dimension);
        if (size > kMostIfSoonDone || !trial.is_same_call(long_trial(dimension, size))) continue;
        const Trial shorter = long_trial(dimension, kMostExecuted);
        for (const Trial& each : made) {
            if (each.is_same_call(shorter) && each.right()) return each.seconds * size / kMostExecuted < kSoon;
        }
    }
    return false;
}

}  // namespace

Trial product_at(const Shape& shape, int misalignment) {
    Trial trial;
    trial.shape = shape;
    trial.misalignment = misalignment;
    return trial;
}

std::vector<Trial> general_trials(Target device) {
    const bool emulated = device == Target::emulator;
    // The sizes of the probes, so that one which fails there tells of the plugin's arithmetic.
    const ProbeSizes sizes = emulated ? kSmallSizes : ProbeSizes{};
    std::vector<Trial> trials = {product_at(emulated ? Shape{139, 97, 131} : sizes.prime),
                                 product_at(sizes.deep),
                                 product_at({128, 128, 128}, 1),
                                 product_at({5, 0, 7}),
                                 product_at({300, 3, 20}),
                                 product_at({20, 3, 300}),
                                 product_at({0, 5, 7}),
                                 product_at({5, 7, 0}),
                                 product_at({1, 1, 1}),
                                 product_at({3, 5, 2})};
    const auto add = [&](const Shape& shape) { trials.push_back(product_at(shape)); };
    for (const Shape& shape : {Shape{7, 5, 1}, {1, 5, 7}, {5, 1, 7}}) add(shape);
    for (const Shape& shape : {Shape{24, 40, 56}, {36, 20, 44}, {66, 34, 98}, {17, 63, 33}, {48, 16, 80}}) add(shape);
    for (const Shape& equal :
         {Shape{24, 24, 40}, {40, 24, 24}, {24, 40, 24}, {28, 28, 12}, {12, 28, 28}, {28, 12, 28}}) {
        add(equal);
    }
    // The sizes that a kernel looks at by themselves to choose a path: whole in one, ragged in another.
    for (const Shape& whole : {Shape{16, 24, 8}, {128, 16, 128}}) {
        for (int ragged = 1; ragged < 7; ++ragged) {  // bit by bit: M, N, K; neither none nor all of them
            const auto size = [&](int bit, int of, int more) { return ragged >> bit & 1 ? of + more : of; };
            add({size(0, whole.M, 1 + ragged % 3), size(1, whole.N, 3), size(2, whole.K, 2)});
        }
    }
    for (const int size : {1025, 4097, 65537}) {
        if (emulated && size == 1025) continue;  // what cannot do that cannot do 4097 either
        for (const Dimension dimension : kDimensions) trials.push_back(long_trial(dimension, size));
    }
    // Of the rows of A and C, which some keep on a thread's stack: more floats than it has room for.
    constexpr int kPastTheStack = 2'200'013;
    if (device == Target::cpu) add({1, kPastTheStack, 1}), add({1, 1, kPastTheStack});
    return trials;
}

std::vector<Trial> drawn_trials(uint64_t seed) {
    constexpr int kLeastPower = 7, kMostPower = 13;
    std::vector<Trial> trials;
    uint64_t count = 0;
    const auto drawn = [&](int from, int to) {  // both included
        return from + static_cast<int>(random_bits(~seed, ++count) % (to - from + 1));
    };
    for (int power = kLeastPower; power <= kMostPower; ++power) {
        for (const Dimension dimension : kDimensions) {
            for (int other = 0; other < 3; ++other) {
                // Neither of the others 1: such products are among the general ones.
                if (other == dimension && (power + dimension) % 3 != 0) continue;
                std::array<int, 3> sizes = {drawn(2, 9), drawn(2, 9), drawn(2, 9)};
                sizes[other] = 1;
                sizes[dimension] = drawn((1 << power) + 1, 2 << power);
                trials.push_back(product_at({sizes[0], sizes[1], sizes[2]}));
                trials.back().drawn = true;
            }
        }
    }
    return trials;
}

int size_of(const Shape& shape, Dimension dimension) {
    return dimension == kM ? shape.M : dimension == kN ? shape.N : shape.K;
}

Trial long_trial(Dimension dimension, int size) {
    return product_at(dimension == kM ? Shape{size, 2, 3} : dimension == kN ? Shape{6, size, 7} : Shape{3, 2, size});
}

std::vector<Shape> chains_with_equal_sizes() {
    std::vector<Shape> shapes;
    for (int one = 0; one < 4; ++one) {
        for (int other = one + 1; other < 4; ++other) {
            for (const int equal : {40, 12}) {  // either order of the products takes fewer multiply-adds in one of them
                std::array<int, 4> sizes = {24, 29, 20, 33};
                sizes[one] = sizes[other] = equal;
                shapes.push_back({sizes[0], sizes[1], sizes[2], sizes[3]});
            }
        }
    }
    for (const Shape& two_pairs : {Shape{20, 20, 28, 28}, {20, 28, 20, 28}, {20, 28, 28, 20}}) {
        shapes.push_back(two_pairs);
    }
    return shapes;
}

std::vector<Trial> chain_trials() {
    std::vector<Trial> trials;
    const auto add = [&](const Shape& shape) { trials.push_back(product_at(shape)); };
    for (const Shape& shape : {Shape{1, 20, 30, 40}, {20, 1, 30, 40}, {20, 30, 1, 40}, {20, 30, 40, 1}}) add(shape);
    for (const Shape& shape : {Shape{5000, 3, 2, 5}, {3, 5000, 2, 5}, {2, 3, 5000, 5}, {2, 3, 5, 5000}}) add(shape);
    for (const Shape& shape : {Shape{0, 5, 7, 3}, {5, 0, 7, 3}, {5, 7, 0, 3}, {5, 7, 3, 0}, {1, 1, 1, 1}}) add(shape);
    for (const Shape& shape : {Shape{16, 8, 24, 40}, {17, 8, 24, 40}, {16, 9, 24, 40}, {16, 8, 25, 40}}) add(shape);
    for (const Shape& shape : {Shape{16, 8, 24, 41}, {67, 37, 131, 41}, {36, 132, 20, 68}}) add(shape);
    for (const Shape& shape : chains_with_equal_sizes()) add(shape);
    trials.push_back(product_at({32, 32, 32, 32}, 1));
    return trials;
}

std::vector<Trial> noted_trials(Target device) {
    std::vector<Trial> trials(2);
    trials[0].kind = Trial::Kind::negative;
    trials[1].kind = Trial::Kind::null_pointers;
    if (device == Target::cpu || device == Target::gpus) return trials;
    trials.push_back(product_at({kManyRows, 1, 1}));
    trials.push_back(product_at({1, 1, kManyRows}));
    return trials;
}

Trial shorter(const Trial& noted, int exponent) {
    const int size = (1 << exponent) + 1;
    return product_at(noted.shape.M > 1 ? Shape{size, 1, 1} : Shape{1, 1, size});
}

bool is_of_launches_only(const Trial& trial, Target device, const std::vector<Trial>& made) {
    const Shape& shape = trial.shape;
    const int most = trial.drawn ? kMostOfDrawnExecuted : kMostExecuted;
    return device == Target::emulator && !shape.is_chain() && std::max({shape.M, shape.N, shape.K}) > most &&
           (trial.drawn || !is_soon_done(trial, made));
}

}  // namespace judge
