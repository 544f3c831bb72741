// NCCL's calls, within one process. All ranks must make the same calls in the same order, which is checked, with memory
// and streams of their own devices. Where work is deferred a collective begins when it has come to the front of the
// streams of all its ranks, and none of them goes on before. Who registers a window waits for the other ranks. What
// fails if a test asks for it: injected.h. With EMULATOR_NCCL_THREADS=1 ranks are called for by several threads, as
// those of several hosts are: who makes a communicator waits for the others, and a group may have some of its ranks.
// With EMULATOR_NCCL_NO_WINDOWS=1 who registers a window gets none, and no error, as of NCCL 2.30 where the ranks do
// not reach each other's memory.
#include "../include/nccl.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "deferred.h"
#include "device_memory.h"
#include "devices.h"
#include "error.h"
#include "injected.h"
#include "memory.h"
#include "nccl_rank.h"
#include "stream.h"

namespace emulator {
namespace {

struct Post {
    const char* send = nullptr;
    char* receive = nullptr;
};

// A collective that its ranks have called, or some of them.
struct Collective {
    size_t bytes = 0;  // that each rank sends, or the root
    int root = -1;     // of a broadcast
    std::vector<Post> posts;
    int posted = 0, arrived = 0;
    bool stalls = false;
};

struct Clique {
    int ranks = 0;
    int joined = 0;
    std::atomic<bool> aborted{false}, stalled{false};
    std::map<uint64_t, std::shared_ptr<Collective>> open;  // by number, those that not all ranks have called
    std::map<uint64_t, int> registered;                    // ranks that have come to that window, by number
    bool registration_failed = false;                      // of one of them
    std::set<int> devices;
};

}  // namespace
}  // namespace emulator

struct ncclWindow_vidmem {
    const char* memory;
    size_t bytes;
};
struct ncclComm {
    std::shared_ptr<emulator::Clique> clique;
    int rank, device;
    bool uses_windows;
    uint64_t calls = 0, registrations = 0;
    // By where they begin. An aborted communicator takes them with it.
    std::map<const char*, std::unique_ptr<ncclWindow_vidmem>> windows{};
};

namespace emulator {
namespace {

std::mutex nccl_mutex;
std::condition_variable nccl_joined;
std::map<std::string, std::shared_ptr<Clique>> cliques;  // by unique id, until all ranks have joined
thread_local int group_depth = 0;
thread_local std::set<std::shared_ptr<Clique>> in_group;
thread_local std::vector<ncclComm_t> aborted_in_group;
thread_local char last_text[256];

ncclResult_t refuse(ncclResult_t error, const std::string& why) {
    std::snprintf(last_text, sizeof(last_text), "%s", why.c_str());
    return error;
}

void exchange(const Collective& collective) {
    const DeviceAccess access;
    const size_t ranks = collective.posts.size();
    for (size_t to = 0; to < ranks; ++to) {
        if (collective.root >= 0) {
            std::memmove(collective.posts[to].receive, collective.posts[collective.root].send, collective.bytes);
            continue;
        }
        for (size_t from = 0; from < ranks; ++from) {
            std::memmove(collective.posts[to].receive + from * collective.bytes, collective.posts[from].send,
                         collective.bytes);
        }
    }
}

std::string problem_with_buffer(const ncclComm& communicator, const void* begin, size_t bytes) {
    const Memory memory = memory_at(begin);
    const bool is_own = memory.type == cudaMemoryTypeDevice && memory.device == communicator.device &&
                        memory_at(static_cast<const char*>(begin) + bytes - 1).device == memory.device;
    if (!is_own) return "a buffer is not in the memory of the rank's device";
    if (!communicator.uses_windows) return {};
    auto next = communicator.windows.upper_bound(static_cast<const char*>(begin));
    const bool inside =
        next != communicator.windows.begin() &&
        static_cast<const char*>(begin) + bytes <= std::prev(next)->first + std::prev(next)->second->bytes;
    return inside ? "" : "without CTAs a buffer has to lie in a window that is registered";
}

ncclResult_t join(ncclComm_t* communicator, int ranks, const ncclUniqueId& id, int rank, bool uses_windows) {
    const std::lock_guard lock(nccl_mutex);
    if (group_depth == 0) return refuse(ncclInvalidUsage, "the emulator wants all ranks in one group");
    if (is_injected("EMULATOR_NCCL_SETUP_FAIL")) return refuse(ncclSystemError, "as EMULATOR_NCCL_SETUP_FAIL says");
    const auto found = cliques.find(std::string(id.internal, sizeof(id.internal)));
    if (!communicator || rank < 0 || rank >= ranks || found == cliques.end())
        return refuse(ncclInvalidArgument, "no such rank, or an id that ncclGetUniqueId did not make");
    const std::shared_ptr<Clique> clique = found->second;
    if (clique->ranks == 0) clique->ranks = ranks;
    if (clique->ranks != ranks) return refuse(ncclInvalidArgument, "ranks differ in how many there are");
    if (!clique->devices.insert(current_device()).second)
        return refuse(ncclInvalidUsage, "two ranks of a communicator on one device");
    *communicator = new ncclComm{clique, rank, current_device(), uses_windows};
    in_group.insert(clique);
    if (++clique->joined == ranks) cliques.erase(found);
    nccl_joined.notify_all();
    return ncclSuccess;
}

// Frees what the communicator has on its device, which waits for all that this does.
void end(ncclComm_t communicator) {
    wait_for_ever_for_device(communicator->device);
    delete communicator;
}

// Waits until all ranks have come to this window. Where one fails, or does not come, it is an error on all: NCCL itself
// would wait for ever.
ncclResult_t meet_at_window(ncclComm& communicator, bool fails) {
    std::unique_lock lock(nccl_mutex);
    Clique& clique = *communicator.clique;
    int& arrived = clique.registered[communicator.registrations++];
    ++arrived;
    clique.registration_failed |= fails;
    nccl_joined.notify_all();
    const bool ended = nccl_joined.wait_for(lock, std::chrono::seconds(10), [&] {
        return clique.aborted || clique.registration_failed || arrived == clique.ranks;
    });
    if (clique.registration_failed) return refuse(ncclSystemError, "a rank has failed to register its window");
    return ended ? ncclSuccess : refuse(ncclInvalidUsage, "not all ranks of a communicator register a window");
}

// The collective that the communicator comes to now, in which this rank takes part.
ncclResult_t post(ncclComm& communicator, size_t bytes, int root, const Post& own,
                  std::shared_ptr<Collective>& collective) {
    Clique& clique = *communicator.clique;
    const uint64_t number = communicator.calls++;
    std::shared_ptr<Collective>& entry = clique.open[number];
    if (!entry) {
        entry = std::make_shared<Collective>();
        entry->bytes = bytes, entry->root = root;
        entry->posts.resize(clique.ranks);
    }
    collective = entry;
    if (collective->bytes != bytes) {
        return refuse(ncclInvalidArgument, "rank " + std::to_string(communicator.rank) + " gathers " +
                                               std::to_string(bytes) + " bytes, where another rank gathers " +
                                               std::to_string(collective->bytes));
    }
    if (collective->root != root) return refuse(ncclInvalidArgument, "ranks call different collectives");
    collective->posts[communicator.rank] = own;
    if (++collective->posted == clique.ranks) clique.open.erase(number);
    return ncclSuccess;
}

}  // namespace

NcclRank rank_of(ncclComm_t communicator) {
    return {communicator->clique, communicator->clique->ranks, communicator->rank, communicator->device};
}

}  // namespace emulator

using emulator::refuse;

ncclResult_t ncclGetVersion(int* version) {
    if (!version) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    static std::atomic<uint64_t> made{0};
    if (!id) return ncclInvalidArgument;
    *id = {};
    std::snprintf(id->internal, sizeof(id->internal), "%llu", static_cast<unsigned long long>(++made));
    const std::lock_guard lock(emulator::nccl_mutex);
    emulator::cliques[std::string(id->internal, sizeof(id->internal))] = std::make_shared<emulator::Clique>();
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank) {
    return emulator::join(communicator, ranks, id, rank, false);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* configuration) {
    const bool valid =
        configuration && configuration->size == sizeof(ncclConfig_t) && configuration->magic == NCCL_API_MAGIC;
    if (!valid) return refuse(ncclInvalidArgument, "a configuration that was not initialised");
    return emulator::join(communicator, ranks, id, rank, configuration->CTAPolicy == NCCL_CTA_POLICY_ZERO);
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
    if (!communicator) return ncclInvalidArgument;
    if (!communicator->windows.empty()) return refuse(ncclInvalidUsage, "a window is still registered");
    delete communicator;
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
    if (!communicator) return ncclInvalidArgument;
    {
        const std::lock_guard lock(emulator::nccl_mutex);
        communicator->clique->aborted = true;
    }
    emulator::nccl_joined.notify_all();
    if (emulator::group_depth == 0) {
        emulator::end(communicator);
    } else {
        emulator::aborted_in_group.push_back(communicator);
    }
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
    if (!communicator || !error) return ncclInvalidArgument;
    *error = communicator->clique->stalled || communicator->clique->aborted ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t communicator, void* memory, size_t bytes, ncclWindow_t* window, int) {
    if (!communicator || !memory || !window || emulator::memory_at(memory).device != communicator->device)
        return refuse(ncclInvalidArgument, "a window that is not in the memory of the rank's device");
    *window = nullptr;
    if (std::getenv("EMULATOR_NCCL_NO_WINDOWS")) return ncclSuccess;
    const bool fails = emulator::is_injected("EMULATOR_NCCL_SETUP_FAIL");
    if (const ncclResult_t met = emulator::meet_at_window(*communicator, fails); met != ncclSuccess) return met;
    const char* const begin = static_cast<char*>(memory);
    auto& registered = communicator->windows[begin];
    registered.reset(new ncclWindow_vidmem{begin, bytes});
    *window = registered.get();
    return ncclSuccess;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t communicator, ncclWindow_t window) {
    if (!communicator || !window || communicator->windows.erase(window->memory) == 0) return ncclInvalidArgument;
    return ncclSuccess;
}

ncclResult_t ncclMemAlloc(void** memory, size_t bytes) {
    return cudaMalloc(memory, bytes) == cudaSuccess ? ncclSuccess : refuse(ncclUnhandledCudaError, "out of memory");
}

ncclResult_t ncclMemFree(void* memory) {
    return cudaFree(memory) == cudaSuccess ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t ncclGroupStart() {
    ++emulator::group_depth;
    return ncclSuccess;
}

// What only some ranks of a communicator have called would wait for ever, unless other threads call for the others.
ncclResult_t ncclGroupEnd() {
    if (emulator::group_depth == 0) return refuse(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--emulator::group_depth > 0) return ncclSuccess;
    for (ncclComm_t each : std::exchange(emulator::aborted_in_group, {})) emulator::end(each);
    const auto touched = std::exchange(emulator::in_group, {});
    const bool threads = std::getenv("EMULATOR_NCCL_THREADS") != nullptr;
    for (const auto& clique : touched) {
        std::unique_lock lock(emulator::nccl_mutex);
        const auto complete = [&] { return clique->aborted || clique->joined == clique->ranks; };
        if (threads && emulator::nccl_joined.wait_for(lock, std::chrono::seconds(10), complete)) continue;
        if (clique->aborted || (clique->open.empty() && clique->joined == clique->ranks)) continue;
        return refuse(ncclInvalidUsage, "a group ends that only some ranks of a communicator have called");
    }
    return ncclSuccess;
}

namespace emulator {
namespace {

// Each rank's part to all or, with a root, that one's elements.
ncclResult_t collect(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                     ncclComm_t communicator, cudaStream_t stream) {
    const std::lock_guard lock(nccl_mutex);
    if (!communicator || !send || !receive || count == 0 || type != ncclFloat) return ncclInvalidArgument;
    if (group_depth == 0) return refuse(ncclInvalidUsage, "the emulator wants all ranks in one group");
    if (is_injected("EMULATOR_NCCL_FAIL")) return refuse(ncclInternalError, "as EMULATOR_NCCL_FAIL says");
    const size_t bytes = count * sizeof(float);
    const Lane lane = lane_of(stream);
    if (lane.device != communicator->device) return refuse(ncclInvalidArgument, "a stream of another device");
    for (const auto& [buffer, size] : {std::pair<const void*, size_t>(send, bytes),
                                       {receive, root >= 0 ? bytes : bytes * communicator->clique->ranks}}) {
        if (const std::string problem = problem_with_buffer(*communicator, buffer, size); !problem.empty())
            return refuse(ncclInvalidArgument, problem);
    }
    in_group.insert(communicator->clique);
    std::shared_ptr<Collective> collective;
    const Post own{static_cast<const char*>(send), static_cast<char*>(receive)};
    if (const ncclResult_t error = post(*communicator, bytes, root, own, collective); error != ncclSuccess)
        return error;
    const bool stalls = is_injected_from_then_on("EMULATOR_NCCL_STALL");
    communicator->clique->stalled = stalls;
    collective->stalls |= stalls || is_injected_from_then_on("EMULATOR_NCCL_HANG");

    const int ranks = communicator->clique->ranks;
    if (!is_deferred()) {
        if (collective->posted == ranks && !collective->stalls) exchange(*collective);
        return ncclSuccess;
    }
    defer(lane, [collective, ranks] {
        if (++collective->arrived == ranks && !collective->stalls) exchange(*collective);
    });
    defer(lane, nullptr, [collective, ranks, clique = communicator->clique] {
        return clique->aborted || (collective->arrived == ranks && !collective->stalls);
    });
    return ncclSuccess;
}

}  // namespace
}  // namespace emulator

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
    return emulator::collect(send, receive, count, type, -1, communicator, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
    if (!communicator || root < 0 || root >= communicator->clique->ranks) return ncclInvalidArgument;
    return emulator::collect(send, receive, count, type, root, communicator, stream);
}

const char* ncclGetErrorString(ncclResult_t error) {
    constexpr const char* kTexts[] = {"no error",
                                      "unhandled cuda error",
                                      "unhandled system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error",
                                      "NCCL operation in progress"};
    return error >= 0 && error <= ncclInProgress ? kTexts[error] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) {
    return emulator::last_text;
}
