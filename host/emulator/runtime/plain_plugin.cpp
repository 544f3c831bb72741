// What a plugin built from somebody else's file lacks: its description and its errors. Weak, so that a rung's own
// definitions win. The recipe pulls this object into every emulated plugin by the name of the mark.
#include "../../../abi/solve.h"
#include "capture.h"
#include "error.h"
#include "solve_call.h"

// By this section the host recognises an emulated plugin without loading it.
extern "C" {
__attribute__((section(".solve.emulated"), used)) extern const char emulator_mark[] = "emulated";

// Defined by cuda_runtime.h in the plugin's own source, where the build gave PLUGIN_NAME.
extern const char emulator_plugin_name[] __attribute__((weak));
}

// The source's own, which the recipe has renamed: null where it has none.
extern "C" {
__attribute__((weak)) const char* solve_last_error_of_source(void);
__attribute__((weak)) void solve_of_source(const float*, const float*, float*, int, int, int);
__attribute__((weak)) void solve_chain_of_source(const float*, const float*, const float*, float*, int, int, int, int);
__attribute__((weak)) int solve_enqueue_of_source(const float*, int64_t, const float*, int64_t, float*, int64_t, int,
                                                  int, int, float, float, void*);
__attribute__((weak)) int solve_gemm_of_source(const solve_gemm_t*);
__attribute__((weak)) int solve_chain_enqueue_of_source(const solve_chain_t*);
}

static uint32_t entries_of_source() {
    const auto bit = [](bool has, uint32_t entry) { return has ? entry : 0u; };
    return bit(solve_of_source, SOLVE_ENTRY_SOLVE) | bit(solve_last_error_of_source, SOLVE_ENTRY_LAST_ERROR) |
           bit(solve_enqueue_of_source, SOLVE_ENTRY_ENQUEUE) | bit(solve_chain_of_source, SOLVE_ENTRY_CHAIN) |
           bit(solve_gemm_of_source, SOLVE_ENTRY_GEMM) | bit(solve_chain_enqueue_of_source, SOLVE_ENTRY_CHAIN_ENQUEUE);
}

extern "C" __attribute__((weak)) const solve_info_t* solve_info(void) {
    static const solve_info_t info = {
        .size = sizeof(solve_info_t),
        .abi_version = SOLVE_ABI_VERSION,
        .name = emulator_plugin_name,
        .summary = "a CUDA source file run by the emulator",
        .source = "unknown",
        .memory = SOLVE_MEMORY_HOST,
        .arithmetic = 0,  // nobody says
        .minimum_compute_capability = 0,
        .entries = entries_of_source(),
        .flags = SOLVE_FLAG_EMULATED,
    };
    return &info;
}

// Of a source that reports no errors those of the runtime; but a launch of no blocks does no harm where there is
// nothing to write.
static const char* error_of_call() {
    if (solve_last_error_of_source) return solve_last_error_of_source();
    const char* const detail = emulator::take_detail();
    return emulator::had_nothing_to_write() && !emulator::has_fault() ? nullptr : detail;
}

extern "C" const char* solve_last_error(void) {
    const char* error = error_of_call();
    if (const char* const refused = emulator::take_refused_in_capture()) return refused;
    // Of work that was deferred the source has not heard.
    if (!error && emulator::success_or_fault() != cudaSuccess) error = emulator::take_detail();
    return error ? error : emulator::remark_on_calls();
}
