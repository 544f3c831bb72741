// The times in the order in which they were taken: drift, and a clock that was held down.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section samples(const View& view);

}  // namespace judge::html
