// The GPU that the calling thread uses.
#pragma once

namespace drop_in {

// Whether it is like those of slower.h: an H100 or H200, of compute capability 9.0 with 114 SMs or more.
bool is_like_h100();

}  // namespace drop_in
