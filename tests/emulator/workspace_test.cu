// Memory for the length of a call: who has which block when.
#include "../../plugins/common/export/workspace.h"

#include <memory>
#include <set>
#include <vector>

#include "../catch.h"

using namespace ladder;

namespace {

class OwnStream {
  public:
    OwnStream() { REQUIRE(cudaStreamCreate(&stream_) == cudaSuccess); }
    ~OwnStream() { cudaStreamDestroy(stream_); }
    OwnStream(const OwnStream&) = delete;
    operator cudaStream_t() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

float* used_by_a_call(cudaStream_t stream, size_t bytes = 1000) {
    const Workspace workspace(bytes, stream);
    return workspace.data();
}

}  // namespace

TEST_CASE("the calls of a stream have one block, and those of two streams two") {
    const OwnStream one, other;
    float* const first = used_by_a_call(one);
    REQUIRE(first != nullptr);
    CHECK(used_by_a_call(one) == first);
    CHECK(used_by_a_call(other) != first);
    CHECK(used_by_a_call(nullptr) != first);
    CHECK(used_by_a_call(one) == first);
}

TEST_CASE("two calls that are enqueued on a stream at a time have different memory") {
    const OwnStream stream;
    const Workspace first(1000, stream), second(1000, stream);
    REQUIRE((first.data() != nullptr && second.data() != nullptr));
    CHECK(first.data() != second.data());
}

TEST_CASE("a block grows with what is asked of it") {
    const OwnStream stream;
    used_by_a_call(stream, 10);
    float* const large = used_by_a_call(stream, size_t{9} << 20);
    REQUIRE(large != nullptr);
    large[(size_t{9} << 20) / sizeof(float) - 1] = 1;
    CHECK(used_by_a_call(stream, 20) == large);
}

TEST_CASE("no memory is asked for where none is needed, and what the caller lends is taken if it is enough") {
    const OwnStream stream;
    CHECK(used_by_a_call(stream, 0) == nullptr);
    alignas(256) static char lent[512];
    CHECK(Workspace(512, stream, {lent, 512}).data() == reinterpret_cast<float*>(lent));
    CHECK(Workspace(513, stream, {lent, 512}).data() != reinterpret_cast<float*>(lent));
    CHECK(Workspace(100, stream, {lent + 16, 400}).data() != reinterpret_cast<float*>(lent + 16));  // not aligned
}

TEST_CASE("the blocks of streams that no longer exist become those of others") {
    KeptBlocks blocks;
    std::set<KeptBlock*> found;
    const auto take = [&](cudaStream_t stream) {
        KeptBlock* const block = blocks.take(1000, stream);
        if (block) block->give_back();
        return block;
    };
    for (int i = 0; i < KeptBlocks::kMost; ++i) found.insert(take(OwnStream()));
    CHECK(found.size() == KeptBlocks::kMost);  // by number: their handles are probably the same
    CHECK(found.count(nullptr) == 0);

    const OwnStream stream;
    CHECK(take(stream) == nullptr);  // the others may be in use again soon
    for (int i = 0; i < KeptBlocks::kIdle; ++i) take(stream);
    KeptBlock* const block = take(stream);
    REQUIRE(block != nullptr);
    CHECK(found.count(block) == 1);
    CHECK(take(stream) == block);
    for (KeptBlock* each : found) cudaFree(each->data);
}

TEST_CASE("a block that is taken is not taken from it") {
    KeptBlocks blocks;
    std::vector<KeptBlock*> taken;
    for (int i = 0; i < KeptBlocks::kMost; ++i) taken.push_back(blocks.take(10, OwnStream()));
    const OwnStream stream;
    for (int i = 0; i < 2 * KeptBlocks::kIdle; ++i) CHECK(blocks.take(10, stream) == nullptr);
    for (KeptBlock* each : taken) cudaFree(each->data);
}
