// The accuracy part of a row: the bound at its shape and data, the precision class, and what they come to together.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "checks/classifier.h"
#include "checks/probes.h"
#include "checks/problem.h"
#include "device/device.h"
#include "library/plugin.h"
#include "values/effort.h"
#include "values/precision_class.h"
#include "values/record.h"

namespace judge {

class AccuracyJudge {
  public:
    // What the job says. `phase` is told what is done next.
    struct Settings {
        uint64_t seed = 0;
        bool emulated = false;
        bool check_only = false;
        Effort effort = Effort::normal;
        std::optional<PrecisionClass> require;
        std::function<void(const std::string&)> phase;
        std::function<uint64_t()> next_seed;  // of other inputs, none twice
        // Sizes like these at which the plugin is right; nothing where it is not right at enough of them.
        std::function<std::optional<ProbeSizes>(const ProbeSizes&)> sizes_for;
        std::function<void(const std::function<void()>&)> measure;  // makes the call, which the plugin may not survive
    };

    AccuracyJudge(Device& device, const Plugin& plugin, Settings settings);

    // The plugin's call on the problem.
    using Solve = std::function<CallErrors()>;

    // Fills in the row's status, message and accuracy: of several calls, on new inputs too where no race follows, and,
    // for solve alone, of an exact product. The class is the lower one of what the products of this shape leave, for
    // solve alone, and of the probes, which are made once, at the first product that is right, or wrong by no more than
    // a rounding of its operands.
    void judge(Problem& problem, const Solve& call, Row& row);

    // Fills in the row's error ratio: `call` is the baseline's, on the same matrices.
    void compare_with_baseline(Problem& problem, const std::function<void()>& call, Row& row);

  private:
    void judge_on_new_inputs(Problem& problem, const Solve& call, Verdict& verdict);
    void make_probes(const Multiply& multiply, bool specials);
    void find_class(Problem& problem);
    std::optional<Grade> grade_at_shape() const;
    bool decided_by_shape() const;
    std::optional<Grade> grade() const;
    uint32_t arithmetic() const;
    bool truncates() const;
    void put_class(Row& row) const;

    Device& device_;
    const Plugin& plugin_;
    Settings settings_;
    bool probed_ = false;    // or nothing was found to make probes at
    bool any_size_ = false;  // at which the probes were made
    std::optional<Precision> probes_;
    std::optional<RowErrors> errors_;     // at this shape, of the first product, if it may have a class
    std::optional<ShapeEvidence> shape_;  // at this shape
};

}  // namespace judge
