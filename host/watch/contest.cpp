#include "watch/contest.h"

#include <fmt/format.h>

#include <algorithm>

#include "watch/run.h"

namespace judge {

namespace {

// Within one tile, and past one of 128; no size is a multiple of anything.
std::vector<std::string> ragged_shapes(Operation operation) {
    if (operation == Operation::chain) return {"37x29x53x41", "131x67x35x139"};
    return {"37x29x53", "131x67x139"};
}

bool is_faster(const SpeedRatio& ratio) {
    return (ratio.interval ? ratio.interval->low : ratio.value) > 1;
}

}  // namespace

void Contest::next_save() {
    if (last_) before_ = last_;
}

bool Contest::judge(const Entry& entry, const std::function<bool()>& cancelled,
                    const std::function<void(const std::string&)>& progress, Attempt& attempt) {
    const std::string shape = to_string(entry.shape);
    std::vector<std::string> first = {"--check-only"};
    if (entry.effort == Effort::normal) first.push_back("--quick");
    for (const std::string& ragged : ragged_shapes(options_.operation)) first.insert(first.end(), {"--shape", ragged});
    first.insert(first.end(), {"--shape", shape});
    progress(fmt::format("judging at ragged shapes and {}", shape));
    const auto judged = run_compare(arguments(entry, first), entry.folder, cancelled);
    if (!judged) return false;
    take_verdict(*judged, attempt);
    if (!is_right(attempt.status)) return true;

    const Kept now{entry.library, entry.folder, attempt.precision};
    if (entry.target == Target::emulator || options_.check_only) {  // an emulated time is no performance
        last_ = now;
        return true;
    }
    progress(fmt::format("timing at {}{}", shape, before_ ? " against the save before" : ""));
    const auto timed = race(entry, now.precision, before_, cancelled);
    if (!timed) return false;
    const Row& row = timed->rows.back();
    if (!is_right(row.status)) {
        take_verdict(*timed, attempt);
        return true;
    }
    attempt.row = row;
    attempt.tflops = row.tflops;
    attempt.before = ratio_in(row);

    const auto best = best_.find({now.precision, shape});
    if (best != best_.end() && before_ && best->second.library == before_->library) {
        attempt.best = attempt.before;
    } else if (best != best_.end() && best->second.library != entry.library) {  // a repetition has no other one
        progress(fmt::format("timing at {} against the best so far", shape));
        const auto again = race(entry, now.precision, best->second, cancelled);
        if (!again) return false;
        attempt.best = ratio_in(again->rows.back());
    }
    if (best == best_.end() || (attempt.best && is_faster(*attempt.best))) best_[{now.precision, shape}] = now;
    last_ = now;
    return true;
}

std::optional<Run> Contest::race_both(const Entry& entry, const std::filesystem::path& other,
                                      const std::filesystem::path& baseline,
                                      const std::function<bool()>& cancelled) const {
    const std::vector<std::string> more = {other.string(), "--shape", to_string(entry.shape), "--baseline",
                                           baseline.string()};
    return run_compare(arguments(entry, more), entry.folder, cancelled);
}

bool Contest::needs(const std::filesystem::path& folder) const {
    const auto is_there = [&](const std::optional<Kept>& kept) { return kept && kept->folder == folder; };
    return is_there(last_) || is_there(before_) ||
           std::any_of(best_.begin(), best_.end(), [&](const auto& best) { return is_there(best.second); });
}

// Without a ratio if the other one is of another class, or is none. Nothing if it was cancelled.
std::optional<Run> Contest::race(const Entry& entry, const std::string& precision, const std::optional<Kept>& other,
                                 const std::function<bool()>& cancelled) const {
    const bool comparable = other && other->precision == precision;
    std::vector<std::string> more = {"--shape", to_string(entry.shape)};
    if (comparable) more.insert(more.end(), {"--baseline", other->library.string()});
    auto run = run_compare(arguments(entry, more), entry.folder, cancelled);
    if (run && !comparable) drop_ratio(run->rows.back());
    return run;
}

std::vector<std::string> Contest::arguments(const Entry& entry, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {entry.library.string()};
    const auto add = [&](const std::string& option, const std::string& value) {
        words.insert(words.end(), {option, value});
    };
    if (options_.operation == Operation::chain) add("--op", "chain");
    if (options_.operation == Operation::full_gemm) {
        add("--op", "gemm:" + to_string(options_.form));
        add("--batch", std::to_string(options_.form.batch));
    }
    add("--data", to_string(options_.data));
    add("--seed", std::to_string(options_.seed));
    add("--timeout", fmt::format("{}", options_.timeout_s));
    add("--misalign", std::to_string(options_.misalignment));
    if (options_.require) add("--require", requirement(*options_.require));
    if (options_.any_shape) add("--require", "any-shape");
    if (entry.effort != Effort::normal) words.push_back(entry.effort == Effort::quick ? "--quick" : "--thorough");
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace judge
