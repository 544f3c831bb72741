// What is said of a run while it goes on, on stderr: stdout has the table at the end and nothing else.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/terminal.h"
#include "report/live_view.h"
#include "values/message.h"
#include "values/record.h"

namespace judge {

// live: a table that is drawn anew as it fills, on a terminal. lines: one a row, as it is found.
enum class ProgressKind { automatic, live, lines, none };

class RunProgress {
  public:
    // `rows_of_plugins`: how many rows each plugin of the run has, in their order. automatic is live where stderr is a
    // terminal that can be drawn on, else lines, and so is live on what is none.
    RunProgress(ProgressKind kind, std::vector<size_t> rows_of_plugins, TableStyle style);
    ~RunProgress();  // takes the live table away
    RunProgress(const RunProgress&) = delete;
    RunProgress& operator=(const RunProgress&) = delete;

    void begin(size_t plugin, const std::string& name);
    void hear(const Message& message);         // a Phase or a BatchEnded
    void found(const std::vector<Row>& rows);  // the last one is new

  private:
    using Clock = std::chrono::steady_clock;

    void draw(bool soon);
    void clear();

    ProgressKind kind_;
    std::vector<size_t> rows_of_plugins_;
    TableStyle style_;
    Terminal terminal_;
    RunState state_;
    std::string prefix_;
    std::vector<Row> rows_;
    size_t drawn_ = 0;  // lines that are on the terminal
    Clock::time_point start_ = Clock::now(), last_draw_;
};

}  // namespace judge
