// Every row.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section verdicts(const View& view);

}  // namespace judge::html
