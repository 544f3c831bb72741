// Trials of a plugin: each is made in this process or, after one that failed, in another that judges nothing else.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checks/limits.h"
#include "checks/small_product.h"
#include "device/device.h"
#include "library/plugin.h"
#include "values/job.h"
#include "values/trial.h"
#include "worker/channel.h"

namespace judge {

class Trials {
  public:
    // All must outlive this.
    Trials(const Job& job, const Channel& channel, Device& device, const Plugin& plugin);

    // At the start of a worker: goes on with what an earlier one left open. Ends the process if a trial was made, since
    // what failed there may have spoiled it; the next worker judges.
    void investigate();

    // After C was right at a shape: is it right in general? Ends the process where a trial fails; the next worker is to
    // investigate.
    void make_general();

    // After C was wrong for the first time: ends the process, for the next worker to look for the mistake.
    void leave_mistake_to_next() const;

    // Other orders of the arguments and other layouts.
    void look_for_mistake();

    // Makes the call, whose kind is precision or promises, and lets the next worker know if it ends this process.
    void survive(Trial::Kind kind, const std::function<void()>& call);
    bool died_of(Trial::Kind kind) const;

    // Sizes for the probes of the class; nothing where it is not right at enough of them, or died of them before.
    std::optional<ProbeSizes> probe_sizes(const ProbeSizes& sizes) const;

    // A shape like this one at which it is right; nothing if none is known.
    std::optional<Shape> shape_like(const Shape& shape) const;

    std::string limits() const;      // describe() of the trials made
    std::string complaint() const;   // describe_noted() of them
    std::string dependence() const;  // describe_dependence() of them

  private:
    void make(Trial trial);
    void judge(Trial& trial) const;
    std::vector<Trial> planned() const;  // what make_general() makes of this operation
    void check_launches(Trial& trial) const;
    void try_bad_arguments(Trial& trial) const;
    Matrix multiply(const Operands& operands, bool exchanged) const;
    void search(Trial& trial) const;
    void record(const Trial& trial);
    bool may_have_spoiled(const Trial& trial) const;
    bool failed_at_launch(const Trial& trial) const;
    bool is_made(const Trial& trial) const;
    [[noreturn]] void hand_over() const;

    const Job& job_;
    const Channel& channel_;
    Device& device_;
    const Plugin& plugin_;
    std::vector<Trial> made_;
};

}  // namespace judge
