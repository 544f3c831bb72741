// Against the baseline, shape by shape: hot, cold, the first call, and what the host spends.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section ratios(const View& view);

}  // namespace judge::html
