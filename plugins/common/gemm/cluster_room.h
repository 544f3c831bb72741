// How many clusters are active on a GPU at a time, and how many of their blocks are resident per SM then.
//
// A cluster must lie within a part of the GPU, a GPC. An H200 with 132 SMs says that it runs 22 clusters of 5 where one
// block fits per SM, and 47 where two do, not 26 and 52: as if 36 SMs lay in parts of 18, 80 in parts of 16, and 8 in
// one of 8. Others have other parts, so each device is asked, once: 2.6 ms.
//
// How many blocks fit per SM matters even where fewer are needed. 41 x 1972 x 2985 (TT) as 47 clusters of 5 takes 33 us
// where three fit, and 25 where two do. 5154 products in 67's tiles, in clusters of 2 to 16, take 4.4 % longer in the
// mean than with the best number of resident blocks for each if as many fit as registers allow, and 0.6 % longer with
// the number that plan_clusters() chooses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>

#include "../export/device.h"
#include "../ptx/cluster.h"
#include "fit_block.h"

namespace ladder {

class ClusterRoom {
  public:
    ClusterRoom() = default;

    // As if a cluster could lie anywhere.
    explicit ClusterRoom(const DeviceFigures& device) {
        for_each([&](int size, int resident) { return device.sms * resident / size; });
    }

    // Of the current device, whose figures these are; as above what it does not say.
    static ClusterRoom ask(const DeviceFigures& device);

    // Clusters of `size` of which `resident` blocks fit per SM; 1 at least.
    int at_a_time(int size, int resident) const {
        return clusters_[std::min(size, kMostOfLargeCluster)][std::min(resident, kMostResident)];
    }

  private:
    static constexpr int kMostResident = 12;

    template <class Count>
    void for_each(Count count) {
        for (int size = 1; size <= kMostOfLargeCluster; ++size) {
            for (int resident = 1; resident <= kMostResident; ++resident) {
                clusters_[size][resident] =
                    static_cast<uint16_t>(std::clamp(count(size, resident), 1, int{UINT16_MAX}));
            }
        }
    }

    uint16_t clusters_[kMostOfLargeCluster + 1][kMostResident + 1] = {};
};

#ifndef SOLVE_EMULATOR
template <class...>
__global__ void nothing() {}

inline ClusterRoom ClusterRoom::ask(const DeviceFigures& device) {
    ClusterRoom room(device);
    const int largest = largest_cluster(device.capability);
    room.for_each([&](int size, int resident) {
        const int anywhere = room.at_a_time(size, resident);
        if (size == 1 || size > largest) return anywhere;
        const int shared = shared_that_lets(resident, 0, device);
        allow_shared(nothing<>, shared);
        if (size > kMostOfCluster) allow_large_clusters(nothing<>);
        const int count = count_clusters(nothing<>, size, 32, shared);
        return count > 0 ? count : anywhere;
    });
    return room;
}
#endif

inline const ClusterRoom& cluster_room(const DeviceFigures& device) {
#ifndef SOLVE_EMULATOR
    static std::once_flag asked[kMostDevices];
    static ClusterRoom rooms[kMostDevices];
    if (device.number < kMostDevices) {
        std::call_once(asked[device.number], [&] { rooms[device.number] = ClusterRoom::ask(device); });
        return rooms[device.number];
    }
#endif
    thread_local ClusterRoom room;
    room = ClusterRoom(device);
    return room;
}

struct ClusterPlan {
    int waves;
    int blocks;    // that share an SM, at most, in a wave
    int resident;  // that are to fit per SM
    double taken;  // of the room for clusters of which so many blocks share an SM: 0 to 1
};

// For so many clusters of a kernel that has registers for `most` blocks per SM: the fewest resident blocks per SM that
// cost no further wave. But clusters of 2, 4, 8 and 16 get `most` where the blocks of the next kernel, which may start
// early, fit beside theirs.
inline ClusterPlan plan_clusters(double clusters, int size, int most, const ClusterRoom& room) {
    const auto waves_of = [&](int resident) { return std::ceil(clusters / room.at_a_time(size, resident)); };
    const double waves = waves_of(most);
    int blocks = 1;
    while (blocks < most && waves_of(blocks) > waves) ++blocks;
    const bool fits_twice = (size & (size - 1)) == 0 && 2 * blocks <= most;
    return {static_cast<int>(waves), blocks, fits_twice ? most : blocks,
            clusters / (waves * room.at_a_time(size, blocks))};
}

// The shared memory of each block of so many clusters, for which `needed` bytes are enough, so that no more blocks fit
// per SM than should. `most`: as above. Clusters of one are blocks.
inline int shared_for_clusters(int needed, double clusters, int size, int most, const DeviceFigures& device) {
    if (size == 1) return shared_for_even_blocks(needed, clusters, most, device);
    const ClusterPlan plan = plan_clusters(clusters, size, most, cluster_room(device));
    return plan.resident < most ? shared_that_lets(plan.resident, needed, device) : needed;
}

}  // namespace ladder
