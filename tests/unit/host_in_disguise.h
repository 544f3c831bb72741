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
    judge::Comparison compare(const float* A, const float* B, const float* C, const judge::Shape& shape,
                              double rho_bound, const std::vector<int>& rows) override {
        return host_->compare(A, B, C, shape, rho_bound, rows);
    }
    judge::Comparison compare_chain(const float* A, const float* B, const float* C, const float* E,
                                    const judge::Shape& shape, double rho_bound,
                                    const std::vector<int>& rows) override {
        return host_->compare_chain(A, B, C, E, shape, rho_bound, rows);
    }
    std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                 bool absolute) override {
        return host_->multiply(matrix, rows, cols, x, absolute);
    }
    double comparison_budget() const override { return host_->comparison_budget(); }
    double cold_seconds(const std::function<void()>& call) override { return host_->cold_seconds(call); }
    void synchronize() override { host_->synchronize(); }

  private:
    std::unique_ptr<judge::Device> host_ = judge::make_host_device();
};

}  // namespace unit
