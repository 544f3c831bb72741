#include <cuda_runtime.h>

#include <vector>

#include "../catch.h"

namespace outer {
namespace inner {
template <int kAdd, class T>
__global__ void add(T* out, T value) {
    *out += value + kAdd;
}
}  // namespace inner
struct Holder {
    template <class T>
    struct Of {
        static __global__ void set(T* out) { *out = 5; }
    };
    void (*member)(int*);
};
}  // namespace outer

namespace {

__global__ void set(int* out, int value) {
    *out = value;
}
__global__ void set_from(const float* source, int* out) {
    *out = source == nullptr ? -1 : int(*source);
}
__global__ void overloaded(int* out) {
    *out = 1;
}
__global__ void overloaded(float* out) {
    *out = 2;
}
__global__ void one(int* out) {
    *out = 1;
}
__global__ void two(int* out) {
    *out = 2;
}
__global__ void grid_size(int* out) {
    *out = gridDim.x * 1000 + blockDim.x;
}

template <class T>
__global__ void sized(T* out) {
    *out = sizeof(T);
}

template <class T>
void launch_dependent(T* out) {
    constexpr int kThreads = 1;
    sized<T><<<1, kThreads>>>(out);
}

template <class T>
T same(T value) {
    return value;
}

int evaluated = 0;
int* once(int* pointer) {
    ++evaluated;
    return pointer;
}

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define CHECKED(call)                             \
    do {                                          \
        call;                                     \
        CHECK(cudaGetLastError() == cudaSuccess); \
    } while (0)

}  // namespace

TEST_CASE("a launch by name, template-id, qualified name or deduction") {
    int out = 0;
    set<<<1, 1>>>(&out, 3);
    CHECK(out == 3);
    outer::inner::add<10, int><<<1, 1>>>(&out, 1);
    CHECK(out == 14);
    ::outer::inner::add<(2 > 1)><<<1, 1>>>(&out, 1);
    CHECK(out == 16);
    outer::inner::add<1 << 2><<<1, 1>>>(&out, 0);
    CHECK(out == 20);
    outer::Holder::Of<int>::set<<<1, 1>>>(&out);
    CHECK(out == 5);
    launch_dependent(&out);
    CHECK(out == 4);
    if (out == 4)
        set<<<1, 1>>>(&out, 6);
    else
        set<<<1, 1>>>(&out, 7);
    CHECK(out == 6);
}

TEST_CASE("a launch through an expression") {
    int out = 0;
    void (*pointer)(int*) = two;
    void (*const table[])(int*) = {one, two};
    const outer::Holder holder{one};
    pointer<<<1, 1>>>(&out);
    CHECK(out == 2);
    table[0]<<<1, 1>>>(&out);
    CHECK(out == 1);
    (*pointer)<<<1, 1>>>(&out);
    CHECK(out == 2);
    holder.member<<<1, 1>>>(&out);
    CHECK(out == 1);
    (out == 1 ? two : one)<<<1, 1>>>(&out);
    CHECK(out == 2);
    same(pointer)<<<1, 1>>>(&out);
    CHECK(out == 2);
    float other = 0;
    overloaded<<<1, 1>>>(&out);
    overloaded<<<1, 1>>>(&other);
    CHECK(out == 1);
    CHECK(other == 2.0f);
}

TEST_CASE("a launch in a macro, over several lines, with nested parentheses and comparisons") {
    int out = 0;
    LAUNCH(set, &out, 8);
    CHECK(out == 8);
    CHECKED((set<<<1, 1>>>(&out, 9)));
    CHECK(out == 9);
    // The shift looks like the end of the configuration to clang-format.
    // clang-format off
    grid_size<<<
        dim3((8 + 3) / (1 + 3), same<int>(1)),
        std::max<int>(2, same(3)),
        (out > 1 ? 16 : 8) >> 1
    >>>(&out);
    // clang-format on
    CHECK(out == 2003);
}

TEST_CASE("one, two, three and four configuration arguments") {
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    int out = 0;
    set<<<1, 1, 0>>>(&out, 1);
    CHECK(out == 1);
    set<<<1, 1, 0, stream>>>(&out, 2);
    CHECK(out == 2);
    set<<<1, 1, 0, 0>>>(&out, 3);
    CHECK(out == 3);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("arguments convert to the kernel's parameters and are evaluated once") {
    int out = 0;
    set<<<1, 64>>>(once(&out), 2.75);
    CHECK(out == 2);
    CHECK(evaluated == 1);
    set_from<<<1, 1>>>(0, &out);
    CHECK(out == -1);
    set_from<<<1, 1>>>(NULL, &out);
    CHECK(out == -1);
}

TEST_CASE("cudaLaunchKernel") {
    int out = 0, value = 12;
    int* pointer = &out;
    void* arguments[] = {&pointer, &value};
    CHECK(cudaLaunchKernel(set, dim3(1), dim3(1), arguments, 0, nullptr) == cudaSuccess);
    CHECK(out == 12);
}
