// How long a call keeps the host: from the call to its return, of ten calls one after the other behind an idle GPU.
//
//   host_time SHAPES PLUGIN CUBLAS    libraries with solve_gemm; a line for each named shape (named.h): the shape, the
//                                     kernels of a call, and us of the host, of PLUGIN, CUBLAS and an empty kernel
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "../../../abi/loader.hpp"
#include "../graph_race.h"
#include "named.h"

namespace {

using sgemm_ladder::Plugin;
using survey::Arena, survey::Drawn;

__global__ void nothing(solve_gemm_t) {}

double host_us(const graph_race::Call& call, const graph_race::Clock& clock) {
    constexpr int kCalls = 10, kSamples = 61;
    std::vector<double> samples;
    for (int i = -1; i < kSamples; ++i) {  // the first one loads what is not loaded yet
        MUST(cudaStreamSynchronize(clock.stream));
        const auto start = std::chrono::steady_clock::now();
        for (int j = 0; j < kCalls; ++j) call();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
        if (i >= 0) samples.push_back(took.count() / kCalls);
    }
    MUST(cudaStreamSynchronize(clock.stream));
    return judge::median(samples);
}

// How many kernels a call enqueues.
int kernels_of(const graph_race::Call& call, const graph_race::Clock& clock) {
    cudaGraph_t graph = nullptr;
    MUST(cudaStreamBeginCapture(clock.stream, cudaStreamCaptureModeThreadLocal));
    call();
    MUST(cudaStreamEndCapture(clock.stream, &graph));
    size_t count = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    MUST(cudaGraphGetNodes(graph, nodes.data(), &count));
    int kernels = 0;
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type{};
        MUST(cudaGraphNodeGetType(node, &type));
        kernels += type == cudaGraphNodeTypeKernel;
    }
    MUST(cudaGraphDestroy(graph));
    return kernels;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 4) throw sgemm_ladder::Error("usage: host_time SHAPES PLUGIN CUBLAS");
    const std::vector<Drawn> shapes = survey::all_named(argv[1]);
    const Plugin plugin(argv[2]), cublas(argv[3]);
    const Arena arena;
    for (const Drawn& drawn : shapes) {
        const solve_gemm_t call = call_of(drawn, arena, arena.c);
        const graph_race::Call ours = [&] { plugin.gemm(call); }, theirs = [&] { cublas.gemm(call); };
        const graph_race::Call empty = [&] { nothing<<<132, 256, 0, arena.clock.stream>>>(call); };
        ours();
        std::printf("%dx%dx%d\t%d\t%.2f\t%.2f\t%.2f\n", drawn.M, drawn.N, drawn.K, kernels_of(ours, arena.clock),
                    host_us(ours, arena.clock), host_us(theirs, arena.clock), host_us(empty, arena.clock));
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "host_time: %s\n", error.what());
    return 1;
}
