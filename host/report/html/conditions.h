// Where and how the figures were taken, the command that takes them again, and the record itself.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

// `room`: how many bytes the record may have within the page. Where its samples do not fit, it comes without them, and
// says so; where even the rest does not, not at all.
Section conditions(const View& view, size_t room);

}  // namespace judge::html
