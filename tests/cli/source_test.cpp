// `compare my.cpp`: a file that is no library yet is built, judged, and leaves nothing behind.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;

using test::contains;
using test::kCompare;

const std::string kProduct = R"(
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < K; ++j) {
            float sum = 0;
            for (int k = 0; k < N; ++k) sum += A[i * N + k] * B[k * K + j];
            C[i * K + j] = sum;
        }
}
)";

// With a folder of its own for temporary files, which must be empty afterwards.
class Folder : public test::TemporaryDirectory {
  public:
    Folder() { fs::create_directory(temporary_); }

    std::string write(const std::string& file, const std::string& text) const {
        fs::create_directories((*this / file).parent_path());
        std::ofstream(*this / file) << text;
        return "'" + (*this / file).string() + "' ";
    }
    test::Result compare(const std::string& arguments) const {
        const auto result = test::run("TMPDIR='" + temporary_.string() + "' " + kCompare + " " + arguments);
        CHECK(fs::is_empty(temporary_));
        return result;
    }
    const fs::path& temporary() const { return temporary_; }

  private:
    const fs::path temporary_ = *this / "temporary";
};

}  // namespace

TEST_CASE("compare builds a source, judges it under the file's name, and leaves nothing behind") {
    const Folder folder;
    folder.write("of mine/inc/scale.h", "#define SCALE 1\n");
    const std::string source = folder.write("of mine/my product.cpp",
                                            "// A product.\n// compile: -I inc -DTEXT=\"a b\" -O1\n"
                                            "#include <scale.h>\nstatic_assert(SCALE == 1);\n" +
                                                kProduct);
    const auto json = folder / "rows.json";
    const auto result = folder.compare(source + test::kBuild +
                                       "/bad_plugins/control_correct.so --check-only --shape 9 "
                                       "--json " +
                                       json.string());
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    const auto rows = nlohmann::json::parse(test::read_file(json)).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].at("plugin") == "my product");
    CHECK(rows[1].at("path") == (folder / "of mine/my product.cpp").string());
    CHECK(rows[1].at("status") == "ok");
}

TEST_CASE("a source that does not compile costs its own row, and the compiler's words are shown as they are") {
    const Folder folder;
    const std::string broken = folder.write("broken.cpp", "// One line.\n\n  int  x = nothing;\n" + kProduct);
    const std::string nameless = folder.write("nameless.cpp", "void solve(const float*) {}\n");
    const std::string right = folder.write("right.cpp", kProduct);
    const auto result = folder.compare(broken + nameless + right + "--check-only --shape 9");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 3);
    CHECK(contains(result.err, "\n    3 |   int  x = nothing;\n"));
    CHECK(contains(result.out,
                   "✗ broken (cpu): load-error: not built: " + (folder / "broken.cpp").string() + ":3:12: error: "));
    CHECK(contains(result.out, "nameless.cpp: exports no `solve`, but holds the C++ function solve(float const*)"));
    CHECK(contains(result.out, "1 ok, 2 load-error"));
    CHECK_FALSE(contains(result.err, "***"));
}

TEST_CASE("sources of one stem have names that differ", "[heavy]") {
    const Folder folder;
    const auto result = folder.compare(folder.write("old/mine.cpp", kProduct) + folder.write("new/mine.cpp", kProduct) +
                                       "--check-only --shape 9");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "new/mine"));
    CHECK(contains(result.out, "old/mine"));
}

TEST_CASE("an interrupt while a source is built ends the compiler, and leaves nothing behind") {
    const Folder folder;
    const std::string source = folder.write("endless.cpp", "#include \"pipe\"\n" + kProduct);
    // Somebody reads the pipe: the compiler is at work.
    folder.write("script", "cd '" + folder.path().string() + "' && mkfifo pipe && { TMPDIR='" +
                               folder.temporary().string() + "' " + kCompare + " " + source +
                               "& } && exec 3>pipe && kill -TERM $! && wait $!\n");
    const auto result = test::run("timeout 120 sh '" + (folder.path() / "script").string() + "'");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 130);
    CHECK(fs::is_empty(folder.temporary()));
}

TEST_CASE("a kernel in another published order is judged as the file says how to call it") {
    const Folder folder;
    const auto result =
        folder.compare("tests/foreign/published_order.cu --device emulator --check-only --shape 40x77x130");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "1 ok"));
}

TEST_CASE(
    "a function of any name and order becomes solve, even if it is called so, and whatever its macros are called") {
    const Folder folder;
    // The BLAS's order, of matrices in columns: these are the transposed ones in rows.
    const std::string blas = folder.write(
        "blas.cpp", R"(// solve: mine::solve<float>('N', 'N', K, M, N, &alpha, B, ldb, A, lda, &beta, C, ldc)
#define M 77
namespace mine {
template <class T>
void solve(char, char, int m, int n, int k, const T* alpha, T* a, int lda, const T* b, int ldb, const T* beta, T* c,
           int ldc) {
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            T sum = 0;
            for (int p = 0; p < k; ++p) sum += a[i + p * lda] * b[p + j * ldb];
            c[i + j * ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * ldc]);
        }
}
}
)");
    const std::string exchanged = folder.write("exchanged.cpp", "// solve: solve(A, B, C, M, K, N)\n" + kProduct);
    const std::string nothing = folder.write("nothing.cpp", "\n\n// solve: no_such_function(A, B, C)\n");
    const auto result = folder.compare(blas + exchanged + nothing + "--check-only --shape 4x3x6");
    INFO(result.out << result.err);
    CHECK(contains(result.out, "✓ blas "));
    CHECK(contains(result.out, "✗ exchanged (cpu) at 4x3x6: "));
    CHECK(contains(result.out, "this kernel takes M, K, N"));  // as it was called
    CHECK(contains(result.out, "nothing.cpp:3:5: error: ‘no_such_function’ was not declared"));
}

TEST_CASE("a call that cannot be made of the letters says what they are") {
    const Folder folder;
    const auto error_of = [&](const std::string& call, const std::string& name = "k.cu") {
        const auto result =
            test::run("host/tools/own_plugin.py adapt " + folder.write(name, "//\n// solve: " + call + "\n") +
                      (folder / "adapter.cu").string());
        CHECK(result.exit_code == 1);
        CHECK_FALSE(fs::exists(folder / "adapter.cu"));
        CHECK(contains(result.err, name + ":2: error: // solve: "));
        return result.err;
    };
    CHECK(
        contains(error_of("run(A, B, C, rows)"), "knows no word `rows`: write the call in the letters of abi/solve.h"));
    CHECK(contains(error_of("run(A, B, C, \"x\")"), "`\"` has no place in a call"));
    CHECK(contains(error_of("run(A, C, M)"), "does not pass B"));
    CHECK(contains(error_of("run(A, B, C"), "is not closed by a `)`"));
    CHECK(contains(error_of("kernel order M, K, N"), "is no call"));
    CHECK(contains(error_of("run<<<1, 1>>>(A, B, C)", "k.cpp"), "launches a kernel, and a .cpp file has none"));
}

TEST_CASE("make plugins builds every source of a folder, and says which failed") {
    const Folder folder;
    folder.write("of mine/b.cpp", kProduct);
    folder.write("of mine/a.cpp", "nothing\n");
    folder.write("of mine/my $c.cpp", kProduct);
    folder.write("of mine/my__c.cpp", kProduct);
    folder.write("of mine/deeper/d.cpp", "nothing\n");
    const auto result = test::run("make plugins BUILD=" + test::kBuild + " DIR='" + (folder / "of mine").string() +
                                  "' INTO=" + (folder / "into").string());
    INFO(result.out << result.err);
    CHECK(result.exit_code != 0);
    CHECK(fs::exists(folder / "into/b.so"));
    CHECK(fs::exists(folder / "into/my__c.so"));
    CHECK_FALSE(fs::exists(folder / "into/a.so"));
    CHECK(contains(result.out, "a.cpp:1:1: error: "));
    CHECK(contains(result.out, "\n2 built, 2 not:\n"));
    CHECK(contains(result.out, "of mine/my__c.cpp: would make the same library as "));
    CHECK(contains(test::run("make plugins DIR=/no/such/folder").err, "no such folder: /no/such/folder"));
    CHECK(contains(test::run("make plugin FILE=tests/foreign/plain.cu INTO='of mine'").err,
                   "INTO is a folder whose path holds no blanks, which 'of mine' does"));
}

TEST_CASE("flags that only nvcc knows are left out for the emulator, and folders are looked for from the file's") {
    const Folder folder;
    const std::string file = folder.write("k.cu",
                                          "\n// compile: -maxrregcount 128 -I inc --std=c++17 -Xcompiler -g,-O1\n"
                                          "// compile: -DX='a b' -Xptxas -v -fmad=false\n");
    const std::string include = "-I" + (folder / "inc").string();
    const auto emulated = test::run("host/tools/own_plugin.py flags emulated " + file);
    CHECK(emulated.out == include + " -std=c++17 -g -O1 '-DX=a b'\n");
    CHECK(contains(emulated.err,
                   "k.cu:2: note: left out for the emulator, since only nvcc knows it: -maxrregcount=128\n"));
    CHECK(contains(emulated.err, "-Xptxas=-v -fmad=false\n"));
    const auto cuda = test::run("host/tools/own_plugin.py flags cuda " + file);
    CHECK(cuda.out ==
          "-maxrregcount=128 " + include + " -std=c++17 -Xcompiler=-g,-O1 '-DX=a b' -Xptxas=-v -fmad=false\n");
    CHECK(cuda.err == "");
    const auto wrong = test::run("host/tools/own_plugin.py flags cuda " + folder.write("w.cu", "// compile: O3\n"));
    CHECK(wrong.exit_code == 1);
    CHECK(contains(wrong.err, "w.cu:1: error: // compile: takes flags of the compiler, which begin with -: O3"));
}
