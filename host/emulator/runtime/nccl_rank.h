// Which rank of which communicator, for what is built on NCCL.
#pragma once

#include <memory>

#include "../include/nccl.h"

namespace emulator {

struct NcclRank {
    std::shared_ptr<const void> clique;  // the same for all ranks of a communicator
    int ranks, rank, device;
};
NcclRank rank_of(ncclComm_t communicator);

}  // namespace emulator
