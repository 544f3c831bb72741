// Packed SGEMM on all cores: what 20_packed explains, kept here because 30_strassen multiplies with it too.
//
// An operand may be a sum of matrices, taken while it is packed, and a product may be added to several places with
// either sign, done while it is stored: all that Strassen's method needs, and no temporary matrices.
#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "../export/export.h"
#include "micro_kernel.h"

namespace ladder {

// One matrix of a sum. A smaller one counts as filled up with zeros, so halves of an odd size need no care.
struct Term {
    const float* data;
    int64_t leading;
    int64_t rows, cols;
    float sign;
};

// C = A * B into every destination, at most kMostDestinations, where A (M x N) and B (N x K) are sums. All matrices of
// a sum may lie in memory transposed.
constexpr int kMostDestinations = 4;
struct Product {
    int64_t M, N, K;
    std::vector<Term> a, b;
    std::vector<Destination> c;
    bool transpose_a = false, transpose_b = false;
};

// Steps of N between two visits to C. A panel of A is 14 * 512 * 4 = 28 KiB (AVX-512) and is used against a block of
// B before the next one: from L1 where the panel of B streaming past it leaves it there, else from L2.
constexpr int64_t kSteps = 512;
// A task's columns of B: 256 * 512 * 4 = 512 KiB, which stay in L2 (1 MiB on server cores) for all its rows.
constexpr int64_t kTaskCols = 256;
// Panels of A in a task: 6 * 14 * 256 * 512 multiply-adds are about 0.2 ms, beside which claiming a task
// costs nothing, and few enough that 1024 x 1024 is 52 tasks a step for the cores to share.
constexpr int64_t kTaskPanels = 6;
// Rows of A and columns of B packed at a time: 2 * 8192 * 512 * 4 = 32 MiB of memory at most, however large A and B.
constexpr int64_t kSlab = 8192;
// Multiply-adds that are worth a thread: 0.07 ms, three times what it takes to start and join one.
constexpr double kWorkPerThread = 4e6;

// Rows of B to fetch ahead while packing: a panel's row is 2 lines and the next row is on another page, where the
// processor's own prefetcher does not go. Packing B took 16% of a Strassen product without this and 10% with it.
constexpr int64_t kAhead = 16;
// Steps of A transposed at a time: 64 * 14 * 4 = 3.5 KiB of output, which stays in L1 while each row writes every 14th
// float.
constexpr int64_t kTurn = 64;

inline int64_t panels(int64_t extent, int64_t width) {
    return (extent + width - 1) / width;
}

// Adds the values from[0 .. count) of a term to a row of packed ones; the first term sets them.
inline void add_row(float* __restrict out, const float* __restrict from, int64_t count, float sign, bool first) {
    if (first) {
        for (int64_t i = 0; i < count; ++i) out[i] = sign * from[i];
    } else {
        for (int64_t i = 0; i < count; ++i) out[i] += sign * from[i];
    }
}

// Rows row, ... of A, steps n, ...: out[step * height + i] = A[row + i][n + step], zeros past the edges. The sum is
// taken along the row, where it is vectorised, and then transposed.
inline void pack_a(const std::vector<Term>& sum, int64_t row, int64_t n, int64_t steps, int height, float* out) {
    float line[kTurn];
    for (int64_t s0 = 0; s0 < steps; s0 += kTurn) {
        const int64_t count = std::min(kTurn, steps - s0);
        for (int64_t i = 0; i < height; ++i) {
            std::fill_n(line, count, 0.0f);
            for (const Term& term : sum) {
                if (row + i >= term.rows) continue;
                const float* const from = term.data + (row + i) * term.leading + n + s0;
                for (int64_t s = 0; s < kTurn; s += 16) __builtin_prefetch(from + kTurn + s);
                add_row(line, from, std::min(count, term.cols - n - s0), term.sign, false);
            }
            for (int64_t s = 0; s < count; ++s) out[(s0 + s) * height + i] = line[s];
        }
    }
}

// Columns col, ... of B, steps n, ...: out[step * width + j] = B[n + step][col + j], zeros past the edges.
inline void pack_b(const std::vector<Term>& sum, int64_t n, int64_t col, int64_t steps, int width, float* out) {
    bool first = sum[0].rows - n >= steps && sum[0].cols - col >= width;
    if (!first) std::fill_n(out, steps * width, 0.0f);
    for (const Term& term : sum) {
        const int64_t rows = std::min(steps, term.rows - n), cols = std::min<int64_t>(width, term.cols - col);
        for (int64_t s = 0; s < rows; ++s) {
            const float* const from = term.data + (n + s) * term.leading + col;
            for (int64_t j = 0; j < cols; j += 16) __builtin_prefetch(from + kAhead * term.leading + j);
            add_row(out + s * width, from, cols, term.sign, first);
        }
        first = false;
    }
}

// The panels of a product. A transposed A has N rows of M, as B has N rows of K: it is packed as B is, and B as A is.
inline void pack_panel_of_a(const Product& p, int64_t row, int64_t n, int64_t steps, int height, float* out) {
    p.transpose_a ? pack_b(p.a, n, row, steps, height, out) : pack_a(p.a, row, n, steps, height, out);
}
inline void pack_panel_of_b(const Product& p, int64_t n, int64_t col, int64_t steps, int width, float* out) {
    p.transpose_b ? pack_a(p.b, col, n, steps, width, out) : pack_b(p.b, n, col, steps, width, out);
}

// The threads that work through a list of products together, phase by phase.
class Team {
  public:
    explicit Team(const Tile& tile) : tile_(tile) {}

    // Room for the packed slabs of the largest product. False if there is none.
    bool reserve(int64_t M, int64_t N, int64_t K) {
        const int64_t steps = std::min(N, kSteps);
        const int64_t a = panels(std::min(M, slab_rows()), tile_.rows) * tile_.rows * steps;
        const int64_t b = panels(std::min(K, kSlab), tile_.cols) * tile_.cols * steps;
        const size_t bytes = size_t(panels(a, 16) * 16 + b) * sizeof(float);
        memory_.reset(static_cast<float*>(operator new(bytes, std::align_val_t(64), std::nothrow)));
        if (!memory_) return fail("cannot allocate %zu bytes for packed panels", bytes), false;
        packed_a_ = memory_.get();
        packed_b_ = packed_a_ + panels(a, 16) * 16;
        return true;
    }

    // What each thread runs. All run the same loops and share out the tasks inside.
    void work(const std::vector<Product>& products) {
        int64_t end = 0;
        for (const Product& p : products) {
            for (int64_t col = 0; col < p.K; col += kSlab) {
                for (int64_t n = 0; n < p.N; n += kSteps) {
                    for (int64_t row = 0; row < p.M; row += slab_rows()) step(p, row, n, col, end);
                }
            }
        }
    }

  private:
    struct Free {
        void operator()(float* memory) const { operator delete(memory, std::align_val_t(64)); }
    };

    int64_t slab_rows() const { return kSlab / tile_.rows * tile_.rows; }

    // A phase: `count` tasks, each done by whoever comes first. Tasks are numbered through all phases, so a phase is
    // over when all tasks up to its last are done: no thread waits for another that has nothing in hand, be it one
    // that the system has not yet started, or could not.
    template <class Task>
    void phase(int64_t& end, int64_t count, Task task) {
        const int64_t begin = end;
        end += count;
        for (int64_t i = next_.load(); i < end;) {
            if (!next_.compare_exchange_weak(i, i + 1)) continue;
            task(i - begin);
            if (done_.fetch_add(1) + 1 == end) done_.notify_all();
            i = next_.load();
        }
        for (int64_t done; (done = done_.load()) < end;) done_.wait(done);
    }

    // One slab of A against one slab of B: pack both (B only for the first slab of A), then multiply.
    void step(const Product& p, int64_t row, int64_t n, int64_t col, int64_t& end) {
        const int64_t steps = std::min(kSteps, p.N - n);
        const int64_t a_size = steps * tile_.rows, b_size = steps * tile_.cols;  // of a panel, in floats
        const int64_t a_panels = panels(std::min(slab_rows(), p.M - row), tile_.rows);
        const int64_t b_panels = panels(std::min(kSlab, p.K - col), tile_.cols);

        phase(end, a_panels + (row == 0 ? b_panels : 0), [&](int64_t i) {
            const int64_t j = i - a_panels;
            if (j < 0) {
                pack_panel_of_a(p, row + i * tile_.rows, n, steps, tile_.rows, packed_a_ + i * a_size);
            } else {
                pack_panel_of_b(p, n, col + j * tile_.cols, steps, tile_.cols, packed_b_ + j * b_size);
            }
        });

        // Neighbouring tasks share their columns of B.
        const int64_t task_cols = kTaskCols / tile_.cols, tasks_down = panels(a_panels, kTaskPanels);
        phase(end, tasks_down * panels(b_panels, task_cols), [&](int64_t task) {
            const int64_t i0 = task % tasks_down * kTaskPanels, i1 = std::min(i0 + kTaskPanels, a_panels);
            const int64_t j0 = task / tasks_down * task_cols, j1 = std::min(j0 + task_cols, b_panels);
            for (int64_t i = i0; i < i1; ++i) {
                for (int64_t j = j0; j < j1; ++j) {
                    store(p, row + i * tile_.rows, n, col + j * tile_.cols, steps, packed_a_ + i * a_size,
                          packed_b_ + j * b_size);
                }
            }
        });
    }

    // One tile of the product. C is written by the first step of N and added to by the others.
    void store(const Product& p, int64_t row, int64_t n, int64_t col, int64_t steps, const float* a, const float* b) {
        Destination to[kMostDestinations];
        for (size_t t = 0; t < p.c.size(); ++t) {
            const Destination& c = p.c[t];
            to[t] = {c.data + row * c.leading + col, c.leading, c.rows - row, c.cols - col, c.sign, c.add || n > 0};
        }
        tile_.run(steps, a, b, to, int(p.c.size()));
    }

    const Tile tile_;
    std::atomic<int64_t> next_{0}, done_{0};  // tasks claimed and finished
    std::unique_ptr<float, Free> memory_;
    float* packed_a_ = nullptr;
    float* packed_b_ = nullptr;
};

// OMP_NUM_THREADS where it is set, as in other libraries, else one a core.
inline int cores() {
    const char* const wanted = std::getenv("OMP_NUM_THREADS");
    const int count = wanted ? std::atoi(wanted) : 0;
    return std::clamp(count > 0 ? count : int(std::thread::hardware_concurrency()), 1, 1024);
}

// Computes the products in order. False if something goes wrong, which is recorded.
inline bool multiply(const std::vector<Product>& products) {
    double work = 0;
    int64_t M = 0, N = 0, K = 0;
    for (const Product& p : products) {
        work += double(p.M) * double(p.N) * double(p.K);
        M = std::max(M, p.M), N = std::max(N, p.N), K = std::max(K, p.K);
    }
    const int threads = int(std::clamp(work / kWorkPerThread, 1.0, double(cores())));

    Team team(best_tile());
    if (!team.reserve(M, N, K)) return false;
    std::vector<std::thread> others(threads - 1);
    for (std::thread& other : others) {
        try {
            other = std::thread([&] { team.work(products); });
        } catch (const std::exception&) {
            break;  // the system has no more threads: these do all the work
        }
    }
    team.work(products);
    for (std::thread& other : others) {
        if (other.joinable()) other.join();
    }
    return true;
}

}  // namespace ladder
