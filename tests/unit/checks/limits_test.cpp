#include "host/checks/limits.h"
#include "host/checks/limits_text.h"

#include <algorithm>
#include <functional>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using unit::contains;

namespace {

// What a call of a made-up kernel comes to, with the sizes in their order or exchanged.
using Kernel = std::function<Status(const Shape& shape, int misalignment, bool exchanged)>;

void make(const Kernel& kernel, Trial& trial) {
    trial.status = kernel(trial.shape, trial.misalignment, trial.kind == Trial::Kind::exchanged);
    trial.message = trial.right() ? "" : trial.status == Status::crashed ? "killed by SIGSEGV (...) while" : "why";
}

// As the workers do: general trials until one fails, then, alone, what next_trial() asks for.
std::vector<Trial> investigate(const Kernel& kernel, Target device = Target::cpu) {
    std::vector<Trial> trials;
    for (Trial trial : general_trials(device)) {
        make(kernel, trial);
        trials.push_back(trial);
        if (!trial.right()) break;
    }
    while (failed_trial(trials, device) != nullptr) {
        std::optional<Trial> next = next_trial(trials, device);
        if (!next) break;
        CHECK(next->alone);
        make(kernel, *next);
        trials.push_back(*next);
        REQUIRE(trials.size() < 80);
    }
    return trials;
}

std::string what_fails(const Kernel& kernel, Target device = Target::cpu) {
    return describe(investigate(kernel, device), device, "/somewhere/my.so");
}

// Right where this holds, otherwise `otherwise`.
Kernel right_where(const std::function<bool(const Shape&)>& holds, Status otherwise = Status::wrong) {
    return [=](const Shape& shape, int, bool exchanged) { return holds(shape) && !exchanged ? Status::ok : otherwise; };
}

bool starts_with(const std::string& text, const std::string& start) {
    return text.rfind(start, 0) == 0;
}

}  // namespace

TEST_CASE("a kernel that is right everywhere passes the general trials and has no limits") {
    const Kernel right = [](const Shape&, int, bool) { return Status::ok; };
    const auto trials = investigate(right);
    CHECK(trials.size() == general_trials(Target::cpu).size());
    CHECK(describe(trials, Target::cpu, "x.so").empty());
    CHECK(!limits_of(trials, Target::cpu).any());
    CHECK(within(limits_of(trials, Target::cpu), ProbeSizes{})->shape == ProbeSizes{}.shape);
}

TEST_CASE("drawn trials have a size in each interval between powers of two, beside one row, one column or one term") {
    const std::vector<Trial> trials = drawn_trials(3);
    for (const Dimension dimension : kDimensions) {
        for (int power = 7; power < 14; ++power) {
            const auto is_there = [&](Dimension other) {
                return std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
                    const int size = size_of(trial.shape, dimension);
                    return size > 1 << power && size <= 2 << power && size_of(trial.shape, other) == 1;
                });
            };
            CAPTURE(dimension, power);
            for (const Dimension other : kDimensions) CHECK(is_there(other) == (other != dimension));
        }
    }
    CHECK(std::all_of(trials.begin(), trials.end(), [](const Trial& trial) {
        return trial.drawn && trial.shape.M * int64_t{trial.shape.N} * trial.shape.K < 1 << 21;
    }));
    CHECK(trials == drawn_trials(3));
    CHECK(trials != drawn_trials(4));
}

TEST_CASE("a kernel that is wrong at sizes in between, which only drawn trials have, is told one of them") {
    const auto wrong = [](const Shape& s) { return s.M == 1 && s.K > 4200 && s.K <= 8192; };
    const auto kernel = right_where([&](const Shape& s) { return !wrong(s); });
    std::vector<Trial> trials = investigate(kernel);
    CHECK(failed_trial(trials, Target::cpu) == nullptr);
    for (Trial trial : drawn_trials(5)) {
        if (trial.shape.M != 1 || trial.shape.K < 4200) continue;
        make(kernel, trial);
        trials.push_back(trial);
        if (!trial.right()) break;
    }
    REQUIRE(failed_trial(trials, Target::cpu) == &trials.back());
    CHECK(trials.back().drawn);
    const std::string shape = to_string(trials.back().shape);
    while (std::optional<Trial> next = next_trial(trials, Target::cpu)) {
        make(kernel, *next);
        trials.push_back(*next);
        REQUIRE(trials.size() < 120);
    }
    CHECK(contains(describe(trials, Target::cpu, "x.so"), "wrong at " + shape));
    Trial alone = trials.back();
    REQUIRE(alone.alone);
    CHECK(to_string(alone.shape) == shape);
    trials.back().status = Status::ok;  // then it depends on the calls before
    CHECK(contains(describe_dependence(trials, Target::cpu), shape));
}

TEST_CASE("what each size must be a multiple of is found, and told with a failure and a command that repeats it") {
    CHECK(what_fails(right_where([](const Shape& s) { return s.M % 32 == 0 && s.N % 32 == 0 && s.K % 32 == 0; },
                                 Status::crashed)) ==
          "right where M, N, K are multiples of 32; crashed (SIGSEGV) at 317x251x283; "
          "to repeat it: build/compare /somewhere/my.so --shape 317x251x283 --check-only");
    const std::vector<Trial> nowhere = {product_at({139, 97, 131})};
    CHECK(describe(nowhere, Target::emulator, "/somewhere/my.cu")
              .find("compare /somewhere/my.cu --device emulator --shape") != std::string::npos);
    const auto of = [](int m, int n, int k) {
        return what_fails(right_where([=](const Shape& s) { return s.M % m == 0 && s.N % n == 0 && s.K % k == 0; }));
    };
    CHECK(starts_with(of(128, 8, 128), "right where M, K are multiples of 128 and N of 8; wrong at 317x251x283;"));
    CHECK(starts_with(of(1, 4, 1), "right where N is a multiple of 4;"));
    CHECK(starts_with(of(2, 1, 64), "right where K is a multiple of 64 and M of 2;"));
    CHECK(starts_with(of(256, 256, 256), "right where M, N, K are multiples of 256;"));
    for (int multiple = 2; multiple <= 128; multiple *= 2) {
        CAPTURE(multiple);
        CHECK(starts_with(of(1, 1, multiple), "right where K is a multiple of " + std::to_string(multiple) + ";"));
    }
    CHECK(what_fails(right_where([](const Shape& s) { return s.K % 4 == 0; }), Target::emulator)
              .find(" at 139x97x131;") != std::string::npos);
}

TEST_CASE("sizes that must be equal are told from those that must be multiples") {
    const auto text = [](const std::function<bool(const Shape&)>& holds) { return what_fails(right_where(holds)); };
    CHECK(starts_with(text([](const Shape& s) { return s.M == s.N && s.N == s.K; }), "right where M = N = K; "));
    CHECK(starts_with(text([](const Shape& s) { return s.M == s.N && s.N == s.K && s.M % 64 == 0; }),
                      "right where M = N = K, a multiple of 64; "));
    CHECK(starts_with(text([](const Shape& s) { return s.M == s.N; }), "right where M = N; "));
    CHECK(starts_with(text([](const Shape& s) { return s.M == s.K && s.N % 8 == 0; }),
                      "right where M = K, and N is a multiple of 8; "));
}

TEST_CASE("a kernel that takes M, K, N is told so") {
    const auto takes_mkn = [](int multiple) -> Kernel {
        return [=](const Shape& s, int, bool exchanged) {
            const bool fits = s.M % multiple == 0 && s.N % multiple == 0 && s.K % multiple == 0;
            return (exchanged || s.N == s.K) && fits ? Status::ok : Status::crashed;
        };
    };
    CHECK(starts_with(what_fails(takes_mkn(1)),
                      "N is the contraction here; this kernel takes M, K, N; right where N = K; crashed"));
    CHECK(
        starts_with(what_fails(takes_mkn(32)),
                    "N is the contraction here; this kernel takes M, K, N; right where N = K, a multiple of 32, and M "
                    "is a multiple of 32; "));
}

TEST_CASE("pointers that must be aligned, contractions of no terms, tiny sizes") {
    const auto aligned_to = [](int floats) -> Kernel {
        return [=](const Shape&, int misalignment, bool) {
            return misalignment % floats == 0 ? Status::ok : Status::crashed;
        };
    };
    CHECK(what_fails(aligned_to(4)) ==
          "needs 16-byte aligned pointers; to repeat it: build/compare /somewhere/my.so --shape 128x128x128 --misalign "
          "1 --check-only");
    CHECK(starts_with(what_fails(aligned_to(2)), "needs 8-byte aligned pointers; "));
    CHECK(starts_with(what_fails(aligned_to(32)), "needs 128-byte aligned pointers; "));
    CHECK(starts_with(what_fails(aligned_to(64)), "needs 256-byte aligned pointers; "));

    CHECK(what_fails(right_where([](const Shape& s) { return s.N > 0; }, Status::not_written)) ==
          "leaves C unwritten where N = 0; to repeat it: build/compare /somewhere/my.so --shape 5x0x7 --check-only");
    CHECK(starts_with(what_fails(right_where([](const Shape& s) { return s.N % 8 == 0 && s.N > 0; })),
                      "right where N is a multiple of 8; wrong where N = 0; wrong at 317x251x283; "));
    const auto seven = right_where([](const Shape& s) { return s.M == 0 || s.K % 8 != 7; }, Status::not_written);
    CHECK(starts_with(what_fails(seven), "leaves C unwritten at 5x0x7; leaves C unwritten at 1x5x7; "));
    CHECK(starts_with(what_fails(right_where([](const Shape& s) { return s.M * s.K != 1 && s.M * s.K != 6; })),
                      "wrong at 1x1x1; wrong at 3x5x2; "));
    CHECK(starts_with(what_fails(right_where([](const Shape& s) { return s.N <= 1024; })),
                      "right up to N = 1024, not at 1025; wrong at 64x4096x72; "));
    CHECK(starts_with(what_fails([](const Shape& s, int misalignment, bool) {
                          return s.K % 64 == 0 && misalignment % 4 == 0 ? Status::ok : Status::wrong;
                      }),
                      "right where K is a multiple of 64; needs 16-byte aligned pointers; wrong at 317x251x283; "));
}

TEST_CASE("a grid whose axes are exchanged, empty sizes, sizes of 16 bits") {
    const auto text = [](const std::function<bool(const Shape&)>& holds, Target device = Target::cpu) {
        return what_fails(right_where(holds, Status::not_written), device);
    };
    const auto blocks = [](int size) { return (size + 127) / 128; };
    const auto covered = [=](const Shape& s) { return blocks(s.M) == blocks(s.K); };
    CHECK(starts_with(text(covered), "right where M = K; leaves C unwritten at 300x3x20; "));
    CHECK(starts_with(text([](const Shape& s) { return s.M > 0; }), "leaves C unwritten at 0x5x7; "));
    CHECK(starts_with(text([](const Shape& s) { return s.K > 0; }), "leaves C unwritten at 5x7x0; "));
    const auto says = right_where([](const Shape& s) { return s.M > 0; }, Status::suspicious);
    CHECK(starts_with(what_fails(says), "an error at 0x5x7: why; "));
    const std::function<bool(const Shape&)> fits[] = {[](const Shape& s) { return s.M < 65536; },
                                                      [](const Shape& s) { return s.N < 65536; },
                                                      [](const Shape& s) { return s.K < 65536; }};
    for (const auto& fit : fits) CHECK(contains(text(fit), "65537"));
}

TEST_CASE("how long a size may be is found out by powers of two, and told") {
    for (const Target device : {Target::cpu, Target::emulator}) {
        const auto text = [&](const std::function<bool(const Shape&)>& fits) {
            return what_fails(right_where(fits, Status::not_written), device);
        };
        CHECK(starts_with(text([](const Shape& s) { return s.K <= 1024; }), "right up to K = 1024, not at 1025; "));
        CHECK(starts_with(text([](const Shape& s) { return s.M < 2048; }), "right up to M = 1025, not at 2048; "));
        CHECK(starts_with(text([](const Shape& s) { return s.M <= 4096; }), "right up to M = 4096, not at 4097; "));
        CHECK(starts_with(text([](const Shape& s) { return s.N <= 65535; }), "right up to N = 32769, not at 65536; "));
        CHECK(starts_with(text([](const Shape& s) { return s.K <= 65536; }), "right up to K = 65536, not at 65537; "));
        const std::string two = text([](const Shape& s) { return s.M <= 1024 && s.K <= 1024; });
        CHECK(contains(two, "right up to M = 1024, not at 1025; right up to K = 1024, not at 1025; "));
    }
}

TEST_CASE("where a kernel is right up to some size, its precision is measured below that") {
    const auto trials = investigate(right_where([](const Shape& s) { return s.N <= 2048; }));
    const auto sizes = within(limits_of(trials, Target::cpu), ProbeSizes{});
    REQUIRE(sizes);
    CHECK(sizes->shape == ProbeSizes{}.shape);
    CHECK(sizes->deep.N == 2048);
    CHECK(sizes->many.N == 2048);
}

TEST_CASE("with how many rows or columns it begins to fail is looked for, and told") {
    for (const auto& [most, text] : {std::pair{65537, "right up to 65537 columns at least: wrong at 1x1x131073"},
                                     {131072, "right up to 65537 columns at least: wrong at 1x1x131073"},
                                     {1 << 20, "right up to 524289 columns at least: wrong at 1x1x1048577"},
                                     {65535 * 32, "right but for millions of columns: wrong at 1x1x2097153"},
                                     {65535 * 128, "right but for millions of columns: wrong at 1x1x8388481"}}) {
        const Kernel kernel = right_where([most = most](const Shape& s) { return s.K <= most; });
        std::vector<Trial> trials = investigate(kernel, Target::emulator);
        for (Trial trial : noted_trials(Target::emulator)) {
            make(kernel, trial);
            trials.push_back(trial);
        }
        const size_t before = trials.size();
        while (std::optional<Trial> next = next_noted_trial(trials, Target::emulator)) {
            make(kernel, *next);
            trials.push_back(*next);
        }
        CHECK(trials.size() <= before + 3);
        CHECK(failed_trial(trials, Target::emulator) == nullptr);
        CHECK(describe_noted(trials, Target::emulator) == text);
    }
}

TEST_CASE("what is done with a negative size, or with more rows than a grid holds, is told, and limits nothing") {
    for (const Target device : {Target::cpu, Target::emulator, Target::cuda}) {
        std::vector<Trial> trials = investigate([](const Shape&, int, bool) { return Status::ok; }, device);
        CHECK(describe_noted(trials, device).empty());
        const auto noted = noted_trials(device);
        CHECK(noted.size() == (device == Target::cpu ? 2 : 4));
        trials.insert(trials.end(), noted.begin(), noted.end());
        Trial& negative = trials[trials.size() - noted.size()];
        negative.message = "killed by SIGSEGV (...) while";
        CHECK(contains(describe_noted(trials, device), "and it crashed (SIGSEGV)"));
        CHECK(failed_trial(trials, device) == nullptr);
        negative.status = Status::wrong;
        negative.message = "wrote to C at M = -5";
        CHECK(contains(describe_noted(trials, device), "and it wrote to C at M = -5"));
        negative.status = Status::ok;
        Trial& null_pointers = trials[trials.size() - noted.size() + 1];
        null_pointers.status = Status::wrong;
        null_pointers.message = "reports none where A is null";
        CHECK(contains(describe_noted(trials, device),
                       "a null pointer to a matrix that has elements is an error, of which nothing is written "
                       "(abi/solve.h), and it reports none where A is null"));
        CHECK(failed_trial(trials, device) == nullptr);
        null_pointers.status = Status::ok;
        if (device != Target::cpu) {
            CHECK(describe_noted(trials, device) ==
                  "right up to 65537 rows at least: crashed at 8388481x1x1; right up to 65537 columns at least: "
                  "crashed at 1x1x8388481");
        }
        for (Trial& trial : trials) trial.status = Status::ok;
        CHECK(describe_noted(trials, device).empty());
    }
}

TEST_CASE("a chain that fails a trial is right where it was asked only, and told how to repeat the failure") {
    std::vector<Trial> trials = chain_trials();
    for (Trial& trial : trials) trial.status = Status::ok;
    CHECK(failed_trial(trials, Target::cpu) == nullptr);
    trials[0].status = Status::wrong;
    CHECK(
        describe(trials, Target::cpu, "/somewhere/my.so") ==
        "wrong at 1x20x30x40; to repeat it: build/compare /somewhere/my.so --op chain --shape 1x20x30x40 --check-only");
    CHECK(describe_dependence(trials, Target::cpu).empty());
    CHECK(!within(limits_of(trials, Target::cpu), ProbeSizes{}));
}

TEST_CASE("a kernel with whole columns and ragged rows that writes too many rows is told") {
    for (const Target device : {Target::cpu, Target::emulator}) {
        for (const int side : {16, 128}) {
            const std::string told = what_fails(
                right_where([=](const Shape& s) { return s.M % 4 == 0 || s.K % 4 != 0 || s.M < side; }), device);
            CHECK(contains(told, "wrong at"));
        }
    }
}

TEST_CASE("a kernel for one shape has no limits that are known, and no sizes to measure its precision at") {
    const auto trials = investigate(right_where([](const Shape& s) { return s == Shape{512, 512, 512}; }));
    CHECK(starts_with(describe(trials, Target::cpu, "x.so"), "wrong at 317x251x283; "));
    CHECK(!within(limits_of(trials, Target::cpu), ProbeSizes{}));
}

TEST_CASE("what fails after other calls and not alone depends on them") {
    std::vector<Trial> trials = {general_trials(Target::cpu)[0]};
    trials[0].status = Status::wrong;
    trials[0].message = "why";
    Trial next = next_trial(trials, Target::cpu).value();
    CHECK(next.is_same_call(trials[0]));
    next.status = Status::ok;
    trials.push_back(next);
    CHECK(failed_trial(trials, Target::cpu) == nullptr);
    CHECK(describe(trials, Target::cpu, "x.so").empty());
    CHECK(starts_with(describe_dependence(trials, Target::cpu),
                      "right at this shape, then wrong at 317x251x283, and right there in a process of its own"));
}

TEST_CASE("the investigation ends after a trial that hangs, and after twenty that crash") {
    CHECK(starts_with(what_fails(right_where([](const Shape& s) { return s.M % 32 == 0; }, Status::timed_out)),
                      "no answer at 317x251x283; "));
    int crashes = 0;
    const auto trials = investigate([&](const Shape& s, int misalignment, bool) {
        const bool right = s.M % 128 == 0 && s.N % 128 == 0 && s.K % 128 == 0 && misalignment == 0;
        crashes += !right;
        return right ? Status::ok : Status::crashed;
    });
    CHECK(crashes <= 20);
    CHECK(describe(trials, Target::cpu, "x.so").rfind("right where M, N, K are multiples of 128; needs 256-byte", 0) ==
          0);
}

TEST_CASE("the death of a plugin of its precision's measurement is a limit, and leaves nothing to measure") {
    std::vector<Trial> trials = investigate([](const Shape&, int, bool) { return Status::ok; });
    Trial precision;
    precision.kind = Trial::Kind::precision;
    precision.message = "killed by SIGFPE (...) while measuring";
    trials.push_back(precision);
    CHECK(describe(trials, Target::cpu, "x.so") == "crashed (SIGFPE) while its precision was measured");
    CHECK(!next_trial(trials, Target::cpu));
}

TEST_CASE("sizes to measure the precision at are of the kind that is right, also with A and B exchanged") {
    Limits limits;
    limits.M = 64;
    limits.N = 24;
    limits.K = 96;
    const ProbeSizes sizes = within(limits, ProbeSizes{}).value();
    for (const Shape& shape : {sizes.shape, sizes.deep, sizes.prime, sizes.exact}) {
        CHECK(shape.M % 192 == 0);
        CHECK(shape.N % 24 == 0);
        CHECK(shape.K % 192 == 0);
    }
    limits.equal = Limits::Equal::NK;
    const Shape cube = within(limits, ProbeSizes{})->shape;
    CHECK(cube == Shape{384, 384, 384});
    ProbeSizes with_large;
    with_large.large = true;
    CHECK(!within(limits, with_large)->large);
    limits = {};
    limits.located = true;
    ProbeSizes but_thin = with_large;
    but_thin.thin = false;
    CHECK(within(limits, with_large) == but_thin);
    limits.most[kK] = {1024, 1025};  // which the other products are within
    CHECK(!within(limits, with_large)->large);
}

TEST_CASE("a failure is explained by the arguments, by the layout, or by where else it is right") {
    std::vector<Trial> trials = mistake_trials();
    REQUIRE(trials.size() == 3);
    CHECK(explain_failure(trials, Target::cpu).empty());
    trials[2].status = Status::ok;
    CHECK(explain_failure(trials, Target::cpu) == "right at 256x128x384: does it need such multiples?");
    trials[1].status = Status::ok;
    trials[1].message = "it is that other product";
    CHECK(explain_failure(trials, Target::cpu) == "it is that other product");
    trials[0].status = Status::ok;
    CHECK(explain_failure(trials, Target::cpu) == "N is the contraction here; this kernel takes M, K, N");
    CHECK(explain_failure(investigate(right_where([](const Shape& s) { return s.N % 8 == 0; })), Target::cpu) ==
          "right where N is a multiple of 8");
}
