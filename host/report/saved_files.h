// The files of --json, --csv and the like.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// Written after every row. What cannot be written any more is said once and tried again at the next row; the run goes
// on without it.
class SavedFiles {
  public:
    // Either path may be empty. Writes them without rows: what cannot be written at all is found out before the work,
    // not after it, and is a UsageError; but not a full disk, which may have room by then.
    SavedFiles(const std::filesystem::path& json, const std::filesystem::path& csv, const Json& environment);

    // One file more, which is dealt with as those are.
    using Write = std::function<void(const std::vector<Row>&)>;
    void add(Write write);

    void write(const std::vector<Row>& rows);

    // Whether the files hold what was written last.
    bool complete() const;

  private:
    struct File {
        Write write;
        std::string problem;  // of the last write; empty if there was none
    };
    std::vector<File> files_;
};

}  // namespace judge
