// Against an earlier run: what became faster, slower, right or wrong.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"
#include "values/saved_run.h"

namespace judge::html {

// The rows' own `slowdown` says how much longer they take than in the earlier run.
Section changes(const View& view, const SavedRun& earlier);

}  // namespace judge::html
