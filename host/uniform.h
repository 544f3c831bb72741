// The input matrices: a counter-based generator, so that any element can be made again at any time, on the host and on
// the GPU alike, and no clean copy of the inputs has to lie in memory while a plugin runs.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

namespace judge {

// Element `index` of stream `seed`: uniform on [-1, 1), a multiple of 2^-23, so exact in FP32.
HOST_DEVICE inline float uniform(uint64_t seed, uint64_t index) {
    // splitmix64's finaliser, twice, so that neighbouring seeds give unrelated streams.
    const auto mix = [](uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    };
    const uint64_t bits = mix(mix(seed + 0x9e3779b97f4a7c15ull) + index * 0x9e3779b97f4a7c15ull);
    const int32_t top = static_cast<int32_t>(bits >> 40) - (1 << 23);  // 24 bits, centred on 0
    return static_cast<float>(top) * 0x1p-23f;
}

}  // namespace judge
