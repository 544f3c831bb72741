// What the kernels take: blocks, threads, registers, shared memory, and how many fit per SM.
#pragma once

#include "report/html/section.h"
#include "report/html/view.h"

namespace judge::html {

Section launches(const View& view);

}  // namespace judge::html
