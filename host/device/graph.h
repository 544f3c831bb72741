// What a device can record and play again.
#pragma once

#include <memory>
#include <string>

namespace judge {

// The three modes of CUDA: what other calls of the capturing thread, or of any, are refused meanwhile. The first is
// PyTorch's.
enum class CaptureMode { global, own_thread, relaxed };

constexpr CaptureMode kCaptureModes[] = {CaptureMode::global, CaptureMode::own_thread, CaptureMode::relaxed};

inline std::string to_string(CaptureMode mode) {
    return mode == CaptureMode::global ? "global" : mode == CaptureMode::own_thread ? "thread-local" : "relaxed";
}

class Graph {
  public:
    virtual ~Graph() = default;
    virtual void replay(void* stream) = 0;
};

struct Captured {
    std::unique_ptr<Graph> graph;  // null if it failed
    std::string problem;           // why it failed
};

}  // namespace judge
