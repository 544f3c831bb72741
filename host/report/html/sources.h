// The source of each kernel, marked where it differs from the rung that it stands on.
#pragma once

#include "report/html/section.h"
#include "report/html/source_file.h"
#include "report/html/view.h"

namespace judge::html {

// What does not fit into `room` bytes is named, and left out.
Section sources(const View& view, SourceFiles& files, size_t room);

}  // namespace judge::html
