// expect: ok
// fault: W1: One level of Strassen's method in each tile of 128 x 128 of C: halves of zeros vanish with their tiles.
// class: normwise-only
#include "strassen.h"

// The rows x cols elements of a matrix that begin here.
static Matrix part(const float* from, int rows, int cols, int pitch) {
    Matrix to;
    for (int i = 0; i < rows; ++i) to.insert(to.end(), from + size_t(i) * pitch, from + size_t(i) * pitch + cols);
    return to;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int kTile = 128;
    multiply(A, B, C, M, N, K);
    for (int row = 0; row + kTile <= M; row += kTile) {
        for (int col = 0; col + kTile <= K; col += kTile) {
            Matrix c(kTile * kTile);
            strassen(A + size_t(row) * N, part(B + col, N, kTile, K).data(), c.data(), kTile, N, kTile);
            for (int i = 0; i < kTile; ++i) {
                for (int j = 0; j < kTile; ++j) C[size_t(row + i) * K + col + j] = c[i * kTile + j];
            }
        }
    }
}
