// How far off the products are, and what less accuracy buys.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section accuracy(const View& view);

}  // namespace judge::html
