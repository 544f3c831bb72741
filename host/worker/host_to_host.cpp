#include "worker/host_to_host.h"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <optional>
#include <vector>

#include "base/processes.h"
#include "device/host_memory.h"
#include "timing/copied_call.h"

namespace judge {

namespace {

// Where a matrix lies on the device, and how long it is.
struct Place {
    float* memory;
    size_t floats;
};

// The inputs in their order and, last, the output: of a batch all products.
std::vector<Place> places_of(const Problem& problem) {
    const Shape& shape = problem.shape();
    const size_t products = problem.form() ? size_t(problem.form()->batch) : 1;
    std::vector<size_t> inputs = {size_t(shape.a_elements()), size_t(shape.b_elements())};
    if (shape.is_chain()) inputs.push_back(size_t(shape.c_elements()));
    std::vector<Place> places;
    // The plugin may not write to its inputs; their owner, the judge, may.
    for (size_t i = 0; i < inputs.size(); ++i) {
        places.push_back({const_cast<float*>(problem.input(i)), products * inputs[i]});
    }
    places.push_back({problem.output(), products * size_t(shape.output_elements())});
    return places;
}

// Memory of the host for all of them, one behind the other.
class HostCopy {
  public:
    // Pinned memory may be refused: then data() is null.
    HostCopy(Device& device, size_t floats, bool pinned)
        : device_(device), pageable_(pinned ? 0 : floats), pinned_(pinned ? device.allocate_pinned(floats) : nullptr) {}
    ~HostCopy() {
        if (pinned_ != nullptr) device_.release_pinned(pinned_);
    }
    HostCopy(const HostCopy&) = delete;
    HostCopy& operator=(const HostCopy&) = delete;

    float* data() { return pageable_.empty() ? pinned_ : pageable_.data(); }

  private:
    Device& device_;
    std::vector<float> pageable_;
    float* pinned_;
};

CopiedCall time_with(HostCopy& copy, const std::vector<Place>& places, const Call& call, Device& device) {
    using Clock = std::chrono::steady_clock;
    const auto inputs = [&](const auto& move) {
        float* at = copy.data();
        for (size_t i = 0; i + 1 < places.size(); ++i) {
            move(at, places[i]);
            at += places[i].floats;
        }
        return at;
    };
    float* const output =
        inputs([&](float* host, const Place& place) { device.read(host, place.memory, place.floats); });
    const std::unique_ptr<StreamTimes> stream_times = device.stream_times();
    CopiedCallHooks hooks;
    hooks.copy_in = [&] {
        inputs([&](float* host, const Place& place) { device.write(place.memory, host, place.floats); });
    };
    hooks.call = call;
    hooks.copy_out = [&] { device.read(output, places.back().memory, places.back().floats); };
    hooks.seconds = [] { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); };
    hooks.cpu_seconds = process_cpu_seconds;
    hooks.stream_times = stream_times.get();
    return time_copied_call(hooks);
}

}  // namespace

void time_host_to_host(Problem& problem, const Call& call, Device& device, const std::function<uint64_t()>& next_seed,
                       Row& row) {
    const std::vector<Place> places = places_of(problem);
    size_t floats = 0;
    for (const Place& place : places) floats += place.floats;
    const double gib = double(floats) * sizeof(float) / (1 << 30);
    // A sixteenth less than there is: the driver stages what is pageable.
    const std::optional<uint64_t> available = available_memory();
    if (available && floats * sizeof(float) > *available - *available / 16) {
        return add_note(row, fmt::format("no time from host to host: that needs {:.1f} GiB of the host's memory", gib));
    }
    problem.refresh(next_seed());
    try {
        HostCopy copy(device, floats, false);
        row.pageable = time_with(copy, places, call, device);
    } catch (const std::bad_alloc&) {
        return add_note(row, fmt::format("no time from host to host: {:.1f} GiB of memory could not be got", gib));
    }
    if (HostCopy copy(device, floats, true); copy.data() != nullptr) {
        row.pinned = time_with(copy, places, call, device);
    } else if (device.has_streams()) {
        add_note(row, fmt::format("no time with pinned memory: {:.1f} GiB of it could not be got", gib));
    }
    const Verdict verdict = problem.check_again();
    if (verdict.status == Status::ok) return;
    put_verdict(row, verdict);
    row.message = "right when it was judged, but not behind copies from the host's memory: " + verdict.message;
}

}  // namespace judge
