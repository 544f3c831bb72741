// NCCL, found when it is first wanted: a plugin must load where it is not installed. Declared here is what is called of
// it, as NCCL 2.28 does; older libraries lack the windows, without which no all-gather runs by copy engines alone.
#pragma once

#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

#ifdef SOLVE_EMULATOR
#include <nccl.h>
#else
#include <cuda_runtime.h>
#include <dlfcn.h>

constexpr unsigned NCCL_API_MAGIC = 0xcafebeef;
constexpr int NCCL_CONFIG_UNDEF_INT = INT_MIN, NCCL_CTA_POLICY_ZERO = 2, NCCL_WIN_COLL_SYMMETRIC = 1;

extern "C" {
typedef struct ncclComm* ncclComm_t;
typedef struct ncclWindow_vidmem* ncclWindow_t;
typedef struct ncclUniqueId {
    char internal[128];
} ncclUniqueId;
typedef enum { ncclSuccess = 0, ncclInProgress = 7 } ncclResult_t;
typedef enum { ncclFloat = 7 } ncclDataType_t;
typedef struct {
    size_t size;
    unsigned int magic, version;
    int blocking, cgaClusterSize, minCTAs, maxCTAs;
    const char* netName;
    int splitShare, trafficClass;
    const char* commName;
    int collnetEnable, CTAPolicy, shrinkShare, nvlsCTAs, nChannelsPerNetPeer, nvlinkCentricSched;
} ncclConfig_t;

ncclResult_t ncclGetVersion(int*);
ncclResult_t ncclGetUniqueId(ncclUniqueId*);
ncclResult_t ncclCommInitRank(ncclComm_t*, int ranks, ncclUniqueId, int rank);
ncclResult_t ncclCommInitRankConfig(ncclComm_t*, int ranks, ncclUniqueId, int rank, ncclConfig_t*);
ncclResult_t ncclCommAbort(ncclComm_t);
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t*);
ncclResult_t ncclCommWindowRegister(ncclComm_t, void*, size_t, ncclWindow_t*, int flags);
ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t);
ncclResult_t ncclMemAlloc(void**, size_t);
ncclResult_t ncclMemFree(void*);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t, int root, ncclComm_t,
                           cudaStream_t);
ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t, ncclComm_t, cudaStream_t);
const char* ncclGetErrorString(ncclResult_t);
const char* ncclGetLastError(ncclComm_t);
}
#endif

#include "failure.h"

namespace ladder {

// The functions above, by pointers. Null where a library has none.
struct Nccl {
    int version = 0;  // 22809 is 2.28.9
#define NCCL_POINTER(name) decltype(&::nccl##name) name = nullptr
    NCCL_POINTER(GetVersion);
    NCCL_POINTER(GetUniqueId);
    NCCL_POINTER(CommInitRank);
    NCCL_POINTER(CommInitRankConfig);
    NCCL_POINTER(CommAbort);
    NCCL_POINTER(CommGetAsyncError);
    NCCL_POINTER(CommWindowRegister);
    NCCL_POINTER(CommWindowDeregister);
    NCCL_POINTER(MemAlloc);
    NCCL_POINTER(MemFree);
    NCCL_POINTER(GroupStart);
    NCCL_POINTER(GroupEnd);
    NCCL_POINTER(AllGather);
    NCCL_POINTER(Broadcast);
    NCCL_POINTER(GetErrorString);
    NCCL_POINTER(GetLastError);
#undef NCCL_POINTER

    // Copy engines alone move the data: nothing of a GPU's SMs is taken from the product.
    bool has_zero_cta() const {
        return version >= 22800 && CommWindowRegister && CommInitRankConfig;
    }

    // The calls of body() are one group, which is ended whatever happens.
    template <class Body>
    void group(const char* what, Body body) const {
        must(GroupStart(), "ncclGroupStart");
        try {
            body();
        } catch (...) {
            GroupEnd();
            throw;
        }
        must(GroupEnd(), what);
    }

    // Ends what is in flight in all of the communicators, which are gone then. All of them are told before NCCL waits
    // for one, whose collectives may be behind another's.
    void abort(const std::vector<ncclComm_t>& communicators) const {
        GroupStart();
        for (ncclComm_t each : communicators) {
            if (each) CommAbort(each);
        }
        GroupEnd();
    }

    void must(ncclResult_t result, const char* what) const {
        if (result == ncclSuccess) return;
        const char* const detail = GetLastError ? GetLastError(nullptr) : nullptr;
        give_up("NCCL %d: %s: %s%s%.200s", version, what, GetErrorString(result), detail && *detail ? ": " : "",
                detail ? detail : "");
    }
};

// Leaves NVLink multicast off in the communicators that are made meanwhile, unless NCCL_NVLS_ENABLE says otherwise.
// NCCL reads the variable when the process makes its first communicator, and never again.
class NoMulticast {
  public:
    NoMulticast() : set_(!std::getenv(kVariable) && setenv(kVariable, "0", 0) == 0) {}
    ~NoMulticast() {
        if (set_) unsetenv(kVariable);
    }
    NoMulticast(const NoMulticast&) = delete;
    NoMulticast& operator=(const NoMulticast&) = delete;

  private:
    static constexpr const char* kVariable = "NCCL_NVLS_ENABLE";
    const bool set_;
};

// The library and, if there is none that can be used, why.
struct NcclFound {
    Nccl nccl;
    std::string problem;
};

inline NcclFound look_for_nccl() {
    NcclFound found;
    Nccl& nccl = found.nccl;
#ifdef SOLVE_EMULATOR
#define NCCL_TAKE(name) nccl.name = &::nccl##name
    if (std::getenv("EMULATOR_NO_NCCL")) return found.problem = "libnccl.so.2 is not there", found;
#else
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return found.problem = dlerror(), found;
#define NCCL_TAKE(name) nccl.name = reinterpret_cast<decltype(nccl.name)>(dlsym(library, "nccl" #name))
#endif
    NCCL_TAKE(GetVersion);
    NCCL_TAKE(GetUniqueId);
    NCCL_TAKE(CommInitRank);
    NCCL_TAKE(CommInitRankConfig);
    NCCL_TAKE(CommAbort);
    NCCL_TAKE(CommGetAsyncError);
    NCCL_TAKE(CommWindowRegister);
    NCCL_TAKE(CommWindowDeregister);
    NCCL_TAKE(MemAlloc);
    NCCL_TAKE(MemFree);
    NCCL_TAKE(GroupStart);
    NCCL_TAKE(GroupEnd);
    NCCL_TAKE(AllGather);
    NCCL_TAKE(Broadcast);
    NCCL_TAKE(GetErrorString);
    NCCL_TAKE(GetLastError);
#undef NCCL_TAKE
    const bool complete = nccl.GetVersion && nccl.GetUniqueId && nccl.CommInitRank && nccl.CommAbort &&
                          nccl.CommGetAsyncError && nccl.GroupStart && nccl.GroupEnd && nccl.AllGather &&
                          nccl.Broadcast && nccl.GetErrorString;
    if (!complete || nccl.GetVersion(&nccl.version) != ncclSuccess) {
        found.problem = "libnccl.so.2 lacks functions that are called";
    } else if (nccl.version < 21400) {
        found.problem = "NCCL " + std::to_string(nccl.version) + " is older than 2.14";
    }
    return found;
}

}  // namespace ladder
