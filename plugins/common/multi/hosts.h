// Several processes that multiply together, each with GPUs of its own: on one host or on many.
//
//   SOLVE_RENDEZVOUS   where they meet, without which each works alone: a file that does not exist yet, in a folder
//                      that all see (/shared/meet), an address of rank 0's host (tcp://node7:29600), or env: the port
//                      after MASTER_PORT at MASTER_ADDR, which torchrun sets
//   SOLVE_RANK, SOLVE_WORLD   which of how many this one is; else what mpirun (OMPI_COMM_WORLD_RANK, _SIZE), torchrun
//                      (RANK, WORLD_SIZE) or srun (SLURM_PROCID, SLURM_NTASKS) say
//
// Of the visible GPUs, processes of one host that its launcher numbers (OMPI_COMM_WORLD_LOCAL_RANK, LOCAL_RANK and
// their sizes) take equal shares, in their order.
#pragma once

#include <climits>
#include <cstdlib>
#include <string>

#include "failure.h"
#include "settings.h"

namespace ladder {

struct Hosts {
    int rank = 0, world = 1;
    std::string meeting_point;  // empty for one
    int first_gpu = 0;          // of this process

    bool are_several() const { return world > 1; }
};

// A number of a launcher's, from 0 on. Negative if the variable is not set.
inline int launcher_number(const char* variable) {
    const char* const text = std::getenv(variable);
    if (!text || !*text) return -1;
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (*end != '\0' || number < 0 || number >= INT_MAX) give_up("%s=%.40s: a number is expected", variable, text);
    return static_cast<int>(number);
}

struct Place {
    int rank = -1, size = -1;
    bool is_known() const { return rank >= 0 && size >= 1; }
};

// The first pair of which both are set.
template <size_t kCount>
Place place_from(const char* const (&pairs)[kCount][2]) {
    for (const auto& [rank, size] : pairs) {
        const Place place{launcher_number(rank), launcher_number(size)};
        if (place.is_known() && place.rank >= place.size)
            give_up("%s=%d, of %s=%d", rank, place.rank, size, place.size);
        if (place.is_known()) return place;
    }
    return {};
}

inline std::string meeting_point_from_environment() {
    const char* const text = std::getenv("SOLVE_RENDEZVOUS");
    const std::string point = text ? text : "";
    if (point != "env") return point;
    const char* const address = std::getenv("MASTER_ADDR");
    const int port = launcher_number("MASTER_PORT");
    if (!address || port < 0) give_up("SOLVE_RENDEZVOUS=env: MASTER_ADDR and MASTER_PORT are not set");
    return "tcp://" + std::string(address) + ":" + std::to_string(port + 1);
}

// Changes settings.gpus to this process's share.
inline Hosts read_hosts(Settings& settings) {
    constexpr const char* kRanks[][2] = {{"SOLVE_RANK", "SOLVE_WORLD"},
                                         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"RANK", "WORLD_SIZE"},
                                         {"SLURM_PROCID", "SLURM_NTASKS"}};
    constexpr const char* kLocalRanks[][2] = {{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                              {"LOCAL_RANK", "LOCAL_WORLD_SIZE"}};
    Hosts hosts;
    hosts.meeting_point = meeting_point_from_environment();
    if (hosts.meeting_point.empty()) return hosts;
    const Place place = place_from(kRanks), local = place_from(kLocalRanks);
    if (!place.is_known()) give_up("SOLVE_RENDEZVOUS is set, but neither SOLVE_RANK and SOLVE_WORLD nor a launcher's");
    hosts.rank = place.rank, hosts.world = place.size;
    if (!local.is_known()) return hosts;
    if (settings.gpus < local.size) give_up("%d processes on this host, and %d GPUs", local.size, settings.gpus);
    settings.gpus /= local.size;
    hosts.first_gpu = local.rank * settings.gpus;
    return hosts;
}

// Whether this process is one of several, of which rank 0 alone has B, and others may have no rows.
inline bool may_lack_operands() {
    const char* const text = std::getenv("SOLVE_RENDEZVOUS");
    return text && *text;
}

}  // namespace ladder
