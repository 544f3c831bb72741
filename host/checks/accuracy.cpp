#include "checks/accuracy.h"

#include <fmt/format.h>

#include "checks/bound.h"
#include "checks/conduct_check.h"
#include "checks/probes.h"
#include "checks/process_state.h"

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
    Verdict verdict = problem.judge(solve, arithmetic(), truncates());
    const auto measure_and_judge_again = [&] {
        measure();
        if (arithmetic() == plugin_.arithmetic() && !truncates()) return;
        settings_.phase("checking " + row.shape);
        const std::optional<bool> deterministic = verdict.deterministic;
        verdict = problem.judge(solve, arithmetic(), truncates());
        verdict.deterministic = deterministic;
    };
    if (gemm && !precision_ && may_be_rounding(verdict, problem.shape().N, problem.data())) measure_and_judge_again();
    // An emulated call takes a thousand times as long: there the probes' small product is the one that is repeated.
    if (verdict.status == Status::ok && !settings_.emulated) {
        settings_.phase("repeating " + row.shape);
        problem.repeat(verdict, solve);
        // A race takes new inputs by itself; but what remembers results would fail the probes for another reason.
        const bool new_inputs = settings_.check_only || (gemm && !precision_);
        if (verdict.status == Status::ok && new_inputs) judge_on_new_inputs(problem, call, verdict);
    }
    if (gemm && !precision_ && verdict.status == Status::ok) measure_and_judge_again();
    if (settings_.effort != Effort::quick) nonzero_in_zero_rows_.reset();
    if (gemm && verdict.status == Status::ok && !settings_.emulated && !nonzero_in_zero_rows_) {
        nonzero_in_zero_rows_ = problem.nonzero_in_zero_rows(solve);
    }
    put_verdict(row, verdict);
    if (settings_.emulated && precision_) row.deterministic = precision_->evidence.deterministic;
    if (gemm && (row.status == Status::ok || row.status == Status::wrong)) put_class(row);
}

// Leaves the inputs as they were: the baseline's error is that on the same ones.
void AccuracyJudge::judge_on_new_inputs(Problem& problem, const Solve& call, Verdict& verdict) {
    Verdict again = check_on_new_inputs(problem, call, settings_.next_seed());
    problem.refresh(settings_.seed);
    if (again.status == Status::ok) return;
    again.deterministic = verdict.deterministic;
    verdict = again;
}

void AccuracyJudge::measure() {
    settings_.phase("measuring the precision");
    const Multiply multiply = [this](const float* A, const float* B, float* C, int M, int N, int K) {
        const FloatingPointGuard guard;
        plugin_.solve(A, B, C, M, N, K);
    };
    const bool small = settings_.emulated || settings_.effort == Effort::quick;
    precision_ = classify(run_probes(device_, multiply, settings_.seed, small ? kSmallSizes : ProbeSizes{}));
}

// The arithmetic whose bound the plugin is held to: its claim, or, where it claims nothing, what the probes found.
uint32_t AccuracyJudge::arithmetic() const {
    if (plugin_.info() || !precision_ || precision_->evidence.rounding == Rounding::none) return plugin_.arithmetic();
    return precision_->grade == PrecisionClass::bf16 ? SOLVE_ARITHMETIC_BF16 : SOLVE_ARITHMETIC_TF32;
}

bool AccuracyJudge::truncates() const {
    return precision_ && judge::truncates(precision_->evidence.rounding);
}

void AccuracyJudge::put_class(Row& row) const {
    if (!precision_) {
        row.precision = to_string(PrecisionClass::wrong);
        return;
    }
    Precision found = *precision_;
    if (nonzero_in_zero_rows_.value_or(0) > 0) {
        found.evidence.nonzero_in_zero_rows = *nonzero_in_zero_rows_;
        found = classify(found.evidence);
    }
    row.evidence = to_json(found.evidence);
    row.evidence["reason"] = found.reason;
    row.precision = to_string(found.grade);

    const PrecisionClass claimed = class_of_claim(plugin_.arithmetic());
    const std::string measured = fmt::format("measures {} ({})", row.precision, found.reason);
    if (plugin_.info() && is_low(found.grade) && found.grade > claimed) {
        row.status = Status::wrong;
        row.message =
            fmt::format("claims {}, {}{}{}", row.arithmetic, measured, row.message.empty() ? "" : "; ", row.message);
    } else if (row.status == Status::wrong) {
        if (found.grade == PrecisionClass::wrong) {
            add_note(row, "so in the probes: " + found.reason);
        } else if (found.grade != PrecisionClass::fp32) {
            add_note(row, measured);
        }
        row.precision = to_string(PrecisionClass::wrong);
    } else if (found.grade == PrecisionClass::wrong) {
        row.status = Status::wrong;
        row.message = "right at this shape and on these data, but not in general: " + found.reason;
    } else if (settings_.require && !satisfies(found.grade, *settings_.require)) {
        row.status = Status::wrong;
        row.message = fmt::format("--require {}, and it {}; to judge and time it all the same: {}",
                                  requirement(*settings_.require), measured,
                                  is_low(found.grade) || found.grade == PrecisionClass::fp32_emulated
                                      ? "--require " + requirement(found.grade)
                                      : "no --require");
    } else if (plugin_.info() && found.grade <= PrecisionClass::bf16 && found.grade != claimed &&
               claimed != PrecisionClass::fp32_emulated) {
        add_note(row, fmt::format("claims {}, {}", row.arithmetic, measured));
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
