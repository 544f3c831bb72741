#include "device/device.h"

namespace judge {

void Device::transpose(float* to, const float* from, int64_t rows, int64_t cols) {
    std::vector<float> matrix(rows * cols), transposed(rows * cols);
    read(matrix.data(), from, matrix.size());
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < cols; ++j) transposed[j * rows + i] = matrix[i * cols + j];
    }
    write(to, transposed.data(), transposed.size());
}

}  // namespace judge
