#include "../../host/emulator/rewriter/rewrite.h"

#include <algorithm>

#include "../catch.h"

using emulator::load_precompiled;
using emulator::rewrite;

namespace {

std::string message(const std::string& source) {
    try {
        rewrite(source);
    } catch (const emulator::RewriteError& error) {
        return error.what();
    }
    return "";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what is not CUDA stays as it is") {
    for (const char* source : {
             "int a = b << c; std::vector<std::vector<std::vector<int>>> v;\n",
             "const char* s = \"k<<<1, 1>>>(x); __shared__ float a[2]; \\\" asm\";\n",
             "auto r = R\"x(k<<<1, 1>>>() \" __shared__ )\" )x\"; char c = '\"'; int n = 1'000;\n",
             "# 1 \"asm.h\" 3\nint f() __asm__(\"g\");\n# 2 \"x.cu\"\n",
             "__attribute__((__noinline__)) void f();\n",
         }) {
        CHECK(rewrite(source) == source);
    }
}

TEST_CASE("g++ loads what is compiled in place of the headers that a text begins with") {
    const std::string before = "# 0 \"x.cu\"\n# 0 \"<command-line>\"\n", after = "# 1 \"x.cu\"\nint f();\n";
    const std::string headers =
        "# 1 \"include/emulator/precompiled.h\" 1\n# 1 \"a.h\" 1\nint g();\n# 5 \"include/emulator/precompiled.h\" 2\n"
        "#pragma emulator precompiled\n# 0 \"<command-line>\" 2\n";
    CHECK(load_precompiled(before + headers + after, "b.gch") ==
          before + "#pragma GCC pch_preprocess \"b.gch\"\n" + after);
    CHECK(load_precompiled(before + after, "b.gch") == before + after);
}

TEST_CASE("every line keeps its number") {
    const std::string source =
        "# 1 \"x.cu\"\nvoid f() {\n kernel<float,\n  3><<<dim3(1,\n  2),\n 3>>>(a,\n b);\n"
        " __shared__\n float a[2]\n [3],\n b;\n extern\n __shared__ int c[];\n}\nint last;\n";
    const std::string result = rewrite(source);
    CHECK(std::count(result.begin(), result.end(), '\n') == std::count(source.begin(), source.end(), '\n'));
    const auto line_of = [](const std::string& text, const char* word) {
        return std::count(text.begin(), text.begin() + static_cast<long>(text.find(word)), '\n');
    };
    CHECK(line_of(result, "int last") == line_of(source, "int last"));
    CHECK(line_of(result, " 2)") == line_of(source, " 2)"));
    CHECK(line_of(result, " [3]") == line_of(source, " [3]"));
}

TEST_CASE("the kernel's name is the text of the callee") {
    CHECK(contains(rewrite("void f() { a::k<T, 16><<<g, b>>>(x); }"), "\"a::k<T, 16>\""));
    CHECK(contains(rewrite("void f() { return ::k<<<g, b>>>(x); }"), "return ::emulator::kernel(\"::k\""));
    CHECK(contains(rewrite("void f() { table[\"a\"]<<<g, b>>>(x); }"), "\"table[\\\"a\\\"]\""));
}

TEST_CASE("what the emulator lacks is named with file and line") {
    const std::string start = "# 1 \"dir/x.cu\"\n\n";
    CHECK(message(start + "\nauto e = cudaLaunchCooperativeKernel(k, g, b, a);")
              .starts_with("dir/x.cu:3: error: the emulator has no cooperative launches: "));
    CHECK(contains(message(start + "void f() { k<<<1, 1; }"), "dir/x.cu:2: error: the emulator has no launch"));
    CHECK(contains(message(start + "void f() { k<<<1, 1>>>; }"), "dir/x.cu:2: error: the emulator has no launch"));
    CHECK(contains(message(start + "void f() { +<<<1, 1>>>(x); }"), "dir/x.cu:2: error: the emulator has no launch"));
    CHECK(contains(message(start + "__shared__ float a[2];"), "namespace scope"));
    CHECK(contains(message(start + "void f() { extern __shared__ float a; }"), "not an array"));
    CHECK(contains(message(start + "void f() { __shared__ int a = 1; }"), "initialiser"));
}

TEST_CASE("a built-in variable gives way to one that the source declares") {
    const std::string index = "(::emulator::current()->index)", size = "(::emulator::current()->block->size)";
    CHECK(rewrite("void k() { int i = threadIdx.x; }") == "void k() { int i = " + index + ".x; }");
    for (const char* kept : {
             "void f() { dim3 blockDim(16); g(blockDim.x); }",
             "void f() { dim3 a(1), blockDim(16); if (a.x) { h(blockDim); } }",
             "void f(const dim3& blockDim, int n) { h(blockDim, n); }",
             "auto f = [](dim3 blockDim) { return blockDim.x; };",
             "struct S { dim3 blockDim; S(dim3 blockDim) : blockDim(blockDim) {} void f(); }; "
             "void S::f() { h(blockDim); }",
             "void f() { c.blockDim = p->blockDim; }",
         }) {
        CHECK(rewrite(kept) == kept);
    }
    CHECK(contains(rewrite("struct S { dim3 blockDim; }; __global__ void k() { f(blockDim.x); }"), size));
    CHECK(contains(rewrite("void f(dim3 blockDim); void g() { h(a, blockDim.x); }"), size));
    CHECK(contains(rewrite("void g() { h(a ? 1 : blockDim.x, b * blockDim.y); }"), size + ".x, b * " + size + ".y"));
}

TEST_CASE("inline PTX is run, and named where the emulator does not know it") {
    CHECK(contains(
        rewrite("void f() { asm volatile(\"mov.b32 %0, %1;\" : \"=r\"(a) : \"r\"(threadIdx.x) : \"memory\"); }"),
        "output<false>(a)  , ::emulator::ptx::input<'r'>((::emulator::current()->index).x)"));
    CHECK(contains(rewrite("void f() { asm(\"wgmma.fence.sync.aligned;\"); }"),
                   "emulator_has_no_PTX_wgmma_fence_sync_aligned();"));
    for (const char* kept : {"void f() { asm volatile(\"\" ::: \"memory\"); }", "int f() __asm__(\"g\");"}) {
        CHECK(rewrite(kept) == kept);
    }
}

TEST_CASE("every __constant__ variable is counted, with or without an initialiser") {
    const std::string counted = rewrite("__constant__ Pair<int, 3> a[2], b = {1, 2};\nvoid f();");
    CHECK(contains(counted, "a_emulated_constant = ::emulator::constant_variable(sizeof(a))"));
    CHECK(contains(counted, "b_emulated_constant = ::emulator::constant_variable(sizeof(b))"));
    CHECK_FALSE(contains(rewrite("extern __constant__ int a[2];"), "sizeof"));
    CHECK_FALSE(contains(rewrite("__constant__ extern int a[2];"), "sizeof"));
}

TEST_CASE("only a loop of device code that does nothing but look lets others run") {
    const auto yields = [](const std::string& loop) {
        return contains(rewrite("__device__ void f() { " + loop + " }"), "wait_for_others");
    };
    for (const char* loop : {"while (*p == 0);", "while (*p != 0) {}", "while (a <= *p) { }", "while (f(x));",
                             "do { } while (*p == 0);"}) {
        CHECK(yields(loop));
    }
    for (const char* loop : {"while (*p++);", "while ((x = *p));", "while (*p == 0) x = 1;"}) {
        CHECK_FALSE(yields(loop));
    }
    CHECK_FALSE(contains(rewrite("void f() { while (*p == 0); }"), "wait_for_others"));
}

TEST_CASE("a loop that reads volatile memory now and then lets others run") {
    const auto looks = [](const std::string& loop) {
        return contains(rewrite("__device__ void f(volatile int *p, int *q) { " + loop + " }"), "::emulator::look");
    };
    for (const char* loop :
         {"while (*p == 0) x = 1;", "while (true) { if (*p) break; }", "for (;;) if (*p) break;",
          "do { x = 1; } while (*p == 0);", "while (*(volatile int*)q == 0) { }", "while (__ldcg(q) == 0) { ++x; }"}) {
        INFO(loop);
        CHECK((looks(loop) || contains(rewrite(std::string("__device__ void f() { ") + loop + " }"), "wait_for")));
    }
    for (const char* loop : {"while (*q == 0) x = 1;", "for (;;) { asm volatile(\"\"); }"}) CHECK_FALSE(looks(loop));
    CHECK(contains(rewrite("__device__ int load(volatile int* p) { return *p; }\n"
                           "__device__ void f(int* q) { while (load(q) == 0) { ++x; } }"),
                   "{ ::emulator::look({\"while\", __builtin_FILE(), __builtin_LINE()}, false); ++x; }"));
}
