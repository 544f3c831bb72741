#include "parent/exit_code.h"

#include <algorithm>

namespace judge {

namespace {

int exit_code(Status status) {
    switch (status) {
        case Status::ok:
        case Status::unsupported:
            return kAllOk;
        case Status::wrong:
        case Status::not_written:
        case Status::out_of_bounds:
        case Status::input_modified:
            return kWrongResult;
        case Status::crashed:
        case Status::timed_out:
        case Status::load_error:
            return kPluginFailed;
        case Status::suspicious:
            return kSuspicious;
        case Status::limited:
            return kLimited;
        case Status::judge_failed:
            return kJudgeFailed;
    }
    return kPluginFailed;
}

}  // namespace

int exit_code(const std::vector<Row>& rows, bool allow_limited) {
    const auto unsupported = [](const Row& row) { return row.status == Status::unsupported; };
    if (!rows.empty() && std::all_of(rows.begin(), rows.end(), unsupported)) return kNoDevice;
    int code = kAllOk;
    for (const Row& row : rows) {
        int of_row = exit_code(row.status);
        if (of_row == kLimited && allow_limited) of_row = kAllOk;
        if ((of_row == kAllOk || of_row == kLimited) && !row.regression.empty()) of_row = kRegression;
        if (of_row != kAllOk && (code == kAllOk || of_row < code)) code = of_row;
    }
    return code;
}

}  // namespace judge
