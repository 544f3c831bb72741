// Calls that nvcc refuses because of where their functions run.
#include <vector>

#include "../../host/emulator/rewriter/rewrite.h"
#include "../catch.h"

namespace {

const std::string kStart = "# 1 \"x.cu\"\n";

// The error's or, without one, the warnings' text; empty where nothing is said.
std::string said_of(const std::string& source) {
    std::vector<std::string> warnings;
    try {
        emulator::rewrite(kStart + source, &warnings);
    } catch (const emulator::RewriteError& error) {
        return error.what();
    }
    std::string text;
    for (const std::string& warning : warnings) text += warning + "\n";
    return text;
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a host function in device code is refused, with both lines and what to write") {
    CHECK(said_of("float twice(float x) { return x; }\n__global__ void k(float* x) {\n *x = twice(1); }") ==
          "x.cu:3: error: a call of the host function 'twice' (x.cu:1) in the kernel 'k', which nvcc refuses: declare "
          "it __device__, or __host__ __device__ if the host calls it too");
    CHECK(says(said_of("template <class T> T f(T x) { return x; }\n__device__ int g() { return f<int>(1); }"),
               "x.cu:2: error: a call of the host function 'f' (x.cu:1) in the __device__ function 'g'"));
    CHECK(says(said_of("struct S { int v; int get() { return v; } };\n__global__ void k(S s) { s.get(); }"),
               "x.cu:2: error: a call of the host function 'get'"));
    CHECK(says(said_of("__global__ void k(int* x) { *x = rand(); }"), "a call of 'rand', which there is on the"));
    CHECK(says(said_of("__global__ void k() {\n std::cout << 1; }"), "x.cu:2: error: a call of 'cout'"));
    CHECK(says(said_of("int f(int x) { return x; }\ntemplate <int n> __global__ void k() { f(n); }\n"
                       "void g() { k<1><<<1, 1>>>(); }"),
               "x.cu:2: error: a call of the host function 'f'"));
}

TEST_CASE("device code that a host function calls is refused") {
    CHECK(said_of("__device__ int f(int x) { return x; }\nint g() { return f(1); }") ==
          "x.cu:2: error: a call of the __device__ function 'f' (x.cu:1) in the host function 'g', which nvcc refuses: "
          "declare it __host__ __device__");
    CHECK(says(said_of("template <int n> __global__ void k();\nvoid g() {\n k<3>(); }"),
               "x.cu:3: error: a call of the kernel 'k' like a function in the host function 'g', which nvcc "
               "refuses: launch it: k<<<grid, block>>>(...)"));
    CHECK(says(said_of("void g(float* x) { atomicAdd(x, 1); }"), "'atomicAdd' in the host function 'g'"));
}

TEST_CASE("constexpr host functions in device code are a warning, once each") {
    const std::string text = said_of(
        "constexpr int f(int x) { return x; }\n__global__ void k(int* x) {\n"
        " *x = std::max(f(1), f(2)); }");
    CHECK(text ==
          "x.cu:3: warning: 'std::max' is constexpr, but a host function: in device code nvcc takes it with "
          "--expt-relaxed-constexpr only\n"
          "x.cu:3: warning: 'f' is constexpr, but a host function: in device code nvcc takes it with "
          "--expt-relaxed-constexpr only\n");
    CHECK(says(said_of("__global__ void k(int* x) { *x = std::numeric_limits<int>::max(); }"), "numeric_limits"));
    CHECK(said_of("__global__ void k(int* x) { *x = std::numeric_limits<int>::digits; }").empty());
}

TEST_CASE("nothing is said of what nvcc takes, nor of what a name does not settle") {
    for (const char* source : {
             // On both sides, and in templates that nobody instantiates.
             "int f(int x) { return x; } __host__ __device__ int g(int x) { return f(x); }",
             "int f(int x) { return x; } template <class T> __device__ T g(T x) { return f(x); }",
             "__device__ int f(int x) { return x; } template <class T> T g(T x) { return f(x); }",
             "template <class T> struct S { __device__ T d() { return 1; } T h() { return d(); } };",
             "__host__ __device__ int f(int x) { return x; } __global__ void k() { f(1); } void g() { f(2); }",
             // Overloads, variables, parameters and types of the same name; another library's function.
             "int f(int x) { return x; } __device__ float f(float x) { return x; } __global__ void k() { f(1.0f); }",
             "int f(int x) { return x; } template <class F> __device__ void apply(F f) { f(1); } "
             "__global__ void k() { apply(3); }",
             "void f(int x) { } __global__ void k() { auto f = [](int x) { return x; }; f(1); }",
             "__global__ void k(int* p) { } void g(void (*k)(int*)) { k(nullptr); }",
             "# 1 \"cub.h\" 3\nvoid sum(int);\n# 2 \"x.cu\"\nvoid sum(float x) { } __global__ void k() { sum(1); }",
             // Lambdas and local classes that say where they run; a launch; an address; an unevaluated call.
             "__device__ int d() { return 1; } void g() { auto f = [=] __device__ () { return d(); }; }",
             "__global__ void k(int* x) { } void g() { k<<<1, 1>>>(nullptr); set(k, 1); }",
             "template <int n> __global__ void k() { } void g() { k<3><<<dim3(1), 2>>>(); }",
             "__device__ int d() { return 1; } void g() { using T = decltype(d()); }",
             "int f() { return 1; } __global__ void k() { int a = sizeof(f()); printf(\"%d\", a); }",
             "int aligned(int n) { return n; } __global__ void k() { __attribute__((aligned(16))) int a = 0; f(a); }",
             "struct S { int a; __device__ S(int x) : a{x} { } __device__ int g() { return a; } }; void f() { S::k; }",
         }) {
        INFO(source);
        CHECK(said_of(source) == "");
    }
}
