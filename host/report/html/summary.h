// How many rows came to what, and why.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section summary(const View& view);

}  // namespace judge::html
