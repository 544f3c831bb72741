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

namespace judge {

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
    // Throws std::runtime_error where there is no verdict.
    bool judge(const Entry& entry, const std::function<bool()>& cancelled,
               const std::function<void(const std::string&)>& progress, Attempt& attempt);

    // The entry and another library, both raced against a third. Nothing if `cancelled` has said yes; throws as
    // judge().
    std::optional<Run> race_both(const Entry& entry, const std::filesystem::path& other,
                                 const std::filesystem::path& baseline, const std::function<bool()>& cancelled) const;

    // Whether a library in this folder may still be raced against.
    bool needs(const std::filesystem::path& folder) const;

  private:
    struct Kept {
        std::filesystem::path library, folder;
        std::string precision;  // its class
    };

    std::optional<Run> race(const Entry& entry, const std::string& precision, const std::optional<Kept>& other,
                            const std::function<bool()>& cancelled) const;
    std::vector<std::string> arguments(const Entry& entry, const std::vector<std::string>& more) const;

    const Options& options_;
    std::optional<Kept> last_, before_;                         // the last right save, and the one before it
    std::map<std::pair<std::string, std::string>, Kept> best_;  // by class and shape
};

}  // namespace judge
