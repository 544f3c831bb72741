// The one to take: for every shape, alignment and GPU from Turing on, the rung that is expected to be the fastest.
//
// Against all others: no kernel of its own. Each way to multiply has a model, the cycles that it takes for M, N and K,
// which counts the waves of tiles and what a wave is made of; and two figures measured of it on a GPU, what its loop
// reaches and what a product costs besides the loop. They are in 90_table.h, and `make tune` measures them on the GPU
// at hand. The boundaries between the kernels follow from these: where 0.88 of the peak and a whole wave of tiles take
// longer than 0.83 and half of one. host/results/h100_tune.md has every kernel's time at many shapes beside what was
// chosen.
//
// A remainder of a few rows or columns can be a product of its own: of 4096 x 4097, with tiles of 128 x 256, a 17th
// column of tiles would be 32 tiles for one column.
//
// Limit: that of the rung chosen. The choice takes 0.1 to 0.4 us of the host, while the GPU works on what came before.
// solve_gemm: transposed operands and batches by 56, 87, 88 and 89, chosen alike (90_gemm.h); a bias goes into C
// before.
//
// Source: cuBLAS, whose heuristics choose among some hundred kernels; here are twelve.
// build: least=75 as=90a
#include <algorithm>
#include <utility>
#include <vector>

#include "../common/export/gemm.h"
#include "60_warp_tile.cu"
#include "64_cp_async.cu"
#include "76_few_rows.cu"
#include "78_few_columns.cu"
#include "90_gemm.h"
#include "90_table.h"

namespace rung_90 {

// A product's size, whether A and B can be read 16 bytes at a time, and the SMs that there are.
struct Size {
    int M, N, K;
    bool vector_a, vector_b;
    int processors;
};

// A way to multiply: the least compute capability times 10, the cycles that it is expected to take if its loop reaches
// that rate, and the call.
struct Kernel {
    KernelId id;
    int capability;
    bool copies_a;  // 16 bytes at a time, if that is legal; B all do
    double (*cycles)(const Speed&, const Size&);
    void (*run)(const Speed&, const ladder::Gemm&, int processors);
};

template <int kTileM, int kTileK>
double of_tiles(const Speed& speed, const Size& size) {
    return ladder::tiles_cycles<kTileM, kTileK>(speed, size.M, size.N, size.K, size.processors);
}

template <class T>
double of_slices(const Speed& speed, const Size& size) {
    return ladder::tile_plan<T>(speed, size.M, size.N, size.K, size.processors).cycles;
}

template <class T>
void run_slices(const Speed& speed, const ladder::Gemm& gemm, int processors) {
    const auto plan = ladder::tile_plan<T>(speed, gemm.M, gemm.N, gemm.K, processors);
    rung_69::launch<T>(gemm, plan.pieces);
}

// Thin products: few columns, unless there are few rows too.
inline bool few_columns(int M, int K) {
    return K <= ladder::kThin && M > ladder::kThin;
}

// The model knows nothing of products that are not thin.
inline double of_thin(const Speed& speed, const Size& size) {
    if (std::min(size.M, size.K) > 2 * ladder::kThin) return ladder::kNever;
    const auto plan_for = few_columns(size.M, size.K) ? rung_78::plan_for : rung_76::plan_for;
    return speed.start + plan_for(size.M, size.N, size.K, size.processors).cycles / speed.rate;
}

inline void multiply_thin(const ladder::Gemm& gemm) {
    few_columns(gemm.M, gemm.K) ? rung_78::multiply(gemm) : rung_76::multiply(gemm);
}

template <class T>
double of_stream_k(const Speed& speed, const Size& size) {
    return rung_86::plan_for<T>(speed, size.M, size.N, size.K, size.processors).cycles;
}

template <class T>
void run_stream_k(const Speed& speed, const ladder::Gemm& gemm, int processors) {
    const auto plan = rung_86::plan_for<T>(speed, gemm.M, gemm.N, gemm.K, processors);
    rung_86::launch<T>(gemm, plan.partition, processors);
}

template <void (*kMultiply)(const ladder::Gemm&)>
void run(const Speed&, const ladder::Gemm& gemm, int) {
    kMultiply(gemm);
}

constexpr Kernel kKernels[] = {
    {KernelId::warp_tile, 75, true, of_tiles<rung_60::kTileM, rung_60::kTileK>, run<rung_60::multiply>},
    {KernelId::cp_async, 80, false, of_tiles<rung_64::kTileM, rung_64::kTileK>, run<rung_64::multiply>},
    {KernelId::slices_64x128, 80, false, of_slices<rung_69::Large>, run_slices<rung_69::Large>},
    {KernelId::slices_64x64, 80, false, of_slices<rung_69::Medium>, run_slices<rung_69::Medium>},
    {KernelId::slices_64x32, 80, true, of_slices<rung_69::Small>, run_slices<rung_69::Small>},
    {KernelId::thin, 75, true, of_thin, run<multiply_thin>},
    {KernelId::stream_k_128x256, 90, false, of_stream_k<rung_86::Large>, run_stream_k<rung_86::Large>},
    {KernelId::stream_k_64x128, 90, false, of_stream_k<rung_86::Small>, run_stream_k<rung_86::Small>},
};

// What a product is done with.
struct Choice {
    const Kernel* kernel = nullptr;
    Speed speed{};
    double cycles = ladder::kNever;
};

inline Speed speed_for(const Measured& measured, const Kernel& kernel, const Size& size) {
    const bool words = !size.vector_b || (kernel.copies_a && !size.vector_a);
    return {words ? measured.rate_of_words : measured.rate, measured.start};
}

// The best kernel by the figures in the rows.
inline Choice choose(const ladder::Gemm& gemm, std::span<const Measured> rows, int processors) {
    const Size size{gemm.M, gemm.N, gemm.K, gemm.vector_a(), gemm.vector_b(), processors};
    Choice best;
    for (const Measured& each : rows) {
        const Kernel& kernel = kKernels[static_cast<int>(each.kernel)];
        const Speed speed = speed_for(each, kernel, size);
        const double cycles = kernel.cycles(speed, size);
        if (cycles < best.cycles) best = {&kernel, speed, cycles};
    }
    return best;
}

// How many of `count` rows or columns to leave for a product of their own: those behind the last whole 64, if few.
inline int remainder_of(int count) {
    const int rest = count % 64;
    return count > 64 && rest <= ladder::kThin ? rest : 0;
}

// The cycles that a second product is taken to cost besides its own, and what two must promise to be taken for one. The
// models alone are 1 to 2 % off here, so both are chosen by two shapes on an H100. 4097 x 4095 x 4093 takes 2.469 ms as
// one and 2.493 as two, in one process, where the models alone promise 1.0 % less for two. 8193 x 8191 x 8189 as two is
// 2.3 to 3.4 % behind 8192 in five sessions, and as one 3.8 % in the one where it was measured. With these figures two
// promise 0.6 % at the former and 1.0 % at the latter.
constexpr double kSecond = 20000;
constexpr double kGain = 0.993;

struct Part {
    ladder::Gemm gemm;
    Choice choice;
};

// The product as a whole, or without its last rows or columns and these, if that is expected to take 0.7 % less.
inline std::vector<Part> parts_of(const ladder::Gemm& gemm, std::span<const Measured> rows, int processors) {
    const auto part = [&](const ladder::Gemm& each) { return Part{each, choose(each, rows, processors)}; };
    std::vector<Part> best{part(gemm)};
    double cycles = kGain * best[0].choice.cycles;
    for (const auto& [last_rows, last_cols] :
         {std::pair(remainder_of(gemm.M), 0), std::pair(0, remainder_of(gemm.K))}) {
        if (last_rows + last_cols == 0) continue;
        ladder::Gemm first = gemm, rest = gemm;
        first.M -= last_rows, first.K -= last_cols;
        if (last_rows > 0) rest.M = last_rows, rest.A += first.M * gemm.lda, rest.C += first.M * gemm.ldc;
        if (last_cols > 0) rest.K = last_cols, rest.B += first.K, rest.C += first.K;
        std::vector<Part> two{part(first), part(rest)};
        const double both = two[0].choice.cycles + two[1].choice.cycles + kSecond;
        if (both < cycles) best = std::move(two), cycles = both;
    }
    return best;
}

inline void multiply(const ladder::Gemm& gemm) {
    const ladder::DeviceFigures device = ladder::current_device();
    for (const Part& part : parts_of(gemm, rows_for(device.capability), device.sms)) {
        part.choice.kernel->run(part.choice.speed, part.gemm, device.sms);
    }
}

// Any call of solve_gemm. A bias goes into C before.
inline int multiply_all(const solve_gemm_t& given) {
    const ladder::DeviceFigures device = ladder::current_device();
    const solve_gemm_t call = ladder::with_bias_added(given);
    if (const auto plain = as_plain(call)) {
        multiply(*plain);
        return SOLVE_OK;
    }
    const std::span<const Measured> rows = rows_for(device.capability);
    const auto cycles_of_one = [&](const ladder::Gemm& gemm) { return choose(gemm, rows, device.sms).cycles; };
    launch_way(choose_way(call, rows, device.sms, cycles_of_one), call, device.sms, multiply);
    return SOLVE_OK;
}

}  // namespace rung_90

SOLVE_EXPORT_GEMM_AND_ALL(rung_90::multiply, rung_90::multiply_all,
                          .summary = "the rung that is expected to be the fastest for the shape and the GPU",
                          .source = "56, 60, 64, 69, 76, 78, 86 to 89", .minimum_compute_capability = 75)
