// The ratio to the baseline of every kernel at every shape, in one table.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section by_shape(const View& view);

}  // namespace judge::html
