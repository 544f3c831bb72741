// The wgmma instructions of wgmma.h, as PTX writes them: every register of D by its number. For no other header.
#pragma once

#include <cstdint>

namespace ladder {

// 32 registers of D, as operands of the statement; 64, 96 and 128.
#define WGMMA_FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_16(i) WGMMA_FOUR(i), WGMMA_FOUR(i + 4), WGMMA_FOUR(i + 8), WGMMA_FOUR(i + 12)
#define WGMMA_D32 WGMMA_16(0), WGMMA_16(16)
#define WGMMA_D64 WGMMA_D32, WGMMA_16(32), WGMMA_16(48)
#define WGMMA_D96 WGMMA_D64, WGMMA_16(64), WGMMA_16(80)
#define WGMMA_D128 WGMMA_D96, WGMMA_16(96), WGMMA_16(112)

// Their names in the instruction.
// clang-format off
#define WGMMA_NAMES32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_NAMES64 WGMMA_NAMES32 ", " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_NAMES96 WGMMA_NAMES64 ", " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_NAMES128 WGMMA_NAMES96 ", " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// clang-format on

// The product of the operands a and b, numbered like D's registers, and the number of what says whether D is added to;
// `tail` has the instruction's last operands: that neither is transposed, of which TF32 says nothing.
#define WGMMA(name, words, k, columns, types, a, b, add, tail)                                                       \
    __device__ __forceinline__ void name(float(&d)[words], uint64_t left, uint64_t right, int is_sum) {              \
        asm volatile("{\n\t.reg .pred sum;\n\tsetp.ne.b32 sum, %" add                                                \
                     ", 0;\n\twgmma.mma_async.sync.aligned.m64n" columns "k" k ".f32." types " {" WGMMA_NAMES##words \
                     "}, %" a ", %" b ", sum, 1, 1" tail ";\n\t}"                                                    \
                     : WGMMA_D##words                                                                                \
                     : "l"(left), "l"(right), "r"(is_sum));                                                          \
    }
#define WGMMA_OF(name, k, types, tail)                       \
    WGMMA(name, 32, k, "64", types, "32", "33", "34", tail)  \
    WGMMA(name, 64, k, "128", types, "64", "65", "66", tail) \
    WGMMA(name, 96, k, "192", types, "96", "97", "98", tail) \
    WGMMA(name, 128, k, "256", types, "128", "129", "130", tail)

WGMMA_OF(wgmma_fp16, "16", "f16.f16", ", 0, 0")
WGMMA_OF(wgmma_bf16, "16", "bf16.bf16", ", 0, 0")
WGMMA_OF(wgmma_tf32, "8", "tf32.tf32", "")

// Of TF32 with A in registers: `a` names its four.
#define WGMMA_REGISTERS(words, columns, a, b, add)                                                               \
    __device__ __forceinline__ void wgmma_tf32(float(&d)[words], const uint32_t(&left)[4], uint64_t right,       \
                                               int is_sum) {                                                     \
        asm volatile("{\n\t.reg .pred sum;\n\tsetp.ne.b32 sum, %" add                                            \
                     ", 0;\n\twgmma.mma_async.sync.aligned.m64n" columns "k8.f32.tf32.tf32 {" WGMMA_NAMES##words \
                     "}, {" a "}, %" b ", sum, 1, 1;\n\t}"                                                       \
                     : WGMMA_D##words                                                                            \
                     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(is_sum));         \
    }

WGMMA_REGISTERS(32, "64", "%32, %33, %34, %35", "36", "37")
WGMMA_REGISTERS(64, "128", "%64, %65, %66, %67", "68", "69")
WGMMA_REGISTERS(96, "192", "%96, %97, %98, %99", "100", "101")
WGMMA_REGISTERS(128, "256", "%128, %129, %130, %131", "132", "133")

#undef WGMMA_REGISTERS
#undef WGMMA_OF
#undef WGMMA

}  // namespace ladder
