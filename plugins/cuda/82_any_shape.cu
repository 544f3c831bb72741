// Every shape keeps the GPU busy: the tile follows the shape, and the last round of tiles is cut along N.
//
// Against 80: how the work is dealt out, how C is stored, and how few instructions a copy takes. The loop of the FFMA is
// the same, but for their order: along the rows, there and back, which is the best one since.
//   - Two tiles, 128 x 256 and 64 x 128. A multiplying warp owns 64 x 64 outputs in each. The small one has two such
//     parts, and four warps share one: they are slices, and each multiplies its own 8 n of every stage. At the tile's
//     end they add their sums through shared memory, each a part of the rows.
//   - What is left of the tiles when all blocks have had equally many is one stretch of n, tile after tile, of which
//     each block takes an equal piece. 3072 x 3072 are 288 tiles of 128 x 256: 2.2 rounds on 132 SMs, not 3. A piece
//     that is not a whole tile goes to workspace, and a second kernel adds the pieces in the order of n: the same bits
//     every run.
//   - The host estimates the time of each tile, with and without a cut, and takes the least.
//   - The copying warps share the schedulers' slots with the multiplying ones, so each of their instructions costs: 93
//     for 8 n are 4 % of all. They fill a whole round of the ring at a time, every place in it known, and need 24, or
//     36 where B comes in words. For that the barriers are in the stages, and pointers step as the source says
//     (opaque.h). Worth 5 % from 2048 on.
//   - Rows of C that do not begin at multiples of 16 bytes are stored from shared memory, a warp 128 bytes of a row at a
//     time. From registers a warp's 32 words would lie in 4 rows, and in 8 sectors that others write too.
//
// Tiles of 64 x 256 and 64 x 64 were measured too: only 64 x 16384 x 64 and the like miss one, and 69 is better at these.
//
// Limit: slots. Of 100, 93 are FFMA where nothing waits, and power from 8192 on. For small products the start, some 3 us
// until the first copies arrive and the last sums are stored, and 3 us more where a second kernel adds.
// Source: stream-K (Osama et al., 2023) and the sliced-K kernels of CUTLASS.
// build: least=90 as=90a
#include <algorithm>

#include "../common/export/gemm.h"
#include "../common/export/workspace.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/speed.h"
#include "../common/gemm/tile.h"
#include "../common/ptx/early_launch.h"
#include "../common/ptx/mbarrier.h"
#include "../common/ptx/opaque.h"
#include "../common/ptx/register_share.h"

namespace rung_82 {

constexpr int kGroup = 16;  // rows of tiles that are walked together
constexpr int kWarpM = 64;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kRows = 16;  // of C a thread, in groups of 4
constexpr int kCols = 8;
constexpr int kLanesM = kWarpM / kRows;  // a warp is 4 x 8 lanes
constexpr int kLanesK = kWarpK / kCols;
constexpr int kApartM = 4 * kLanesM;  // from one group of 4 rows to the next
constexpr int kApartK = 4 * kLanesK;
constexpr int kPitchC = kWarpK + 4;  // of rows on their way to C: lanes that write quads of four rows meet in no bank
constexpr int kDepth = 8;            // n of a stage that a warp multiplies
constexpr int kWarps = 8;            // that multiply
constexpr int kConsumers = 32 * kWarps;
constexpr int kProducers = 128;

static_assert(kLanesM == 4 && kLanesK == 8, "the numbering of the lanes below");
static_assert(kProducers == 128 && kConsumers % 128 == 0, "whole warpgroups");
static_assert(kDepth == 8, "a pass of the copies of A is 8 n");

// A block's tile of C is kM x kK and it walks along N, the contraction, in steps of kN.
// (Texts that call the contraction K write BM, BN and BK for these three.)
template <int kM_, int kK_, int kStages_>
struct Tile {
    static constexpr int kM = kM_, kK = kK_, kStages = kStages_;
    static constexpr int kParts = kM / kWarpM * (kK / kWarpK);
    static constexpr int kSlices = kWarps / kParts;  // warps that share a part
    static constexpr int kN = kDepth * kSlices;
    static constexpr int kOwn = kRows / kSlices;  // rows a thread whose sum over the slices it makes
    static constexpr int kPitchA = kM + 4;

    struct alignas(16) Stage {
        float a[kN][kPitchA];
        float b[kN][kK];
        ladder::Mbarrier full, empty;
    };
    struct Shared {
        Stage stages[kStages];
        // From each warp to each other slice: the rows which that one adds, a quad of columns a lane. Where there are no
        // slices, of each warp kApartM rows on their way to C.
        alignas(16) float sums[kSlices > 1 ? kWarps*(kSlices - 1) * kOwn* kCols * 32 : kWarps* kApartM* kPitchC];
        ladder::Mbarrier written, read;  // sums
    };

    static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");
    static_assert(kM % (kProducers / 8) == 0 && kK % 128 == 0, "whole passes of the copies");
    static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");
};

// A walk through the stages, one after the other and round again. Parity is that of the rounds completed.
template <class T>
class Ring {
  public:
    __device__ __forceinline__ explicit Ring(typename T::Shared& shared)
        : first(ladder::opaque_shared(shared.stages)), stage(first), parity(0) {}

    __device__ __forceinline__ void advance() {
        const bool round = stage == first + T::kStages - 1;
        stage = ladder::opaque_shared(round ? first : stage + 1);
        parity ^= round;
    }

    typename T::Stage *const first, *stage;
    int parity;
};

// How the tiles are dealt out. Block b takes the whole tiles b, b + blocks, b + 2 blocks, ... The steps of the tiles
// after those, end to end, are cut into as many stretches as there are sharers, the b-th of them for block b.
struct Deal {
    int steps;    // a tile, along N
    int whole;    // tiles
    int cut;      // tiles after the whole ones
    int sharers;  // blocks 0 to sharers - 1

    // Of a block's stretch. The first ones are longer by a step if they cannot all be alike.
    __host__ __device__ int begin(int block) const {
        const int each = cut * steps / sharers, longer = cut * steps % sharers;
        return block * each + (block < longer ? block : longer);
    }

    // Whose stretch that step belongs to.
    __host__ __device__ int block_of(int step) const {
        const int each = cut * steps / sharers, longer = cut * steps % sharers, in_longer = longer * (each + 1);
        return step < in_longer ? step / (each + 1) : longer + (step - in_longer) / each;
    }
};

struct Piece {
    int tile, begin, end;  // steps
};

// The pieces of one block, in the order in which it works on them.
class Pieces {
  public:
    __device__ __forceinline__ explicit Pieces(const Deal& deal) : deal_(deal), tile_(blockIdx.x), at_(0), end_(0) {
        const int block = blockIdx.x;
        if (deal.cut > 0 && block < deal.sharers) at_ = deal.begin(block), end_ = deal.begin(block + 1);
    }

    __device__ __forceinline__ bool next(Piece& piece) {
        if (tile_ < deal_.whole) {
            piece = {tile_, 0, deal_.steps};
            tile_ += gridDim.x;
            return true;
        }
        if (at_ == end_) return false;
        const int tile = at_ / deal_.steps, start = tile * deal_.steps;
        piece = {deal_.whole + tile, at_ - start, min(end_ - start, deal_.steps)};
        at_ = start + piece.end;
        return true;
    }

  private:
    const Deal& deal_;
    int tile_, at_, end_;
};

// Where a block leaves a piece that is not a whole tile: it has at most one that begins within a tile, and one that
// ends within a tile without having begun in it.
__host__ __device__ inline int slot_of(int block, bool begins_within) {
    return 2 * block + (begins_within ? 0 : 1);
}

// Row and column of C at which the tile of that number begins. Row by row of tiles, the blocks at work would walk along
// all of B together; as 16 rows of tiles they need less of A and B from memory.
template <class T>
__device__ __forceinline__ int2 corner_of(int number, int M, int K) {
    const int tiles_m = ladder::ceil_div(M, T::kM), tiles_k = ladder::ceil_div(K, T::kK);
    const int group = number / (kGroup * tiles_k), within = number % (kGroup * tiles_k);
    const int rows = min(kGroup, tiles_m - group * kGroup);
    return make_int2((group * kGroup + within % rows) * T::kM, within / rows * T::kK);
}

// The column of the tile that lies at that place of a row of B's tile, see 80: copies of words put columns c, c + 8,
// c + 16, c + 24 side by side.
template <bool kVector>
__device__ __forceinline__ int column_at(int place) {
    return kVector ? place : place / 32 * 32 + place % 32 / 4 + place % 4 * 8;
}

template <bool kVector>
__device__ __forceinline__ int place_of(int column) {
    return kVector ? column : column / 32 * 32 + column % 8 * 4 + column % 32 / 8;
}

// One thread's copies of the tiles of A, whose `rows` are M x N: words. A pass is 8 n x 16 rows, of each warp 4 rows x 8
// words, whole sectors.
template <class T>
class CopiesOfA {
  public:
    // From the row and the n at which the first tile begins; A has `rows` more from there on.
    __device__ __forceinline__ CopiesOfA(const float* A, int64_t lda, int row, int rows, int n)
        : n_(threadIdx.x % 8), row_(threadIdx.x % kProducers / 8) {
#pragma unroll
        for (int i = 0; i < kPasses; ++i) {
            // Past the last row a copy takes the last one: what it brings ends in sums that are not stored.
            from_[i] = A + (row + min(row_ + i * kPassRows, rows - 1)) * lda + n + n_;
        }
    }

    // Requests the next tile, which has `left` of N ahead of it.
    __device__ __forceinline__ void request(ladder::AsyncCopies& copies, typename T::Stage& stage, int left) {
#pragma unroll
        for (int i = 0; i < kPasses; ++i) {
#pragma unroll
            for (int n = 0; n < T::kN; n += 8) {
                copies.copy4(&stage.a[n + n_][row_ + i * kPassRows], from_[i] + n, n + n_ < left);
            }
            from_[i] += T::kN;
        }
    }

  private:
    static constexpr int kPassRows = kProducers / 8, kPasses = T::kM / kPassRows;
    const int n_, row_;
    const float* from_[kPasses];
};

// What the copying warps do: fill the ring with the block's tiles of A and B, as fast as it is emptied.
template <class T, bool kVector>
__device__ __forceinline__ void produce(typename T::Shared& shared, const float* A, int64_t lda, const float* B,
                                        int64_t ldb, int M, int N, int K, const Deal& deal) {
    const int thread = threadIdx.x % kProducers;
    constexpr int kWidth = kVector ? 4 : 1;                           // floats a copy
    constexpr int kPassN = kProducers / 32, kPassCols = 32 * kWidth;  // of B: a warp a row
    const int b_n = thread / 32, b_col = thread % 32 * kWidth;
    const int b_place = place_of<kVector>(b_col);

    Ring<T> ring(shared);
    ladder::AsyncCopies copies;
    Pieces pieces(deal);
    for (Piece piece; pieces.next(piece);) {
        const int2 corner = corner_of<T>(piece.tile, M, K);
        const int first = piece.begin * T::kN;
        CopiesOfA<T> copies_of_a(A, lda, corner.x, M - corner.x, first);
        const float* from_b = B + (first + b_n) * ldb + corner.y + b_col;

        // Fills a stage with the next tiles, which have `left` of N and `cols` of K ahead of them. Past N there are zeros, in
        // A and in B: in one alone they would meet whatever the other holds, and 0 * Inf is NaN.
        const auto fill = [&](typename T::Stage& stage, int left, int cols) {
            stage.empty.wait(ring.parity ^ 1);
            copies_of_a.request(copies, stage, left);
#pragma unroll
            for (int n = 0; n < T::kN; n += kPassN) {
#pragma unroll
                for (int col = 0; col < T::kK; col += kPassCols) {
                    const bool inside = n + b_n < left && b_col + col < cols;
                    if constexpr (kVector) {
                        copies.copy16(&stage.b[n + b_n][col + b_place], from_b + col, inside);
                    } else {
                        copies.copy4(&stage.b[n + b_n][col + b_place], from_b + col, inside);
                    }
                }
                from_b = ladder::opaque(from_b + kPassN * ldb);
            }
            stage.full.arrive_after(copies);
        };
        // Of the rows of B, those from which a whole tile can be read. Past the last column there are the padding and the
        // next rows then, and they end in sums that are not stored.
        const int past = static_cast<unsigned>(corner.y) + T::kK - K;  // unsigned: the sum may pass 2^31
        const int rows = N - max(past, 0);
        const int whole = min(piece.end, max(rows, 0) / T::kN);
        for (int step = piece.begin; step < piece.end;) {
            if (ring.stage == ring.first && whole - step >= T::kStages) {
                // A round of the ring at a time, in which every place is known and nothing is compared.
#pragma unroll
                for (int i = 0; i < T::kStages; ++i) fill(ring.first[i], T::kN, T::kK);
                ring.parity ^= 1;
                step += T::kStages;
            } else {
                fill(*ring.stage, N - step * T::kN, K - corner.y);
                ring.advance();
                ++step;
            }
        }
    }
    // The consumers look one stage past the last.
    ring.stage->empty.wait(ring.parity ^ 1);
    ring.stage->full.arrive();
}

// Adds the sums of the warps that share a part of the tile; each thread gets kOwn rows of it, those from kOwn * slice
// on.
template <class T>
__device__ __forceinline__ void add_slices(typename T::Shared& shared, const float (&sum)[kRows][kCols],
                                           float (&own)[T::kOwn][kCols], int parity) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, slice = warp / T::kParts, part = warp % T::kParts;
    const auto place = [&](int from, int to, int row, int col) {
        const int message = (from * T::kParts + part) * (T::kSlices - 1) + to - (to > from);
        return &shared.sums[(message * T::kOwn + row) * kCols * 32 + (col / 4 * 32 + lane) * 4];
    };
    shared.read.wait(parity ^ 1);  // what was here before
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int to = i / T::kOwn;
#pragma unroll
        for (int j = 0; j < kCols; j += 4) {
            if (to != slice) ladder::copy4(place(slice, to, i % T::kOwn, j), &sum[i][j]);
        }
#pragma unroll
        for (int j = 0; j < kCols; ++j) own[i % T::kOwn][j] = to == slice ? sum[i][j] : own[i % T::kOwn][j];
    }
    __syncwarp();
    if (lane == 0) shared.written.arrive();
    shared.written.wait(parity);
    for (int from = 0; from < T::kSlices; ++from) {
        if (from == slice) continue;
#pragma unroll
        for (int i = 0; i < T::kOwn; ++i) {
#pragma unroll
            for (int j = 0; j < kCols; j += 4) {
                alignas(16) float other[4];
                ladder::copy4(other, place(from, slice, i, j));
#pragma unroll
                for (int k = 0; k < 4; ++k) own[i][j + k] += other[k];
            }
        }
    }
    __syncwarp();
    if (lane == 0) shared.read.arrive();
}

// Where a tile or a piece of one goes.
struct Target {
    float* c;  // the tile's corner
    int64_t ldc;
    int rows, cols;  // of C from there on
    float beta;
    bool vector;
    float* part;  // or, if it is a piece, there: the tile as it lies in shared memory
};

// Stores the thread's rows of the tile from its row number `first` on. They have been multiplied by alpha.
template <class T, bool kVector, int kCount>
__device__ __forceinline__ void store(const float (&values)[kCount][kCols], int first, int y, int x,
                                      const Target& target) {
    const ladder::Epilogue epilogue{1.0f, target.beta};
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
        const int row = y + (first + i) / 4 * kApartM + (first + i) % 4;
        if (row >= target.rows) break;
        float* c = target.c + row * target.ldc;
#pragma unroll
        for (int j = 0; j < kCols; j += 4) {
            const int place = x + j / 4 * kApartK;
            if (target.part) {
                ladder::copy4(&target.part[row * T::kK + place], &values[i][j]);
            } else if (kVector && target.vector) {
                if (place < target.cols) epilogue.store4(&c[place], &values[i][j]);
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const int col = column_at<kVector>(place + k);
                    if (col < target.cols) epilogue.store(&c[col], values[i][j + k]);
                }
            }
        }
    }
}

// The same for all rows of a warp that has a part of the tile to itself, to a C whose rows are not aligned: by way of
// `staged`, so that the lanes store 32 words side by side.
template <class T, bool kVector>
__device__ __forceinline__ void store_words(float* staged, const float (&sum)[kRows][kCols], int y, int x,
                                            const Target& target) {
    const ladder::Epilogue epilogue{1.0f, target.beta};
    const int lane = threadIdx.x % 32, first_row = y / kWarpM * kWarpM, first_col = x / kWarpK * kWarpK;
    float* const own = staged + lane % kLanesM * 4 * kPitchC + x % kWarpK;
#pragma unroll
    for (int i = 0; i < kRows; i += 4) {
        __syncwarp();  // the rows before have been read
#pragma unroll
        for (int r = 0; r < 4; ++r) {
#pragma unroll
            for (int j = 0; j < kCols; j += 4) ladder::copy4(&own[r * kPitchC + j / 4 * kApartK], &sum[i + r][j]);
        }
        __syncwarp();
        const int row = first_row + i / 4 * kApartM;
#pragma unroll 1  // 1 % faster at 4095 than 4: the code is shorter
        for (int r = 0; r < min(kApartM, target.rows - row); ++r) {
#pragma unroll
            for (int at = 0; at < kWarpK; at += 32) {
                const int col = first_col + at + lane;
                const float value = staged[r * kPitchC + place_of<kVector>(at + lane)];
                if (col < target.cols) epilogue.store(&target.c[(row + r) * target.ldc + col], value);
            }
        }
    }
}

// What the multiplying warps do.
template <class T, bool kVector>
__device__ __forceinline__ void consume(typename T::Shared& shared, float* C, int64_t ldc, int M, int K,
                                        const Deal& deal, float* parts, float alpha, float beta, bool vector_c) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % T::kParts;
    const int slice = T::kSlices == 1 ? 0 : warp / T::kParts;
    // The corner of this thread's first 4 x 4 in the tile, as it lies in shared memory.
    const int y = part / (T::kK / kWarpK) * kWarpM + lane % kLanesM * 4;
    const int x = part % (T::kK / kWarpK) * kWarpK + (lane / kLanesM ^ lane % kLanesM) * 4;

    alignas(16) float a[2][kRows], b[2][kCols];  // for even and odd n
    const float *next_a = nullptr, *next_b = nullptr;
    Ring<T> ring(shared);
    const auto enter = [&] {
        ring.stage->full.wait(ring.parity);
        next_a = &ring.stage->a[slice * kDepth][y], next_b = &ring.stage->b[slice * kDepth][x];
    };
    const auto load = [&](int n) {
#pragma unroll
        for (int i = 0; i < kRows; i += 4) ladder::copy4(&a[n % 2][i], next_a + n * T::kPitchA + i / 4 * kApartM);
#pragma unroll
        for (int j = 0; j < kCols; j += 4) ladder::copy4(&b[n % 2][j], next_b + n * T::kK + j / 4 * kApartK);
    };

    int sums_parity = 0;
    enter();
    load(0);
    Pieces pieces(deal);
    for (Piece piece; pieces.next(piece);) {
        alignas(16) float sum[kRows][kCols] = {};
#pragma unroll 1
        for (int step = piece.begin; step < piece.end; ++step) {
#pragma unroll
            for (int n = 0; n < kDepth; ++n) {
                if (n == kDepth - 1) {
                    __syncwarp();  // all lanes have read the stage
                    if (lane == 0) ring.stage->empty.arrive();
                    ring.advance();
                    enter();
                }
                load((n + 1) % kDepth);
#pragma unroll
                for (int i = 0; i < kRows; ++i) {
#pragma unroll
                    for (int t = 0; t < kCols; ++t) {
                        const int j = i % 2 ? kCols - 1 - t : t;
                        sum[i][j] += a[n % 2][i] * b[n % 2][j];
                    }
                }
            }
        }

        // Times alpha here, not where it is stored: a product may be in other registers than its factor, so the sums
        // can be where the FFMA read them best, and need not be the four registers in a row of a 128-bit store.
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
#pragma unroll
            for (int j = 0; j < kCols; ++j) sum[i][j] *= alpha;
        }
        const int2 corner = corner_of<T>(piece.tile, M, K);
        const bool whole = piece.begin == 0 && piece.end == deal.steps;
        const Target target{
            .c = C + int64_t{corner.x} * ldc + corner.y,
            .ldc = ldc,
            .rows = M - corner.x,
            .cols = K - corner.y,
            .beta = beta,
            .vector = vector_c,
            .part = whole ? nullptr : parts + slot_of(blockIdx.x, piece.begin > 0) * int64_t{T::kM * T::kK}};
        if constexpr (T::kSlices == 1) {
            // Where B is aligned, so is C, nearly always.
            if (kVector || target.part) {
                store<T, kVector>(sum, 0, y, x, target);
            } else {
                store_words<T, kVector>(shared.sums + warp * kApartM * kPitchC, sum, y, x, target);
            }
        } else {
            alignas(16) float own[T::kOwn][kCols] = {};
            add_slices<T>(shared, sum, own, sums_parity);
            sums_parity ^= 1;
            store<T, kVector>(own, slice * T::kOwn, y, x, target);
        }
    }
}

template <class T, bool kVector>
__global__ void __launch_bounds__(kConsumers + kProducers, 1)
    any_shape(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
              Deal deal, float* parts, float alpha, float beta, bool vector_c) {
    if (!ladder::kHasMbarrier) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    if (threadIdx.x == 0) {
        for (typename T::Stage& stage : shared.stages) {
            stage.full.init(kProducers);
            stage.empty.init(kWarps);
        }
        shared.written.init(kWarps);
        shared.read.init(kWarps);
    }
    ladder::let_next_kernel_start();
    __syncthreads();
    ladder::wait_for_kernel_before();
    if (threadIdx.x >= kConsumers) {
        ladder::give_registers<64>();
        produce<T, kVector>(shared, A, lda, B, ldb, M, N, K, deal);
    } else {
        ladder::take_registers<216>();
        consume<T, kVector>(shared, C, ldc, M, K, deal, parts, alpha, beta, vector_c);
    }
}

constexpr int kAdders = 256;  // threads of a block of add_pieces
constexpr int kAtOnce = 8;    // pieces that a thread reads at a time

// Adds the pieces of the tiles that were cut, in the order of n; blockIdx.y is the tile. A thread takes four places of
// it. Where a tile has many pieces, `groups` threads share them, so that more SMs read and fewer reads wait for each
// other. The code is short, since it is fetched while it runs once: with the loop unrolled it was 13 KB, and took 7 us
// longer at 2560.
template <class T, bool kVector>
__global__ void __launch_bounds__(kAdders) add_pieces(const float* parts, Deal deal, int groups, float* C, int64_t ldc,
                                                      int M, int K, float beta, bool vector_c) {
    __shared__ alignas(16) float sums[kAdders][4];
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    const ladder::Epilogue epilogue{1.0f, beta};  // the pieces have been multiplied by alpha
    const int threads = kAdders / groups;         // of a group
    const int tile = blockIdx.y, start = tile * deal.steps, end = start + deal.steps;
    // The blocks that had a piece of the tile: the first from its first step on, the others from within it.
    const int first = deal.block_of(start), count = deal.block_of(end - 1) - first + 1;
    if (count == 1) return;  // one block had all of it

    const int group = threadIdx.x / threads, at = (blockIdx.x * threads + threadIdx.x % threads) * 4;
    const int each = ladder::ceil_div(count, groups), last = min(count, (group + 1) * each);
    float sum[4] = {};
#pragma unroll 1
    for (int i = group * each; i < last; i += kAtOnce) {
        alignas(16) float piece[kAtOnce][4] = {};
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
            if (i + j >= last) continue;
            ladder::copy4(piece[j], parts + int64_t{slot_of(first + i + j, i + j > 0)} * T::kM * T::kK + at);
        }
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
#pragma unroll
            for (int k = 0; k < 4; ++k) sum[k] += piece[j][k];
        }
    }
    if (groups > 1) {
        ladder::copy4(sums[threadIdx.x], sum);
        __syncthreads();
        if (group > 0) return;
#pragma unroll 1
        for (int other = 1; other < groups; ++other) {
#pragma unroll
            for (int k = 0; k < 4; ++k) sum[k] += sums[other * threads + threadIdx.x][k];
        }
    }

    const int2 corner = corner_of<T>(deal.whole + tile, M, K);
    const int row = at / T::kK, place = at % T::kK;
    if (corner.x + row >= M) return;
    float* c = C + (corner.x + row) * ldc;
    if (kVector && vector_c) {
        if (corner.y + place < K) epilogue.store4(&c[corner.y + place], sum);
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int col = corner.y + column_at<kVector>(place + k);
        if (col < K) epilogue.store(&c[col], sum[k]);
    }
}

// A way to deal a product out, and the cycles that it is expected to take.
struct Plan {
    Deal deal{};
    double cycles = 1e300;
};

// The store of a tile takes some 1000 cycles, and 2000 more where slices are added. The second kernel's launch is 5000
// cycles, and pieces go to L2 and back at 1800 bytes a cycle.
template <class T>
Plan plan_for(const ladder::Speed& speed, int M, int N, int K, int processors) {
    const int64_t tiles = int64_t{ladder::ceil_div(M, T::kM)} * ladder::ceil_div(K, T::kK);
    const int steps = ladder::ceil_div(N, T::kN);
    const double step = T::kM * T::kK * T::kN / 128 / speed.rate, tile = T::kSlices > 1 ? 3000 : 1000;
    const int64_t rounds = (tiles + processors - 1) / processors;
    Plan best{{steps, int(tiles), 0, 1}, speed.start + rounds * (steps * step + tile)};
    const int cut = int(tiles % processors);
    const int64_t all = int64_t{cut} * steps;
    if (all > INT32_MAX) return best;  // too many to count
    for (const int most : {processors, cut ? processors / cut * cut : 0}) {
        const int sharers = std::min(most, static_cast<int>(all / 2));  // two steps each at least
        if (sharers <= cut) continue;
        const int64_t longest = (all + sharers - 1) / sharers;
        const double pieces = sharers % cut ? sharers + cut : sharers;
        const double adding = 5000 + 2 * pieces * T::kM * T::kK * sizeof(float) / 1800;
        const double cycles = speed.start + (rounds - 1) * (steps * step + tile) + longest * step + 2 * tile + adding;
        if (cycles < best.cycles) best = {{steps, int(tiles) - cut, cut, sharers}, cycles};
    }
    return best;
}

template <class T>
void launch(const ladder::Gemm& gemm, Deal deal, int processors) {
    const bool vector = gemm.vector_b();
    const size_t slots = deal.cut > 0 ? 2 * size_t(deal.sharers) : 0;
    const ladder::Workspace workspace(slots * T::kM * T::kK * sizeof(float), gemm.stream);
    if (!workspace.data()) deal.whole += deal.cut, deal.cut = 0;  // not needed, or not to be had
    const int work = std::max(deal.whole, deal.cut > 0 ? deal.sharers : 0);
    const auto kernel = vector ? any_shape<T, true> : any_shape<T, false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(typename T::Shared));
    ladder::launch_early(kernel, dim3(std::min(work, processors)), kConsumers + kProducers, sizeof(typename T::Shared),
                         gemm.stream, gemm.A, gemm.lda, gemm.B, gemm.ldb, gemm.C, gemm.ldc, gemm.M, gemm.N, gemm.K,
                         deal, workspace.data(), gemm.alpha, gemm.beta, gemm.vector_c());
    if (deal.cut == 0) return;
    const auto adding = vector ? add_pieces<T, true> : add_pieces<T, false>;
    const int groups = deal.sharers / deal.cut > 8 ? 8 : 1, blocks = T::kM * T::kK / (4 * kAdders) * groups;
    ladder::launch_early(adding, dim3(blocks, deal.cut), kAdders, 0, gemm.stream, workspace.data(), deal, groups,
                         gemm.C, gemm.ldc, gemm.M, gemm.K, gemm.beta, gemm.vector_c());
}

using Large = Tile<128, 256, 8>;
using Small = Tile<64, 128, 5>;

inline void multiply(const ladder::Gemm& gemm) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    // Round figures of an H100. Those that `make tune` measures are 90's.
    const Plan large = plan_for<Large>({0.87, 14000}, gemm.M, gemm.N, gemm.K, processors);
    const Plan small = plan_for<Small>({0.83, 7000}, gemm.M, gemm.N, gemm.K, processors);
    if (large.cycles < small.cycles) return launch<Large>(gemm, large.deal, processors);
    launch<Small>(gemm, small.deal, processors);
}

}  // namespace rung_82

SOLVE_EXPORT_GEMM(rung_82::multiply, .summary = "80 with a tile for the shape, and the last round of tiles cut along N",
                  .source = "stream-K; CUTLASS's sliced-K kernels", .minimum_compute_capability = 90)
