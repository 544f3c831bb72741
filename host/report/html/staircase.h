// How fast each rung is, and what it gained on the one before.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section staircase(const View& view);

}  // namespace judge::html
