// Judges each save, and races what is right against earlier ones.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parent/options.h"
#include "watch/attempt.h"
#include "watch/run.h"

namespace judge {

// A save that was right.
struct Kept {
    std::filesystem::path library, folder;
    std::string precision;  // its class
};

class Contest {
  public:
    explicit Contest(const Options& options) : options_(options) {}

    struct Entry {
        std::filesystem::path library;  // in `folder`, which is to stay as long as needs() says so
        std::filesystem::path folder;
        Target target = Target::cpu;
        Shape shape;  // that is timed
        Effort effort = Effort::normal;
    };

    // The next entry is another save, no repetition: from now on what was right last is the save before.
    void next_save();

    // Fills in the verdict and the speed; `progress` is told what is done next. False if `cancelled` has said yes.
    //
    // One run of compare, by `process`, races it against the save before. The ratio to the best so far is a second run
    // or, where the effort is quick and the ratio of the save before is known, the product of the two, since a second
    // run takes as long as the first. Throws std::runtime_error where there is no verdict.
    bool judge(const Entry& entry, RunProcess& process, const std::function<bool()>& cancelled,
               const std::function<void(const std::string&)>& progress, Attempt& attempt);

    // The entry and another library, both raced against a third. Nothing if `cancelled` has said yes; throws as
    // judge().
    std::optional<Run> race_both(const Entry& entry, const std::filesystem::path& other,
                                 const std::filesystem::path& baseline, const std::function<bool()>& cancelled) const;

    // Whether a library in this folder may still be raced against.
    bool needs(const std::filesystem::path& folder) const;

  private:
    struct Best {
        Kept kept;
        std::map<std::filesystem::path, SpeedRatio> ratios;  // to it, of the libraries of later saves
    };

    std::optional<Run> race(const Entry& entry, const Kept& other, const std::function<bool()>& cancelled) const;
    std::vector<std::string> arguments(const Entry& entry, const std::vector<std::string>& more) const;

    const Options& options_;
    std::optional<Kept> last_, before_;                         // the last right save, and the one before it
    std::map<std::pair<std::string, std::string>, Best> best_;  // by class and shape
};

}  // namespace judge
