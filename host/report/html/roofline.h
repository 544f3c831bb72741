// What bounds the speed at each shape: arithmetic or memory.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section roofline(const View& view);

}  // namespace judge::html
