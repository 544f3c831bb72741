#include "problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace judge {

GuardedMatrix::GuardedMatrix(Device& device, int64_t elements, int misalignment)
    : device_(device),
      elements_(static_cast<size_t>(elements)),
      before_(kZone + misalignment),
      memory_(device.allocate(before_ + elements_ + kZone)) {
    device_.fill(memory_, before_, kRedZone);
    device_.fill(data() + elements_, kZone, kRedZone);
}

GuardedMatrix::~GuardedMatrix() {
    device_.release(memory_);
}

size_t GuardedMatrix::damage() const {
    return device_.count_other(memory_, before_, kRedZone) + device_.count_other(data() + elements_, kZone, kRedZone);
}

void GuardedMatrix::arm() const {
    device_.forbid(memory_, before_);
    device_.forbid(data() + elements_, kZone);
}

void GuardedMatrix::disarm() const {
    device_.allow(memory_, before_);
    device_.allow(data() + elements_, kZone);
}

namespace {
uint64_t seed_of_b(uint64_t seed) {
    return seed ^ 0x5851f42d4c957f2dull;
}
}  // namespace

Problem::Problem(Device& device, const Shape& shape, uint64_t seed, int misalignment)
    : device_(device),
      shape_(shape),
      seed_(seed),
      a_(device, shape.a_elements(), misalignment),
      b_(device, shape.b_elements(), misalignment),
      c_(device, shape.c_elements(), misalignment) {
    device_.fill_uniform(a_.data(), a_.elements(), seed);
    device_.fill_uniform(b_.data(), b_.elements(), seed_of_b(seed));
}

void Problem::before_call(uint32_t initial_bits) {
    device_.fill(c_.data(), c_.elements(), initial_bits);
    device_.synchronize();
    for (const GuardedMatrix* matrix : {&a_, &b_, &c_}) matrix->arm();
}

Verdict Problem::after_call(uint32_t initial_bits, const std::string& plugin_error) {
    device_.synchronize();
    for (const GuardedMatrix* matrix : {&a_, &b_, &c_}) matrix->disarm();

    Verdict verdict;
    verdict.rho_bound = rho_bound_;
    const size_t outside_a = a_.damage(), outside_b = b_.damage(), outside_c = c_.damage();
    const size_t changed_a = device_.count_changed(a_.data(), a_.elements(), seed_);
    const size_t changed_b = device_.count_changed(b_.data(), b_.elements(), seed_of_b(seed_));
    if (initial_bits == kPoison) {
        verdict.unwritten = c_.elements() - device_.count_other(c_.data(), c_.elements(), kPoison);
    }

    if (outside_a + outside_b + outside_c > 0) {
        verdict.status = Status::out_of_bounds;
        verdict.message = fmt::format("wrote outside the matrices: {} floats around A, {} around B, {} around C",
                                      outside_a, outside_b, outside_c);
    } else if (changed_a + changed_b > 0) {
        verdict.status = Status::input_modified;
        verdict.message = fmt::format("changed its inputs: {} elements of A, {} of B", changed_a, changed_b);
    } else if (verdict.unwritten > 0) {
        verdict.status = Status::not_written;
        const std::string cause = !plugin_error.empty() ? "; the plugin says: " + plugin_error
                                  : verdict.unwritten == c_.elements()
                                      ? "; did its launch fail? (a plugin's launch errors are not visible from outside)"
                                      : "";
        verdict.message = fmt::format("{} of {} elements of C not written{}", verdict.unwritten, c_.elements(), cause);
    } else {
        Verdict compared = compare();
        verdict.status = compared.status;
        verdict.message = compared.message;
        verdict.comparison = compared.comparison;
        verdict.sampled = compared.sampled;
        if (!plugin_error.empty()) {
            const bool right = verdict.status == Status::ok;
            verdict.status = right ? Status::suspicious : verdict.status;
            verdict.message += fmt::format("{}the plugin says: {}", right ? "C is right, but " : "; ", plugin_error);
        }
    }
    return verdict;
}

Verdict Problem::compare() {
    Verdict verdict;
    const double work = double(shape_.M) * shape_.N * shape_.K;
    verdict.sampled = work > device_.comparison_budget();
    const std::vector<int> rows = verdict.sampled ? sample_rows(shape_.M, seed_) : std::vector<int>{};
    verdict.comparison = device_.compare(A(), B(), C(), shape_, rho_bound_, rows);
    if (!verdict.comparison.right()) {
        verdict.status = Status::wrong;
        verdict.message = explain(verdict.comparison);
        return verdict;
    }
    if (!verdict.sampled) return verdict;

    const double rms_rho = std::sqrt(verdict.comparison.rho_sum_of_squares / double(verdict.comparison.compared));
    std::vector<int> bad = freivalds(device_, A(), B(), C(), shape_, rms_rho, seed_);
    if (bad.empty()) return verdict;
    // The checksum says which rows; compare those in full to say what is wrong with them.
    const size_t suspects = bad.size();
    bad.resize(std::min<size_t>(bad.size(), 128));
    verdict.comparison = merge(verdict.comparison, device_.compare(A(), B(), C(), shape_, rho_bound_, bad));
    const bool located = !verdict.comparison.right();
    verdict.status = located ? Status::wrong : Status::suspicious;
    verdict.message = fmt::format("the checksum of {} of {} rows is off; {}", suspects, shape_.M,
                                  located ? explain(verdict.comparison) : "each of their elements is within its bound");
    return verdict;
}

void Problem::explain_reading(Verdict& verdict) {
    verdict.status = Status::wrong;
    verdict.message = "reads C: right only if C holds zeros before the call (it held NaN). C = A * B, not C += A * B";
}

}  // namespace judge
