// What every emulated source begins with, and headers of the standard library that most of the ladder's include:
// compiled once, for all that are compiled with no flags of their own. Every file includes what it uses all the same.
#pragma once

#include <algorithm>
#include <mutex>

#include "cuda_runtime.h"

// Up to here the rewriter has the compiler load what is compiled.
#pragma emulator precompiled
