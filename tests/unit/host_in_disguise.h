// Host memory behind the device interface, for a test to override what its device does otherwise.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "host/device/device.h"

namespace unit {

class HostInDisguise : public judge::Device {
  public:
    int compute_capability() const override { return host_->compute_capability(); }
    float* allocate(size_t floats) override { return host_->allocate(floats); }
    void release(float* memory) noexcept override { host_->release(memory); }
    void fill(float* memory, size_t floats, uint32_t bits) override { host_->fill(memory, floats, bits); }
    void fill_random(float* memory, size_t floats, const judge::RandomMatrix& matrix) override {
        host_->fill_random(memory, floats, matrix);
    }
    size_t count_other(const float* memory, size_t floats, uint32_t bits) override {
        return host_->count_other(memory, floats, bits);
    }
    size_t count_changed(const float* memory, size_t floats, const judge::RandomMatrix& matrix) override {
        return host_->count_changed(memory, floats, matrix);
    }
    uint64_t hash(const float* memory, size_t floats) override { return host_->hash(memory, floats); }
    void write(float* to_device, const float* from_host, size_t floats) override {
        host_->write(to_device, from_host, floats);
    }
    void read(float* to_host, const float* from_device, size_t floats) override {
        host_->read(to_host, from_device, floats);
    }
    judge::Reference& reference() override { return host_->reference(); }
    double cold_seconds(const std::function<void()>& call) override { return host_->cold_seconds(call); }
    void synchronize() override { host_->synchronize(); }

  private:
    std::unique_ptr<judge::Device> host_ = judge::make_host_device();
};

}  // namespace unit
