// One run of compare in a process of its own, which can be ended at any time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/command.h"
#include "values/json.h"
#include "values/record.h"
#include "values/target.h"

namespace judge {

struct Run {
    Json environment;
    std::vector<Row> rows;
};

// From here on its first worker starts the device, while it is not known yet what is to be judged. It writes to
// `folder`. Nobody else gets a GPU that it has started until its end, the process's, or until it has waited for 10 s.
class RunProcess {
  public:
    RunProcess(Target device, const std::filesystem::path& folder);

    // What `compare ARGUMENTS` finds, as soon as these are all rows: its process takes another 0.1 s to end, as long as
    // the driver needs for a CUDA context. Throws std::runtime_error with what it said if it finds nothing. Nothing is
    // returned where `cancelled`, which is asked some hundred times a second, has said yes: then it is to be ended.
    std::optional<Run> judge(const std::vector<std::string>& arguments, size_t rows,
                             const std::function<bool()>& cancelled);

    // It and its workers, whatever they do; so does the destructor. Before that no other run gets the GPU.
    void end() { compare_.stop(); }

  private:
    // To its stdin, which gets the arguments. It ends by itself if this process is gone before that.
    class Pipe {
      public:
        Pipe();
        ~Pipe();
        Pipe(const Pipe&) = delete;
        Pipe& operator=(const Pipe&) = delete;

        int read_end() const { return ends_[0]; }
        void close_read_end();
        void write_all(const std::string& text);  // and no more than that

      private:
        int ends_[2];
    };

    std::optional<Run> rows_so_far() const;

    const std::filesystem::path folder_, json_;
    Pipe arguments_;
    Command compare_;
};

}  // namespace judge
