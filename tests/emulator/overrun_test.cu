// What AddressSanitizer sees of a kernel's mistakes; the plain build has nothing to see it with.
#ifdef __SANITIZE_ADDRESS__
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "../catch.h"

namespace {

__global__ void static_overrun(int i) {
    __shared__ float first[8], second[8];
    second[0] = 1;
    first[i] = second[0];
}

__global__ void dynamic_overrun(int i) {
    extern __shared__ float values[];
    values[i] = 1;
    __syncthreads();
}

__global__ void store(float* values, int i) {
    values[i] = 1;
}

// What a child process prints that makes this one launch.
template <class Launch>
std::string report(Launch launch) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        launch();
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t got; (got = read(ends[0], part.data(), part.size())) > 0;) text.append(part.data(), got);
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return text;
}

bool is_caught(const std::string& text, const char* kernel) {
    return text.find("ERROR: AddressSanitizer") != std::string::npos && text.find(kernel) != std::string::npos;
}

}  // namespace

TEST_CASE("an overrun of shared or device memory is caught") {
    CHECK(is_caught(report([] { static_overrun<<<1, 1>>>(8); }), "static_overrun"));
    CHECK(report([] { static_overrun<<<1, 1>>>(7); }).empty());
    CHECK(is_caught(report([] { dynamic_overrun<<<1, 32, 128>>>(32); }), "dynamic_overrun"));
    CHECK(report([] { dynamic_overrun<<<1, 32, 128>>>(31); }).empty());
    float* values = nullptr;
    REQUIRE(cudaMalloc(&values, 40) == cudaSuccess);
    CHECK(is_caught(report([=] { store<<<1, 1>>>(values, 10); }), "store"));
    CHECK(report([=] { store<<<1, 1>>>(values, 9); }).empty());
    cudaFree(values);
}
#endif
