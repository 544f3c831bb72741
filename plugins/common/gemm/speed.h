// What a model of a kernel's time is given, measured of the kernel on a GPU.
#pragma once

namespace ladder {

// The part of the FFMA peak that the loop reaches, and the cycles of a product that are not the loop's: the launch, the
// first copies, the last stores.
struct Speed {
    double rate, start;
};

}  // namespace ladder
