#include "checks/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "checks/bound.h"
#include "checks/conduct_check.h"
#include "checks/operation_product.h"
#include "checks/probes.h"
#include "checks/process_state.h"
#include "values/json.h"

namespace judge {

namespace {

PrecisionClass class_of_claim(uint32_t arithmetic) {
    switch (arithmetic) {
        case SOLVE_ARITHMETIC_FP32_EMULATED:
            return PrecisionClass::fp32_emulated;
        case SOLVE_ARITHMETIC_TF32:
        case SOLVE_ARITHMETIC_FP16:
            return PrecisionClass::tf32;
        case SOLVE_ARITHMETIC_BF16:
            return PrecisionClass::bf16;
        default:
            return PrecisionClass::fp32;
    }
}

bool is_low(PrecisionClass precision) {
    return precision == PrecisionClass::tf32 || precision == PrecisionClass::bf16;
}

// As loose as the bound of the class is.
uint32_t arithmetic_of(PrecisionClass grade) {
    switch (grade) {
        case PrecisionClass::fp32_emulated:
        case PrecisionClass::normwise_only:
            return SOLVE_ARITHMETIC_FP32_EMULATED;
        case PrecisionClass::tf32:
            return SOLVE_ARITHMETIC_TF32;
        case PrecisionClass::bf16:
            return SOLVE_ARITHMETIC_BF16;
        default:
            return SOLVE_ARITHMETIC_FP32;
    }
}

// An emulated call takes a thousand times as long: its exact product has the whole N, and as many rows and columns left
// over as the shape has where they are cut in tiles of 64 or less.
Shape few_tiles(const Shape& shape) {
    const auto few = [](int size) { return size < 128 ? size : 64 + size % 64; };
    return {few(shape.M), shape.N, few(shape.K)};
}

// Off by no more than truncating the operands to BF16 explains. What is further off is wrong without a probe.
bool may_be_rounding(const Verdict& verdict, int N, Data data) {
    const Comparison& found = verdict.comparison;
    return verdict.status == Status::wrong && found.nan + found.inf == 0 &&
           found.rho <= rho_bound(N, SOLVE_ARITHMETIC_BF16, data, true);
}

}  // namespace

AccuracyJudge::AccuracyJudge(Device& device, const Plugin& plugin, Settings settings)
    : device_(device), plugin_(plugin), settings_(std::move(settings)) {}

void AccuracyJudge::judge(Problem& problem, const Solve& call, Row& row) {
    const bool gemm = problem.is_plain();
    const auto solve = [&](auto...) { return call(); };
    errors_.reset();
    shape_.reset();
    Verdict verdict = problem.judge(solve, arithmetic(), truncates());
    const auto may_have_a_class = [&] {
        return (verdict.status == Status::ok || may_be_rounding(verdict, problem.shape().N, problem.data()));
    };
    if (gemm && may_have_a_class()) errors_ = problem.row_errors();
    const auto find_class_and_judge_again = [&] {
        const auto before = std::pair(arithmetic(), truncates());
        find_class(problem);
        if (before == std::pair(arithmetic(), truncates())) return;
        settings_.phase("checking " + row.shape);
        const std::optional<bool> deterministic = verdict.deterministic;
        verdict = problem.judge(solve, arithmetic(), truncates());
        verdict.deterministic = deterministic;
    };
    if (verdict.status == Status::wrong && may_have_a_class()) find_class_and_judge_again();
    // An emulated call takes a thousand times as long: there the probes' small product is the one that is repeated.
    if (verdict.status == Status::ok && !settings_.emulated) {
        settings_.phase("repeating " + row.shape);
        problem.repeat(verdict, solve);
        // A race takes new inputs by itself; but what remembers results would fail the probes for another reason.
        const bool new_inputs = settings_.check_only || (gemm && !probed_);
        if (verdict.status == Status::ok && new_inputs) judge_on_new_inputs(problem, call, verdict);
    }
    if (!shape_ && verdict.status == Status::ok) find_class_and_judge_again();
    put_verdict(row, verdict);
    if (settings_.emulated && probes_) row.deterministic = probes_->evidence.deterministic;
    if ((gemm || grade()) && (row.status == Status::ok || row.status == Status::wrong)) put_class(row);
}

// Leaves the inputs as they were: the baseline's error is that on the same ones.
void AccuracyJudge::judge_on_new_inputs(Problem& problem, const Solve& call, Verdict& verdict) {
    Verdict again = check_on_new_inputs(problem, call, settings_.next_seed());
    problem.refresh(settings_.seed);
    if (again.status == Status::ok) return;
    again.deterministic = verdict.deterministic;
    verdict = again;
}

void AccuracyJudge::make_probes(const Multiply& multiply, bool specials) {
    const bool small = settings_.emulated || settings_.effort == Effort::quick;
    ProbeSizes usual = small ? kSmallSizes : ProbeSizes{};
    usual.large = !small;
    usual.larger = !small && device_.compute_capability() == 0;  // on a GPU larger ones are judged by default
    // There tiles of 128 x 128 make 19x4099x21 as much work as all the other probes.
    if (settings_.emulated && settings_.effort == Effort::quick) usual.many.N = 1031;
    const std::optional<ProbeSizes> sizes = settings_.sizes_for(usual);
    probed_ = true;
    if (sizes) usual.thin = sizes->thin;  // which says nothing of the other sizes
    any_size_ = sizes == usual;
    if (!sizes) return;
    settings_.phase("measuring the precision");
    settings_.measure([&] {
        try {
            probes_ = classify(run_probes(device_, multiply, settings_.seed, *sizes, specials));
        } catch (const Unsupported&) {  // then it has no class but that which it claims
        }
    });
}

void AccuracyJudge::find_class(Problem& problem) {
    const Multiply multiply = multiply_by(plugin_, device_, problem);
    if (!probed_) make_probes(multiply, !problem.shape().is_chain());
    if (!problem.is_plain()) return;
    const Shape& shape = problem.shape();
    if (shape.flops() > 0) settings_.phase("checking exact sums at " + to_string(shape));
    const bool few = settings_.emulated && any_size_;
    shape_ = {shape, *errors_, problem.check_exact_product(few ? few_tiles(shape) : shape, multiply)};
    if (!probes_) return;
    for (const ShapeEvidence& product : probes_->evidence.products) {
        shape_->probes_single_rho = std::max(shape_->probes_single_rho, product.exact.single_rho);
    }
}

std::optional<Grade> AccuracyJudge::grade_at_shape() const {
    return shape_ ? std::optional(classify(*shape_)) : std::nullopt;
}

bool AccuracyJudge::decided_by_shape() const {
    return shape_ && (!probes_ || grade_at_shape()->grade > probes_->grade);
}

// The class so far: of the probes, and of this shape once it has been found.
std::optional<Grade> AccuracyJudge::grade() const {
    if (!probes_ && !shape_) return std::nullopt;
    if (!decided_by_shape()) return *probes_;
    const Grade found = *grade_at_shape();
    return Grade{found.grade, "at this shape " + found.reason};
}

// The arithmetic whose bound the plugin is held to: its claim, or, where it claims nothing, what was found. A claim of
// FP32 that is kept by and large, as by 3xTF32, has a note, and the bound of what it is.
uint32_t AccuracyJudge::arithmetic() const {
    const std::optional<Grade> found = grade();
    if (!found) return plugin_.arithmetic();
    const uint32_t measured = arithmetic_of(found->grade);
    if (!plugin_.claims_arithmetic()) return measured;
    const bool looser = plugin_.arithmetic() == SOLVE_ARITHMETIC_FP32 && measured == SOLVE_ARITHMETIC_FP32_EMULATED;
    return looser ? measured : plugin_.arithmetic();
}

bool AccuracyJudge::truncates() const {
    if (decided_by_shape()) return is_low(grade_at_shape()->grade);  // nothing tells how this shape's are rounded
    return probes_ && judge::truncates(probes_->evidence.rounding);
}

void AccuracyJudge::put_class(Row& row) const {
    const std::optional<Grade> grade = this->grade();
    if (!grade) {
        if (row.status == Status::wrong) row.precision = to_string(PrecisionClass::wrong);
        return;
    }
    const Grade& found = *grade;
    Json evidence = probes_ ? to_json(probes_->evidence) : Json::object();
    evidence["reason"] = found.reason;
    evidence["decided_by"] = decided_by_shape() ? "shape" : "probes";
    evidence["shape"] = shape_ ? to_json(*shape_) : Json(nullptr);
    row.evidence = std::make_shared<const Json>(std::move(evidence));
    row.precision = to_string(found.grade);
    // A chain that rounds between its two products makes no product of rounded matrices, and its claim is not refuted.
    if (!shape_ && found.grade == PrecisionClass::wrong && is_low(class_of_claim(plugin_.arithmetic()))) {
        row.precision.clear();
        return;
    }

    const PrecisionClass claimed = class_of_claim(plugin_.arithmetic());
    const std::string measured = fmt::format("measures {} ({})", row.precision, found.reason);
    if (plugin_.claims_arithmetic() && is_low(found.grade) && found.grade > claimed) {
        row.status = Status::wrong;
        row.message =
            fmt::format("claims {}, {}{}{}", row.arithmetic, measured, row.message.empty() ? "" : "; ", row.message);
    } else if (row.status == Status::wrong) {
        if (found.grade == PrecisionClass::wrong) {
            add_note(row, decided_by_shape() ? found.reason : "so in the probes: " + found.reason);
        } else if (found.grade != PrecisionClass::fp32) {
            add_note(row, measured);
        }
        row.precision = to_string(PrecisionClass::wrong);
    } else if (found.grade == PrecisionClass::wrong && !shape_) {
        row.status = Status::limited;
        row.message = "right at this shape, and not at those that its precision was measured at: " + found.reason;
    } else if (found.grade == PrecisionClass::wrong) {
        row.status = Status::wrong;
        row.message = fmt::format("right {}, but {}{}",
                                  decided_by_shape() ? "on these data"
                                                     : "at this shape and on "
                                                       "these data",
                                  decided_by_shape() ? "" : "not in general: ", found.reason);
    } else if (settings_.require && !satisfies(found.grade, *settings_.require)) {
        row.status = Status::wrong;
        row.message = fmt::format("--require {}, and it {}; to judge and time it all the same: {}",
                                  requirement(*settings_.require), measured,
                                  is_low(found.grade) || found.grade == PrecisionClass::fp32_emulated
                                      ? "--require " + requirement(found.grade)
                                      : "no --require");
    } else if (plugin_.claims_arithmetic() && found.grade <= PrecisionClass::normwise_only && found.grade != claimed &&
               claimed != PrecisionClass::fp32_emulated) {
        add_note(row, fmt::format("claims {}, {}", row.arithmetic, measured));
    }
    if (row.status == Status::ok && found.grade == PrecisionClass::fp32 && probes_ &&
        probes_->evidence.flushes_subnormals) {
        add_note(row, "takes numbers below 2^-126 for 0, in A or in C, as --ftz=true and -ffast-math do");
    }
}

void AccuracyJudge::compare_with_baseline(Problem& problem, const std::function<void()>& call, Row& row) {
    if (!row.normwise) return;
    call();
    device_.synchronize();
    const double baseline = problem.sampled_normwise();
    if (baseline > 0) row.error_ratio = *row.normwise / baseline;
}

}  // namespace judge
