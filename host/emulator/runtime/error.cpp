#include "error.h"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "../include/cuda_runtime_api.h"

namespace emulator {
namespace {

// Buffers rather than strings: cudaGetErrorString hands out pointers that stay valid.
constexpr size_t kTextSize = 512;
std::mutex fault_mutex;
char fault_text[kTextSize];
cudaError_t fault_error = cudaSuccess;
std::atomic<bool> faulted{false};

thread_local cudaError_t last_error = cudaSuccess;
thread_local char detail_text[kTextSize];
thread_local bool detail_is_new = false;
thread_local char taken_text[kTextSize];

struct Name {
    cudaError_t code;
    const char *name, *text;
};
constexpr Name kNames[] = {
#define EMULATOR_NAME(name, number, text) {name, #name, text},
    EMULATOR_ERRORS(EMULATOR_NAME)
#undef EMULATOR_NAME
};

const Name* find(cudaError_t error) {
    for (const Name& name : kNames) {
        if (name.code == error) return &name;
    }
    return nullptr;
}

}  // namespace

cudaError_t record(cudaError_t error, const std::string& detail) {
    last_error = error;
    const Name* name = find(error);
    std::snprintf(detail_text, kTextSize, "%s%s%s", name ? name->text : "error", detail.empty() ? "" : ": ",
                  detail.c_str());
    detail_is_new = true;
    return error;
}

bool is_fault(cudaError_t error) {
    return error == cudaErrorLaunchFailure || error == cudaErrorIllegalAddress || error == cudaErrorMisalignedAddress;
}

void record_fault(cudaError_t error, const std::string& detail) {
    const std::lock_guard lock(fault_mutex);
    if (faulted) return;  // the first fault is the cause
    const char* const kind = error == cudaErrorLaunchFailure ? "" : find(error)->text;
    std::snprintf(fault_text, kTextSize, "%s%s%s", kind, *kind ? ": " : "", detail.c_str());
    fault_error = error;
    faulted = true;
}

void clear_fault() {
    const std::lock_guard lock(fault_mutex);
    faulted = false;
}

bool has_fault() {
    return faulted;
}

cudaError_t success_or_fault() {
    if (!faulted) return cudaSuccess;
    last_error = fault_error;
    std::snprintf(detail_text, kTextSize, "%s", fault_text);
    detail_is_new = true;
    return fault_error;
}

const char* take_detail() {
    if (!detail_is_new) return nullptr;
    detail_is_new = false;
    std::snprintf(taken_text, kTextSize, "%s", detail_text);
    return taken_text;
}

}  // namespace emulator

cudaError_t cudaGetLastError() {
    if (emulator::has_fault()) return emulator::success_or_fault();
    return std::exchange(emulator::last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
    return emulator::has_fault() ? emulator::success_or_fault() : emulator::last_error;
}

const char* cudaGetErrorString(cudaError_t error) {
    if (emulator::has_fault() && error == emulator::fault_error) return emulator::fault_text;
    const emulator::Name* name = emulator::find(error);
    return name ? name->text : "unrecognized error code";
}

const char* cudaGetErrorName(cudaError_t error) {
    const emulator::Name* name = emulator::find(error);
    return name ? name->name : "unrecognized error code";
}
