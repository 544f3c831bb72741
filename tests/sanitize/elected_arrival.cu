// Right by construction: the lanes of a warp write, meet, and one of them arrives at an mbarrier for all; the other
// warp waits there and reads. If racecheck reports a race here, it does not follow the order that __syncwarp gives, and
// cannot judge kernels that let one lane arrive.
#include <cstdint>
#include <cstdio>

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__global__ void elected_arrival(float* out) {
    __shared__ float words[32];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        words[threadIdx.x] = threadIdx.x;
        __syncwarp();
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
        }
    } else {
        asm volatile(
            "{\n\t"
            ".reg .pred complete;\n"
            "again:\n\t"
            "mbarrier.try_wait.parity.shared.b64 complete, [%0], 0;\n\t"
            "@!complete bra again;\n\t"
            "}" ::"r"(shared_address(&barrier))
            : "memory");
        out[threadIdx.x - 32] = words[(threadIdx.x + 1) % 32];
    }
}

int main() {
    float* out = nullptr;
    cudaMalloc(&out, 32 * sizeof(float));
    elected_arrival<<<1, 64>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
