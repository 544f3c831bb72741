// CUDA on the CPU. Included before every emulated source, as nvcc does with its own.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "cuda_runtime_api.h"
#include "emulator/atomics.h"
#include "emulator/barrier.h"
#include "emulator/intrinsics.h"
#include "emulator/launch.h"
#include "emulator/math.h"
#include "emulator/memory_access.h"
#include "emulator/ptx.h"
#include "emulator/qualifiers.h"
#include "emulator/shared.h"
#include "emulator/thread.h"
#include "emulator/warp.h"
#include "vector_types.h"
