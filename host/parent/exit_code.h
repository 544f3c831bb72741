// What the program's exit status says; the numbers are part of the interface.
#pragma once

#include <vector>

#include "values/record.h"

namespace judge {

enum ExitCode {
    kAllOk = 0,
    kUsageError = 1,
    kWrongResult = 2,
    kPluginFailed = 3,  // crash, timeout or load error
    kRegression = 4,
    kSuspicious = 5,
    kNoDevice = 6,
    kNothingMatched = 7,
    kLimited = 8,
    kJudgeFailed = 9,
};

// The lowest of the codes above that a row calls for; kNoDevice if every row is unsupported.
// `allow_limited`: a limited row is as good as one that is ok.
int exit_code(const std::vector<Row>& rows, bool allow_limited = false);

}  // namespace judge
