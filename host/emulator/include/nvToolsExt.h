// Ranges for a profiler, which there is none of here.
#pragma once

inline int nvtxRangePushA(const char*) {
    return 0;
}
inline int nvtxRangePop() {
    return 0;
}
inline void nvtxMarkA(const char*) {}
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
