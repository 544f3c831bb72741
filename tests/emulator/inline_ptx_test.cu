#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <vector>

#include "../../host/emulator/runtime/ptx_code.h"
#include "../catch.h"
#include "environment.h"

namespace {

__global__ void arithmetic(float* floats, int* ints, const float* from) {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    ints[0] = static_cast<int>(lane);
    float sum = 1.0f;
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(2.0f), "f"(threadIdx.x + 3.0f));
    floats[0] = sum;
    asm("{\n\t"
        ".reg .b32 t;\n\t"
        "mul.lo.s32 t, %1, %2;   // a comment; with a semicolon\n\t"
        "shr.s32 %0, t, 1;\n\t"
        "}"
        : "=r"(ints[1])
        : "r"(-6), "r"(7));
    long long wide;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"(-3), "r"(1 << 30), "l"(5));
    ints[2] = wide == -3ll * (1 << 30) + 5;
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(ints[3]) : "f"(-2.75f));
    asm("max.f32 %0, %1, 0f40000000;" : "=f"(floats[1]) : "f"(1.5f));
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(2.0f), "f"(-1.0f));
    ints[4] = static_cast<int>(pair);
    // Loaded only where the predicate holds; else the register keeps what it has.
    for (int inside = 0; inside < 2; ++inside) {
        asm volatile(
            "{ .reg .pred p;\n"
            "  setp.ne.b32 p, %2, 0;\n"
            "  mov.b32 %0, 0;\n"
            "  @p ld.global.nc.L2::128B.f32 %0, [%1 + 4]; }"
            : "=f"(floats[2 + inside])
            : "l"(from), "r"(inside));
    }
    float4 four;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "l"(from));
    asm volatile("st.global.f32 [%0], %1;" ::"l"(&floats[4]), "f"(four.w) : "memory");
}

__global__ void bits(unsigned* out, const unsigned* memory) {
    __shared__ int own;
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(out[0]) : "r"(0xabcdu));
    asm("bfe.s32 %0, %1, %2, 4;" : "=r"(out[1]) : "r"(0x80u), "r"(4));
    asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(out[2]) : "r"(0xffu), "r"(0x12345678u));
    asm("popc.b32 %0, %1;" : "=r"(out[3]) : "r"(0xf0fu));
    asm("clz.b32 %0, %1;" : "=r"(out[4]) : "r"(0xffu));
    asm("brev.b32 %0, %1;" : "=r"(out[5]) : "r"(3u));
    asm("shf.l.wrap.b32 %0, %1, %2, 33;" : "=r"(out[6]) : "r"(0x80000000u), "r"(1u));
    asm("shf.r.clamp.b32 %0, %1, %2, 40;" : "=r"(out[7]) : "r"(5u), "r"(6u));
    asm("{ .reg .pred p, q; isspacep.shared p, %1; isspacep.global q, %2; and.pred p, p, q; selp.u32 %0, 1, 0, p; }"
        : "=r"(out[8])
        : "l"(&own), "l"(memory));
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 3; vote.sync.ballot.b32 %0, p, 0xf; }"
                 : "=r"(out[9])
                 : "r"(threadIdx.x));
    asm volatile(
        "{ .reg .u32 i, sum; .reg .pred p;\n mov.u32 i, 0; mov.u32 sum, 0;\n"
        "NEXT_%=:\n add.u32 sum, sum, i;\n add.u32 i, i, 1;\n setp.le.u32 p, i, %1;\n @p bra NEXT_%=;\n"
        " @!p bra.uni END;\n mov.u32 sum, 0;\nEND: mov.u32 %0, sum; }"
        : "=r"(out[10])
        : "r"(10));
}

// C = A * B of 16 x 16 and 16 x 8 halves, through ldmatrix and mma.sync; the copies into shared memory are waited for
// or not.
__global__ void multiply(const half* A, const half* B, float* C, bool waits) {
    __shared__ __align__(16) half a[16][16], b[16][8];
    const unsigned lane = threadIdx.x;
    const auto address = [](const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); };
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&a[lane / 2][lane % 2 * 8])),
                 "l"(&A[lane * 8]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address(&b[lane / 2][lane % 2 * 4])),
                 "l"(&B[lane * 4]), "n"(8), "r"(8));
    asm volatile("cp.async.commit_group;" ::);
    if (waits) asm volatile("cp.async.wait_group %0;" ::"n"(0));
    asm volatile("bar.sync 0;" ::: "memory");
    unsigned left[4], right[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(left[0]), "=r"(left[1]), "=r"(left[2]), "=r"(left[3])
                 : "r"(address(&a[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(right[0]), "=r"(right[1])
                 : "r"(address(&b[lane % 16][0])));
    float sum[4] = {};
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
    for (int i = 0; i < 4; ++i) C[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

}  // namespace

TEST_CASE("PTX computes, loads and stores") {
    float floats[8] = {};
    int ints[8] = {};
    alignas(16) const float from[4] = {10, 11, 12, 13};
    arithmetic<<<1, 1>>>(floats, ints, from);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    CHECK(floats[0] == 7.0f);
    CHECK(floats[1] == 2.0f);
    CHECK(floats[2] == 0.0f);
    CHECK(floats[3] == 11.0f);
    CHECK(floats[4] == 13.0f);
    CHECK(ints[0] == 0);
    CHECK(ints[1] == -21);
    CHECK(ints[2] == 1);
    CHECK(ints[3] == -2);
    CHECK(ints[4] == 0x4000bc00);
}

TEST_CASE("a product of matrices by PTX, whose copies arrive at the wait") {
    alignas(16) half a[16 * 16], b[16 * 8];
    for (int i = 0; i < 256; ++i) a[i] = float(i * 7 % 13 - 6);
    for (int i = 0; i < 128; ++i) b[i] = float(i * 5 % 11 - 5);
    float c[128] = {};
    multiply<<<1, 32>>>(a, b, c, true);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < 128; ++i) {
        float expected = 0;
        for (int k = 0; k < 16; ++k) expected += float(a[i / 8 * 16 + k]) * float(b[k * 8 + i % 8]);
        wrong += c[i] != expected;
    }
    CHECK(wrong == 0);
    multiply<<<1, 32>>>(a, b, c, false);
    CHECK(std::isnan(c[0]));
}

TEST_CASE("the first PTX instruction that the emulator does not know is named") {
    using emulator::ptx::unknown_instruction;
    CHECK(unknown_instruction("add.f32 %0, %1, %2; wgmma.fence.sync.aligned;") == "wgmma.fence.sync.aligned");
    CHECK(unknown_instruction("bra again;") != "");
    CHECK(unknown_instruction("bar.sync 1, 64;") == "bar.sync of other than all threads at barrier 0");
    CHECK(unknown_instruction("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                              "{%8,%9}, {%10,%11,%12,%13};") == "");
}

TEST_CASE("bits, votes and branches in inline PTX") {
    unsigned out[11] = {};
    const unsigned memory = 0;
    bits<<<1, 4>>>(out, &memory);
    CHECK(cudaGetLastError() == cudaSuccess);
    const unsigned expected[] = {0xbc, 0xfffffff8, 0x12345ff8, 8, 24, 0xc0000000, 3, 6, 1, 7, 55};
    for (int i = 0; i < 11; ++i) {
        INFO(i);
        CHECK(out[i] == expected[i]);
    }
    CHECK(emulator::ptx::unknown_instruction("bra NOWHERE;") == "bra to NOWHERE");
}
