#include "watch/contest.h"

#include <fmt/format.h>

#include <algorithm>

namespace judge {

namespace {

// Within one tile, and past one of 128; no size is a multiple of anything.
std::vector<std::string> ragged_shapes(Operation operation) {
    if (operation == Operation::chain) return {"37x29x53x41", "131x67x35x139"};
    return {"37x29x53", "131x67x139"};
}

bool comparable(const std::optional<Kept>& other, const Kept& kept) {
    return other && other->precision == kept.precision;
}

bool is_faster(const SpeedRatio& ratio) {
    return (ratio.interval ? ratio.interval->low : ratio.value) > 1;
}

}  // namespace

void Contest::next_save() {
    if (last_) before_ = last_;
}

bool Contest::judge(const Entry& entry, RunProcess& process, const std::function<bool()>& cancelled,
                    const std::function<void(const std::string&)>& progress, Attempt& attempt) {
    const std::string shape = to_string(entry.shape);
    const bool timed = entry.target != Target::emulator && !options_.check_only;  // an emulated time says nothing
    std::vector<std::string> words;
    for (const std::string& ragged : ragged_shapes(options_.operation)) {
        words.insert(words.end(), {"--check-shape", ragged});
    }
    words.insert(words.end(), {"--shape", shape});
    if (!timed) words.push_back("--check-only");
    if (timed && before_) words.insert(words.end(), {"--baseline", before_->library.string()});
    progress(fmt::format("judging at ragged shapes and {}{}", shape, timed ? ", and timing there" : ""));
    const size_t rows = ragged_shapes(options_.operation).size() + 1;
    const auto run = process.judge(arguments(entry, words), rows, cancelled);
    if (!run) return false;
    take_verdict(*run, attempt);
    if (!is_right(attempt.status)) return true;

    const Kept now{entry.library, entry.folder, attempt.precision};
    const auto done = [&] {
        last_ = now;
        return true;
    };
    if (!timed) return done();
    attempt.tflops = attempt.row->tflops;
    if (comparable(before_, now)) {
        attempt.before = ratio_in(*attempt.row);
    } else {
        drop_ratio(*attempt.row);
    }

    const auto known = best_.find({now.precision, shape});
    if (known != best_.end() && known->second.kept.library != entry.library) {  // a repetition has no other one
        const Best& best = known->second;
        const auto of_before = attempt.before ? best.ratios.find(before_->library) : best.ratios.end();
        if (attempt.before && best.kept.library == before_->library) {
            attempt.best = attempt.before;
        } else if (of_before != best.ratios.end() && entry.effort == Effort::quick) {
            attempt.best = product(*attempt.before, of_before->second);
        } else {
            progress(fmt::format("timing at {} against the best so far", shape));
            process.end();
            const auto again = race(entry, best.kept, cancelled);
            if (!again) return false;
            attempt.best = ratio_in(again->rows.back());
        }
    }
    if (known == best_.end() || (attempt.best && is_faster(*attempt.best))) {
        best_[{now.precision, shape}] = {now, {}};
    } else if (attempt.best) {
        known->second.ratios[now.library] = *attempt.best;
    }
    return done();
}

std::optional<Run> Contest::race_both(const Entry& entry, const std::filesystem::path& other,
                                      const std::filesystem::path& baseline,
                                      const std::function<bool()>& cancelled) const {
    const std::vector<std::string> more = {other.string(), "--shape", to_string(entry.shape), "--baseline",
                                           baseline.string()};
    return RunProcess(entry.target, entry.folder).judge(arguments(entry, more), 2, cancelled);
}

bool Contest::needs(const std::filesystem::path& folder) const {
    const auto is_there = [&](const std::optional<Kept>& kept) { return kept && kept->folder == folder; };
    return is_there(last_) || is_there(before_) ||
           std::any_of(best_.begin(), best_.end(), [&](const auto& best) { return is_there(best.second.kept); });
}

std::optional<Run> Contest::race(const Entry& entry, const Kept& other, const std::function<bool()>& cancelled) const {
    const std::vector<std::string> more = {"--shape", to_string(entry.shape), "--baseline", other.library.string()};
    return RunProcess(entry.target, entry.folder).judge(arguments(entry, more), 1, cancelled);
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
