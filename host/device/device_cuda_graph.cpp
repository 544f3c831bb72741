#ifdef HAVE_CUDA
#include "device/device_cuda_graph.h"

#include "device/device_cuda_memory.h"

namespace judge {

namespace {

class CudaGraph final : public Graph {
  public:
    explicit CudaGraph(cudaGraphExec_t graph) : graph_(graph) {}
    ~CudaGraph() override { cudaGraphExecDestroy(graph_); }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    void replay(void* stream) override { MUST(cudaGraphLaunch(graph_, static_cast<cudaStream_t>(stream))); }

  private:
    cudaGraphExec_t graph_;
};

cudaStreamCaptureMode cuda_mode(CaptureMode mode) {
    switch (mode) {
        case CaptureMode::global:
            return cudaStreamCaptureModeGlobal;
        case CaptureMode::own_thread:
            return cudaStreamCaptureModeThreadLocal;
        case CaptureMode::relaxed:
            break;
    }
    return cudaStreamCaptureModeRelaxed;
}

}  // namespace

Captured capture_graph(cudaStream_t stream, CaptureMode mode, const std::function<void()>& enqueue) {
    MUST(cudaStreamBeginCapture(stream, cuda_mode(mode)));
    enqueue();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaError_t error = cudaStreamEndCapture(stream, &graph);
    if (error == cudaSuccess) error = cudaGraphInstantiate(&executable, graph, 0);
    if (graph != nullptr) cudaGraphDestroy(graph);
    if (error == cudaSuccess) return {std::make_unique<CudaGraph>(executable), {}};
    cudaGetLastError();
    return {nullptr, cudaGetErrorString(error)};
}

}  // namespace judge
#endif
