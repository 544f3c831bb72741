// plugins/common/gemm/cluster_room.h: how many blocks of clusters share an SM.
#include "../../plugins/common/gemm/cluster_room.h"

#include "../catch.h"

namespace {

constexpr ladder::DeviceFigures kH100 = {
    .capability = 90, .sms = 132, .shared_of_block = 227 << 10, .shared_of_sm = 228 << 10};

ladder::ClusterPlan plan(double clusters, int size, int most) {
    return ladder::plan_clusters(clusters, size, most, ladder::ClusterRoom(kH100));  // 26, 52, 79 ... clusters of 5
}

}  // namespace

TEST_CASE("clusters get room for as few blocks per SM as cost no wave") {
    const ladder::ClusterPlan few = plan(26, 5, 5), more = plan(27, 5, 5);
    CHECK((few.waves == 1 && few.blocks == 1 && few.resident == 1));
    CHECK((more.waves == 1 && more.blocks == 2 && more.resident == 2));
    CHECK(few.taken == 1);
    CHECK(more.taken == 27.0 / 52);
    const ladder::ClusterPlan most = plan(132, 5, 5), two_waves = plan(133, 5, 5);
    CHECK((most.waves == 1 && most.blocks == 5 && most.resident == 5));
    CHECK((two_waves.waves == 2 && two_waves.blocks == 3 && two_waves.resident == 3));
    CHECK(two_waves.taken == 133.0 / (2 * 79));
    CHECK(plan(1e9, 5, 5).waves == 7575758);
}

TEST_CASE("clusters of a power of two get all the room there is, where as many fit beside them") {
    CHECK(plan(33, 4, 5).resident == 5);  // one per SM
    CHECK(plan(66, 4, 5).resident == 5);  // two
    CHECK(plan(67, 4, 5).resident == 3);  // three, and not six
    CHECK(plan(20, 6, 5).resident == 1);
    CHECK(plan(1, 16, 1).resident == 1);
}

TEST_CASE("a device smaller than a cluster has room for one") {
    const ladder::DeviceFigures three = {.capability = 90, .sms = 3};
    CHECK(ladder::ClusterRoom(three).at_a_time(16, 1) == 1);
    CHECK(ladder::ClusterRoom(three).at_a_time(2, 1) == 1);
    CHECK(ladder::ClusterRoom(three).at_a_time(2, 2) == 3);
}

TEST_CASE("no more blocks fit per SM than their shared memory lets") {
    for (int resident = 1; resident <= 12; ++resident) {
        const int of_block = ladder::shared_that_lets(resident, 0, kH100) + ladder::kSharedOfSystem;
        CAPTURE(resident);
        CHECK(kH100.shared_of_sm / of_block == resident);
        CHECK(ladder::shared_that_lets(resident, 227 << 10, kH100) == 227 << 10);  // what it needs, it gets
    }
}

TEST_CASE("blocks and clusters get shared memory with which no more fit per SM than should") {
    const auto fit = [](double clusters, int size, int most) {
        constexpr int kNeeded = 4096;
        const int shared = ladder::shared_for_clusters(kNeeded, clusters, size, most, kH100);
        return shared == kNeeded ? most : kH100.shared_of_sm / (shared + ladder::kSharedOfSystem);
    };
    CHECK(fit(132, 1, 3) == 3);  // the next kernel's fit beside them
    CHECK(fit(133, 1, 3) == 2);
    CHECK(fit(264, 1, 3) == 2);
    CHECK(fit(265, 1, 3) == 3);
    CHECK(fit(27, 5, 5) == 2);
    CHECK(fit(33, 4, 5) == 5);
}
