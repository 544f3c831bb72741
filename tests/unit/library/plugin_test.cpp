#include "host/library/plugin.h"

#include <stdexcept>

#include "host/library/library_copy.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

std::string refusal(const fs::path& path) {
    return message_thrown_by<std::runtime_error>([&] { Plugin plugin(path); });
}

// A library whose solve_info returns this initialiser, as somebody's own header would lay it out.
std::string source_with_info(const std::string& fields) {
    return std::string(kEmptySolve) + R"(
        struct Info {
            unsigned size, version;
            const char *name, *summary, *source;
            unsigned memory, arithmetic, capability, entries, flags, later[4];
        };
        extern "C" const Info* solve_info() { static const Info info = {)" +
           fields + "}; return &info; }";
}

}  // namespace

TEST_CASE("a file that is missing, or no library, is refused in the loader's words") {
    const TemporaryDirectory directory;
    CHECK(contains(refusal(directory / "missing.so"), "missing.so"));
    write_file(directory / "text.so", "no library at all, but long enough to be looked at as if it might be one");
    CHECK(contains(refusal(directory / "text.so"), "text.so"));
}

TEST_CASE("a library without solve is refused") {
    const TemporaryDirectory directory;
    CHECK(contains(refusal(compile_library(directory / "x.so", "extern \"C\" void other() {}")), "exports no `solve`"));
}

TEST_CASE("a symbol that is missing is found when the plugin is loaded, not when it is called") {
    const TemporaryDirectory directory;
    const auto library = compile_library(
        directory / "x.so", "extern \"C\" void nowhere(); extern \"C\" void solve() { nowhere(); }", "-Wl,-z,lazy");
    CHECK(contains(refusal(library), "nowhere"));
}

TEST_CASE("a plain library is a plugin of its file's name that claims FP32 and reports no errors") {
    const TemporaryDirectory directory;
    const Plugin plugin(compile_library(directory / "10_plain.so", kEmptySolve));
    CHECK(plugin.name() == "10_plain");
    CHECK(plugin.solve != nullptr);
    CHECK(plugin.solve_enqueue == nullptr);
    CHECK(plugin.solve_chain == nullptr);
    CHECK(!plugin.info());
    CHECK(plugin.last_error() == "");
    CHECK(plugin.arithmetic() == SOLVE_ARITHMETIC_FP32);
    const PluginInfo info = plugin.describe();
    CHECK(info.name == "10_plain");
    CHECK(info.summary == "");
    CHECK(info.arithmetic == "FP32");
    CHECK(info.entries.empty());
}

TEST_CASE("a library with solve_chain alone is a plugin without solve") {
    const TemporaryDirectory directory;
    const Plugin plugin(compile_library(directory / "x.so", "extern \"C\" void solve_chain() {}"));
    CHECK(plugin.solve == nullptr);
    CHECK(plugin.describe().entries == std::vector<std::string>{"solve_chain"});
}

TEST_CASE("the text of the last error is read at each call") {
    const TemporaryDirectory directory;
    const Plugin plugin(compile_library(directory / "x.so", R"(
        static int calls = 0;
        extern "C" void solve(const float*, const float*, float*, int, int, int) { ++calls; }
        extern "C" const char* solve_last_error() { return calls == 1 ? "the first call failed" : nullptr; })"));
    CHECK(plugin.last_error() == "");
    plugin.solve(nullptr, nullptr, nullptr, 0, 0, 0);
    CHECK(plugin.last_error() == "the first call failed");
    plugin.solve(nullptr, nullptr, nullptr, 0, 0, 0);
    CHECK(plugin.last_error() == "");
}

TEST_CASE("what solve_info says is shown, whatever name it gives itself") {
    const TemporaryDirectory directory;
    const Plugin plugin(
        compile_library(directory / "50_stem.so",
                        source_with_info("sizeof(Info), 1, \"other\", \"a summary\", \"a source\", 1, 3, 80, 5, 0") +
                            "extern \"C\" int solve_enqueue() { return 0; }"));
    REQUIRE(plugin.info());
    CHECK(plugin.arithmetic() == SOLVE_ARITHMETIC_TF32);
    const PluginInfo info = plugin.describe();
    CHECK(info.name == "50_stem");
    CHECK(info.summary == "a summary");
    CHECK(info.source == "a source");
    CHECK(info.arithmetic == "TF32");
    CHECK(info.minimum_compute_capability == 80);
    CHECK(info.entries == std::vector<std::string>{"solve_enqueue"});
}

TEST_CASE("each arithmetic has its name, and one of tomorrow is unknown") {
    const TemporaryDirectory directory;
    const std::vector<std::string> names = {"FP32", "FP32", "FP32-emulated", "TF32", "FP16", "BF16", "unknown"};
    for (size_t i = 0; i < names.size(); ++i) {  // 0: it claims none, and is held to FP32
        const auto library =
            compile_library(directory / fmt::format("x{}.so", i),
                            source_with_info(fmt::format("sizeof(Info), 1, 0, \"\", \"\", 1, {}, 0, 1, 0", i)));
        const Plugin plugin(library);
        CHECK(plugin.describe().arithmetic == names[i]);
        CHECK(plugin.claims_arithmetic() == (i > 0));
    }
}

TEST_CASE("fields that a shorter solve_info does not cover are zero, and null texts are empty") {
    const TemporaryDirectory directory;
    const Plugin plugin(
        compile_library(directory / "x.so", source_with_info("40, 1, nullptr, nullptr, nullptr, 9, 9, 99, 9, 9")));
    REQUIRE(plugin.info());
    CHECK(plugin.info()->memory == 9);
    CHECK(plugin.info()->arithmetic == 9);
    CHECK(plugin.info()->minimum_compute_capability == 0);
    CHECK(plugin.info()->flags == 0);
    CHECK(plugin.describe().summary == "");
    CHECK(plugin.describe().source == "");
    CHECK(contains(plugin.wrong_claim(), "size is 40, less than the 52 bytes"));
}

TEST_CASE("a description of a version that there is not is a wrong claim") {
    const TemporaryDirectory directory;
    const Plugin plugin(
        compile_library(directory / "x.so", source_with_info("sizeof(Info), 0, \"\", \"\", \"\", 1, 1, 0, 1, 0")));
    CHECK(contains(plugin.wrong_claim(), "abi_version is 0"));
}

TEST_CASE("a source that is null is a wrong claim, a name that is null is none") {
    const TemporaryDirectory directory;
    const auto claim = [&](const char* file, const char* fields) {
        return Plugin(compile_library(directory / file, source_with_info(fields))).wrong_claim();
    };
    CHECK(
        contains(claim("x.so", "sizeof(Info), 1, \"\", \"\", nullptr, 2, 1, 0, 1, 0"), "solve_info()->source is null"));
    CHECK(claim("y.so", "sizeof(Info), 1, nullptr, \"\", \"\", 2, 1, 0, 1, 0") == "");
}

TEST_CASE("errors are reported by a plugin's own solve_last_error, not by the emulator's") {
    const TemporaryDirectory directory;
    const auto reports = [&](const char* file, const char* fields) {
        return Plugin(compile_library(
                          directory / file,
                          source_with_info(fields) + "extern \"C\" const char* solve_last_error() { return nullptr; }"))
            .reports_errors();
    };
    CHECK(reports("x.so", "sizeof(Info), 1, \"\", \"\", \"\", 2, 1, 0, 3, 2"));
    CHECK(!reports("y.so", "sizeof(Info), 1, \"\", \"\", \"\", 2, 1, 0, 1, 2"));
    CHECK(reports("z.so", "sizeof(Info), 1, \"\", \"\", \"\", 2, 1, 0, 1, 0"));
}

TEST_CASE("a solve_info of a later ABI, or none at all, is refused") {
    const TemporaryDirectory directory;
    const auto later =
        compile_library(directory / "x.so", source_with_info("sizeof(Info), 2, \"\", \"\", \"\", 1, 1, 0, 1, 0"));
    const std::string message = refusal(later);
    CAPTURE(message);
    CHECK(contains(message, "version 2"));
    CHECK(contains(message, "rebuild"));
    const auto none = compile_library(
        directory / "y.so", std::string(kEmptySolve) + "extern \"C\" const void* solve_info() { return nullptr; }");
    CHECK(contains(refusal(none), "solve_info returned null"));
}

TEST_CASE("a plugin is loaded from its copy, under its file's name, and so are the loader's errors") {
    const TemporaryDirectory directory;
    const auto good = compile_library(directory / "10_good.so", kEmptySolve);
    const auto bad = compile_library(directory / "20_bad.so",
                                     "extern \"C\" void nowhere(); extern \"C\" void solve() { nowhere(); }");
    // For good, as the library is: the loader knows it by its descriptor's number.
    static const LibraryCopy copy(good), bad_copy(bad);
    fs::remove(good);
    const Plugin plugin(good, copy.descriptor());
    CHECK(plugin.name() == "10_good");
    CHECK(plugin.solve != nullptr);
    const std::string error = message_thrown_by<std::runtime_error>([&] { Plugin(bad, bad_copy.descriptor()); });
    CAPTURE(error);
    CHECK(contains(error, bad.string() + ": undefined symbol: nowhere"));
    CHECK(!contains(error, "/proc/self/fd"));
}

TEST_CASE("a library that the plugin needs and that is not there is named, with what to do") {
    const TemporaryDirectory directory;
    const auto needed =
        compile_library(directory / "libneeded.so.7", "extern \"C\" void f() {}", "-Wl,-soname,libneeded.so.7");
    const auto plugin = compile_library(directory / "x.so", kEmptySolve,
                                        "-Wl,--no-as-needed -L'" + directory.path().string() + "' -l:libneeded.so.7");
    fs::remove(needed);
    const LibraryCopy copy(plugin);
    for (const int descriptor : {-1, copy.descriptor()}) {
        const std::string error = message_thrown_by<std::runtime_error>([&] { Plugin(plugin, descriptor); });
        CAPTURE(error);
        CHECK(contains(error, "libneeded.so.7: cannot open shared object file"));
        CHECK(contains(error, "LD_LIBRARY_PATH (ldd " + plugin.string()));
    }
}
