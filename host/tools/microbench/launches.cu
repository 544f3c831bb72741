// What a launch costs, one after the other on a stream, and how many clusters of blocks with much shared memory fit.
#include "microbench.h"

namespace {

__global__ void nothing() {}

// As nothing(), but the launch after it may begin before it has ended.
__global__ void overlapped() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__global__ void cluster(int* out) {
    if (out) *out = 1;
}

void launch_overlapped(cudaStream_t stream, int blocks) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks, config.blockDim = 384, config.stream = stream;
    config.attrs = &attribute, config.numAttrs = 1;
    MUST(cudaLaunchKernelEx(&config, overlapped));
}

// Microseconds a launch when 100 of them are replayed as a graph.
template <class Launch>
double in_a_graph(cudaStream_t stream, Launch launch) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 100; ++i) launch();
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphLaunch(executable, stream));
    MUST(cudaStreamSynchronize(stream));
    return microbench::microseconds(10, [&] { MUST(cudaGraphLaunch(executable, stream)); }) / 100;
}

void clusters() {
    std::printf(
        "\n## Clusters of blocks of 384 threads with 200 KB of shared memory\n\n| blocks a cluster | clusters at once "
        "| blocks |\n|--:|--:|--:|\n");
    MUST(cudaFuncSetAttribute(cluster, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    MUST(cudaFuncSetAttribute(cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (const unsigned size : {1, 2, 4, 8, 16}) {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {size, 1, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = size, config.blockDim = 384, config.dynamicSmemBytes = 200 << 10;
        config.attrs = &attribute, config.numAttrs = 1;
        int count = 0;
        MUST(cudaOccupancyMaxActiveClusters(&count, cluster, &config));
        std::printf("| %u | %d | %u |\n", size, count, count * size);
    }
}

}  // namespace

int main() {
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    const int blocks = microbench::multiprocessors();
    const auto plain = [&] { nothing<<<blocks, 384, 0, stream>>>(); };
    const auto overlapping = [&] { launch_overlapped(stream, blocks); };
    std::printf(
        "\n## Microseconds from launch to launch, one block of 384 threads per SM\n\n| launch | on a stream | in a "
        "graph |\n|---|--:|--:|\n");
    std::printf("| plain | %.2f | %.2f |\n", microbench::microseconds(1000, plain), in_a_graph(stream, plain));
    std::printf("| may begin before the one before has ended | %.2f | %.2f |\n",
                microbench::microseconds(1000, overlapping), in_a_graph(stream, overlapping));
    clusters();
}
