// What is measured only when it is asked for: the time with copies, and the hardware counters.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section host_to_host(const View& view);
Section counters(const View& view);

}  // namespace judge::html
