// One run at a time on a GPU: two that share it would spoil each other's times.
#pragma once

#include <functional>
#include <string>

namespace judge {

// Held from construction to destruction, or to the end of the process, however it ends.
class GpuLock {
  public:
    // Waits for the run that holds it, calling `waiting` about five times a second while it does; gives up, and holds
    // nothing, when that returns false.
    GpuLock(const std::string& uuid, const std::function<bool()>& waiting);
    ~GpuLock();
    GpuLock(const GpuLock&) = delete;
    GpuLock& operator=(const GpuLock&) = delete;

    bool held() const { return held_; }
    const std::string& uuid() const { return uuid_; }

  private:
    const std::string uuid_;
    int socket_;
    bool held_ = false;
};

}  // namespace judge
