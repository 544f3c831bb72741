// How a warp splits numbers on their way to the shared memory that the tensor cores read, whatever their strides are.
#pragma once

#include "../ptx/cp_async.h"
#include "../ptx/opaque.h"
#include "packed_tiles.h"

namespace ladder {

constexpr int kChunkLines = 16;

// A lane's numbers of a chunk, 16 lines by 64 n. Lane 8q + p has, of each of four lines, 8 n: 4p to 4p + 3
// and 32 + 4p to 35 + 4p, which are piece p of a row of shared memory. Which four lines depends on their layout.
struct Chunk {
    float four[8][4];

    // Number i % 8 of line i / 8.
    template <bool kAlongN>
    __device__ __forceinline__ float at(int i) const {
        return kAlongN ? four[i / 4][i % 4] : four[i % 8][i / 8];
    }
    template <bool kAlongN>
    static __device__ __forceinline__ int line(int lane, int i) {
        return kAlongN ? lane / 8 + 4 * i : lane / 8 * 4 + i;
    }

    // Requests the numbers, which come to places of the thread's own in shared memory: `own` is the first of eight
    // groups of four, one kPitch floats behind the other. Past the ends of the operand there are zeros.
    template <int kPitch, bool kAlongN, bool kVector>
    static __device__ __forceinline__ void request(AsyncCopies& copies, float* own, const Lines& lines, int first_line,
                                                   int first_n, int N) {
        const int lane = opaque(threadIdx.x) % 32, line = first_line + Chunk::line<kAlongN>(lane, 0),
                  n = first_n + lane % 8 * 4;
        const int64_t stride = kAlongN ? 4 * lines.of_line : lines.of_n;
        const float* const start = lines.start() + line * lines.of_line + n * lines.of_n;
#pragma unroll
        for (int f = 0; f < 8; ++f) {
            const int more_lines = kAlongN ? f / 2 * 4 : 0, more_n = kAlongN ? f % 2 * 32 : f % 4 + f / 4 * 32;
            const float* const from = start + (kAlongN ? f / 2 * stride + f % 2 * 32 : more_n * stride);
            const int lines_left = lines.count - line - more_lines, n_left = N - n - more_n;
            const int inside = lines_left <= 0 || n_left <= 0 ? 0 : kAlongN ? n_left : lines_left;
            if constexpr (kVector) {
                copies.copy16(own + f * kPitch, from, inside > 0);
            } else {
#pragma unroll
                for (int i = 0; i < 4; ++i) copies.copy4(own + f * kPitch + i, from + i, i < inside);
            }
        }
    }

    template <int kPitch>
    static __device__ __forceinline__ void request(AsyncCopies& copies, float* own, const Lines& lines, int line, int n,
                                                   int N) {
        if (lines.of_n == 1) {
            lines.vector ? request<kPitch, true, true>(copies, own, lines, line, n, N)
                         : request<kPitch, true, false>(copies, own, lines, line, n, N);
        } else {
            lines.vector ? request<kPitch, false, true>(copies, own, lines, line, n, N)
                         : request<kPitch, false, false>(copies, own, lines, line, n, N);
        }
    }

    // What has come there.
    template <int kPitch>
    __device__ __forceinline__ void read(const float* own) {
#pragma unroll
        for (int f = 0; f < 8; ++f) {
            const float4 value = *reinterpret_cast<const float4*>(own + f * kPitch);
            four[f][0] = value.x, four[f][1] = value.y, four[f][2] = value.z, four[f][3] = value.w;
        }
    }

    // What has come there as boxes (box_copy.h), two of 64 rows for the 64 lines of which the chunk has 16 from
    // `first_line` on: of 64 lines by 32 n, plain, or of 64 n by 32 lines, by fours.
    template <bool kAlongN>
    __device__ __forceinline__ void read_boxes(const float (&boxes)[2][64][32], int first_line) {
        const int lane = opaque(threadIdx.x) % 32, p = lane % 8, q = lane / 8;
        const float* const lines = &boxes[0][first_line + q][p * 4];
        const float* const columns = &boxes[first_line / 32][p][place_of_piece(p, first_line % 32 / 4 + q) * 4];
#pragma unroll
        for (int f = 0; f < 8; ++f) {
            const float* const from =
                kAlongN ? lines + (f % 2 * 64 + f / 2 * 4) * 32 : columns + (f % 4 * 16 + f / 4 * 8) * 32;
            const float4 value = *reinterpret_cast<const float4*>(from);
            four[f][0] = value.x, four[f][1] = value.y, four[f][2] = value.z, four[f][3] = value.w;
        }
    }

    // Whether split_to would find a loss in the first four lines, by half of each lane's numbers of them: known sooner.
    template <class Format>
    __device__ __forceinline__ bool is_wild(bool along_n) const {
        float value[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) value[j] = along_n ? at<true>(j) : at<false>(j);
        return __popc(__ballot_sync(0xffffffff, Format::is_wild(value))) > 4;
    }

    // Stores the parts and factors to lines of a stage; whether a line loses something.
    template <class Format, bool kAlongN, class Stage>
    __device__ __forceinline__ bool split_to(Stage& stage, int first_line) const {
        const int lane = opaque(threadIdx.x) % 32, piece = lane % 8;
        bool is_doubtful = false;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float value[8], factors[Format::kFactors];
            uint4 parts[Format::kParts];
#pragma unroll
            for (int j = 0; j < 8; ++j) value[j] = at<kAlongN>(i * 8 + j);
            is_doubtful = Format::split(value, parts, factors) || is_doubtful;
            // Numbers of too wide a range show in the first four lines already: if more than four lanes report a
            // possible loss, two of them share a line, and then Format::judge says that something is lost.
            if (i == 0 && __popc(__ballot_sync(0xffffffff, is_doubtful)) > 4) return true;
            const int line = first_line + Chunk::line<kAlongN>(lane, i), place = place_of_piece(line, piece) * 16;
#pragma unroll
            for (int p = 0; p < Format::kParts; ++p) *reinterpret_cast<uint4*>(&stage.part[p][line][place]) = parts[p];
#pragma unroll
            for (int f = 0; f < Format::kFactors && piece == 0; ++f) stage.factors[f][line] = factors[f];
        }
        if (!__any_sync(0xffffffff, is_doubtful)) return false;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float value[8];
#pragma unroll
            for (int j = 0; j < 8; ++j) value[j] = at<kAlongN>(i * 8 + j);
            if (__any_sync(0xffffffff, Format::judge(value) > 0)) return true;
        }
        return false;
    }
};

}  // namespace ladder
