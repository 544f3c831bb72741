// A program that knows nothing of us calls cuBLAS, and the drop-in is preloaded into it. cuBLAS is a stand-in that
// multiplies on the CPU and counts its calls; the engine is a CPU plugin, or 90_dispatch in the emulator.
#include <regex>
#include <set>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

const std::string kStandIn = test::kBuild + "/tests/cublas";
const std::string kPacked = test::kBuild + "/plugins/cpu/20_packed.so";

test::Result run_program(const std::string& environment, const std::string& calls, const char* scope = "global",
                         const std::string& engine = kPacked) {
    return test::run("env SGEMM_LADDER_ENGINE=" + engine + " " + environment + " LD_PRELOAD=" + test::kBuild +
                     "/lib/libsgemm_ladder_cublas.so " + kStandIn + "/program " + kStandIn + "/libcalls.so " + scope +
                     " " + calls);
}

std::set<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::set<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.insert(line);
    return lines;
}

// Those lines whose call did not give what it should, or was not done by whom it should be.
std::string not_ending_with(const std::string& text, const std::string& end) {
    std::string found;
    for (const std::string& line : lines_of(text)) {
        if (line.size() < end.size() || line.substr(line.size() - end.size()) != end) found += line + "\n";
    }
    return found;
}

size_t count_of(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("every entry is taken, with operands that lie in every way, and cuBLAS is not called") {
    const auto engines = {kPacked, test::kBuild + "/plugins/emulator/90_dispatch.so"};
    for (const std::string& engine : engines) {
        const auto result = run_program("", "entries forms", "global", engine);
        INFO(engine << "\n" << result.err);
        CHECK(result.exit_code == 0);
        CHECK(result.err.empty());
        CHECK(lines_of(result.out).size() == 14 + 10);
        CHECK(not_ending_with(result.out, ": status 0, right, by cuBLAS 0") == "");
    }
}

TEST_CASE("a program that loads cuBLAS for itself only is served too") {
    const auto result = run_program("", "entries one", "local");
    CHECK(result.err.empty());
    CHECK(lines_of(result.out).size() == 14 + 1);
    CHECK(not_ending_with(result.out, ": status 0, right, by cuBLAS 0") == "");
}

TEST_CASE("a program that opens cuBLAS and takes its functions by name is served with the audit library too") {
    const std::string call = " " + kStandIn + "/opener " + kStandIn + "/libcublas.so.13";
    const std::string lib = test::kBuild + "/lib/libsgemm_ladder_cublas",
                      preloaded = "SGEMM_LADDER_ENGINE=" + kPacked + " LD_PRELOAD=" + lib + ".so";
    const std::string audited = "LD_AUDIT=" + lib + "_audit.so ";
    CHECK(test::run(preloaded + call).out == "0: 1 2 4 6, by cuBLAS 1\n");
    CHECK(test::run(audited + preloaded + call).out == "0: 1 2 4 6, by cuBLAS 0\n");
    CHECK(test::run(audited + call).out == "0: 1 2 4 6, by cuBLAS 1\n");  // and does nothing by itself
    const test::TemporaryDirectory directory;
    const std::string trace = test::kBuild + "/bin/sgemm-ladder trace --shapes " + (directory / "shapes").string();
    CHECK(test::run(trace + call).err.find("with --audit that is seen too") != std::string::npos);
    const auto traced = test::run(trace + " --audit" + call);  // and the call gets to cuBLAS
    CHECK(traced.out == "0: 1 2 4 6, by cuBLAS 1\n");
    CHECK(traced.err.find("gemm:NN 2x2x2 ") != std::string::npos);
}

TEST_CASE("what does not demand FP32, is empty or is wrong gets cuBLAS's own answer") {
    const auto result = run_program("", "'passed on'");
    CHECK(result.err.empty());
    const auto lines = lines_of(result.out);
    CHECK(lines.size() == 18);
    const std::set<std::string> ours{"math mode 2", "math mode 16", "compute type 69"};
    const std::set<std::string> refused{"negative rows", "short lda", "short ldb", "short ldc", "unknown operation"};
    for (const std::string& line : lines) {
        const std::string name = line.substr(0, line.find(':'));
        const int status = refused.count(name) ? 7 : name == "no handle" ? 1 : 0;
        CHECK(line ==
              name + ": status " + std::to_string(status) + ", right, by cuBLAS " + (ours.count(name) ? "0" : "1"));
    }
}

TEST_CASE("NVIDIA_TF32_OVERRIDE decides for all calls, and so does emulation in cuBLAS") {
    const auto never = run_program("NVIDIA_TF32_OVERRIDE=0", "'passed on'").out;
    CHECK(never.find("math mode 3: status 0, right, by cuBLAS 0") != std::string::npos);
    CHECK(never.find("compute type 77: status 0, right, by cuBLAS 0") != std::string::npos);
    CHECK(never.find("compute type 74: status 0, right, by cuBLAS 1") != std::string::npos);
    for (const char* variable : {"NVIDIA_TF32_OVERRIDE=1", "CUBLAS_EMULATE_SINGLE_PRECISION=1"}) {
        CHECK(run_program(variable, "one").out == "one: status 0, right, by cuBLAS 1\n");
    }
}

TEST_CASE("cublasLtMatmul is taken where it is a plain product, with or without a bias") {
    const auto result = run_program("", "lt");
    CHECK(result.err.empty());
    const std::set<std::string> ours{"lt plain", "lt bias", "lt in place", "lt batch"};
    const auto lines = lines_of(result.out);
    CHECK(lines.size() == 10);
    for (const std::string& line : lines) {
        const std::string name = line.substr(0, line.find(':'));
        CHECK(line == name + ": status 0, right, by cuBLAS " + (ours.count(name) ? "0" : "1"));
    }
}

TEST_CASE("the workspace that a handle has is lent to our library, as long as cuBLAS would use it") {
    const auto result = run_program("FAILING_ENGINE=0", "workspaces", "global", kStandIn + "/failing_engine.so");
    CHECK(result.out ==
          "workspace 0\nset 0\nworkspace 1024\nstream 0\nworkspace 0\nrefused 7\nworkspace 0\nunaligned 0\n"
          "workspace 0\nset 0\nworkspace 768\ndestroyed 0\nworkspace 0\n");
}

TEST_CASE("the descriptors of NVIDIA's own cuBLASLt are read, which needs no GPU") {
    if (!std::filesystem::exists(kStandIn + "/descriptors")) {
        std::printf("SKIPPED: the drop-in reads cuBLASLt's own descriptors: there is no CUDA Toolkit\n");
        return;
    }
    const test::TemporaryDirectory directory;
    const std::string log = (directory / "log").string();
    const auto result =
        test::run("SGEMM_LADDER_ENGINE=" + kPacked + " SGEMM_LADDER_LOG=" + log + " LD_PRELOAD=" + test::kBuild +
                  "/lib/libsgemm_ladder_cublas.so " + kStandIn + "/descriptors");
    INFO(result.out << result.err << test::read_file(log));
    CHECK(result.exit_code == 0);
    CHECK(result.out == "plain 5 7 9\nbias 15 27 39\nbatch 5 7 9 10 14 18\n");
    const std::string text = test::read_file(log);
    CHECK(count_of(text, "\tfirst\tcublasLtMatmul\tgemm:NT\t1x2x3\tbatch=") == 7);
    CHECK(count_of(text, "\tsgemm-ladder\n") == 2 * 3);  // first, and counted at the end
    for (const char* why : {"the compute type allows TF32", "alpha and beta are in the GPU's memory",
                            "an epilogue that is no bias", "a layout that is not by columns"}) {
        CHECK(count_of(text, std::string("\tcublas: ") + why + "\n") == 2);
    }
}

TEST_CASE("several threads are served at a time") {
    for (const char* more : {"", "SGEMM_LADDER_LOG=/dev/null SGEMM_LADDER_VERIFY=3"}) {
        CHECK(run_program(more, "threads").out == "threads: 0 wrong, by cuBLAS 0\n");
    }
}

TEST_CASE("off leaves all to cuBLAS, and so does a value that is none, after one line") {
    const std::string by_cublas = "one: status 0, right, by cuBLAS 1\n";
    const auto off = run_program("SGEMM_LADDER=off SGEMM_LADDER_LOG=/no/such/file", "one");
    CHECK(off.out == by_cublas);
    CHECK(off.err.empty());
    for (const char* bad : {"SGEMM_LADDER=yes", "SGEMM_LADDER_ACCURACY=tf32", "SGEMM_LADDER_VERIFY=often",
                            "SGEMM_LADDER_VERIFY=-1", "SGEMM_LADDER_LOG=/no/such/file"}) {
        const auto result = run_program(bad, "one one");
        INFO(bad << "\n" << result.err);
        CHECK(result.out == by_cublas + by_cublas);
        CHECK(result.err.rfind(std::string("sgemm-ladder: ") + bad + ": ", 0) == 0);
        CHECK(count_of(result.err, "\n") == 1);
    }
    // A process that calls no cuBLAS is none of ours.
    CHECK(test::run("SGEMM_LADDER=yes LD_PRELOAD=" + test::kBuild + "/lib/libsgemm_ladder_cublas.so true").err == "");
    CHECK(run_program("SGEMM_LADDER_ACCURACY=fp32-accurate SGEMM_LADDER=on", "one").out ==
          "one: status 0, right, by cuBLAS 0\n");
}

TEST_CASE(
    "what cuBLAS is expected to do faster is left to it on the GPUs that this was learned of, or on all, or none") {
    CHECK(run_program("", "slower").out == "slower: status 0, right, by cuBLAS 0\n");
    CHECK(run_program("SGEMM_LADDER_SERVE=all", "slower").out == "slower: status 0, right, by cuBLAS 0\n");
    const std::string accurate = "SGEMM_LADDER_SERVE=faster SGEMM_LADDER_ACCURACY=fp32-accurate";
    CHECK(run_program(accurate, "slower").out == "slower: status 0, right, by cuBLAS 0\n");
    CHECK(run_program("SGEMM_LADDER_SERVE=faster", "one").out == "one: status 0, right, by cuBLAS 0\n");
    for (const char* mode : {"on", "log"}) {
        const test::TemporaryDirectory directory;
        const std::string log = (directory / "log").string();
        const auto result = run_program(
            "SGEMM_LADDER_SERVE=faster SGEMM_LADDER=" + std::string(mode) + " SGEMM_LADDER_LOG=" + log, "slower");
        CHECK(result.out == "slower: status 0, right, by cuBLAS 1\n");
        CHECK(test::read_file(log).find("\tcublas: expected to be faster\n") != std::string::npos);
    }
}

TEST_CASE("without a library that can do it cuBLAS does all, and one line says why") {
    for (const std::string& engine :
         {std::string("/no/such.so"), test::kBuild + "/bad_plugins/control_correct.so", std::string("/dev/null")}) {
        const auto result = run_program("", "one one", "global", engine);
        INFO(engine);
        CHECK(result.out == "one: status 0, right, by cuBLAS 1\none: status 0, right, by cuBLAS 1\n");
        CHECK(result.err.rfind("sgemm-ladder: ", 0) == 0);
        CHECK(count_of(result.err, "\n") == 1);
    }
}

TEST_CASE("what our library refuses or fails at goes to cuBLAS, unless C was read and may be spoilt") {
    const auto with_code = [](int code) {
        return run_program("FAILING_ENGINE=" + std::to_string(code), "one entries", "global",
                           kStandIn + "/failing_engine.so");
    };
    for (const int code : {1, 2}) {  // invalid argument, unsupported: nothing was written
        const auto result = with_code(code);
        CHECK(result.err.empty());
        CHECK(lines_of(result.out).size() == 1 + 14);
        CHECK(not_ending_with(result.out, ": status 0, right, by cuBLAS 1") == "");
    }
    const auto failed = with_code(3);  // a device error: it has written to C
    CHECK(failed.out.rfind("one: status 0, right, by cuBLAS 1\n", 0) == 0);
    CHECK(count_of(failed.out, ": status 13, WRONG, by cuBLAS 0\n") == 14);
    CHECK(count_of(failed.err, "sgemm-ladder: cublasSgemmEx failed: ") == 1);
    CHECK(count_of(failed.err, "code 3") == 14);
}

TEST_CASE("90_dispatch is looked for in the user's folders, then where it is installed beside the drop-in") {
    namespace fs = std::filesystem;
    const test::TemporaryDirectory directory;
    const fs::path lib = directory / "lib", mine = directory / "mine";
    fs::create_directories(lib / "sgemm-ladder/cuda");
    fs::create_directories(mine);
    fs::copy_file(test::kBuild + "/lib/libsgemm_ladder_cublas.so", lib / "libsgemm_ladder_cublas.so");
    const std::string program = " LD_PRELOAD=" + (lib / "libsgemm_ladder_cublas.so").string() + " " + kStandIn +
                                "/program " + kStandIn + "/libcalls.so global one";
    const std::string path = "SGEMM_LADDER_PATH=/no/such:" + mine.string() + ": ";
    const auto told = [&](const std::string& environment) {
        const std::string log = (directory / "log").string();
        fs::remove(log);
        const auto result = test::run(environment + "SGEMM_LADDER_LOG=" + log + program);
        const std::string text = test::read_file(log);
        return result.err + std::regex_replace(text.substr(0, text.find('\n')), std::regex(".*\tengine "), "");
    };
    CHECK(told(path) == "sgemm-ladder: no 90_dispatch.so in /no/such, /no/such/cuda, " + mine.string() + ", " +
                            mine.string() + "/cuda, " + lib.string() + "/sgemm-ladder/cuda, " + lib.string() +
                            "/../plugins/cuda: SGEMM_LADDER_ENGINE names the file; all calls go to cuBLAS\nnone");
    fs::create_symlink(kPacked, lib / "sgemm-ladder/cuda/90_dispatch.so");
    CHECK(told(path) == (lib / "sgemm-ladder/cuda/90_dispatch.so").string());
    fs::create_symlink(kPacked, mine / "90_dispatch.so");
    CHECK(told("") == (lib / "sgemm-ladder/cuda/90_dispatch.so").string());
    CHECK(told(path) == (mine / "90_dispatch.so").string());
    CHECK(told(path + "SGEMM_LADDER_ENGINE=" + kPacked + " ") == kPacked);
}

TEST_CASE("the log has each kind of call when it is first made, the counts at the end, and why cuBLAS did it") {
    const test::TemporaryDirectory directory;
    const std::string log = (directory / "log").string();
    const auto served = run_program("SGEMM_LADDER_LOG=" + log, "one one 'passed on'");
    CHECK(served.err.empty());
    const std::string text = test::read_file(log);
    INFO(text);
    CHECK(std::regex_search(text, std::regex("^[0-9]+\tstart\t[^\t]+/program\tmode on\tengine " + kPacked + "\n")));
    const std::string call = "cublasSgemm_v2\tgemm:NN\t40x16x24\tbatch=1\tlda=18 ldb=25 ldc=27\tbeta=0\tbias=no\t";
    // By rows the sizes are those of the transpose: C of 24 x 40 by columns is 40 x 24 by rows.
    CHECK(count_of(text, "\tfirst\t" + call + "sgemm-ladder\n") == 1);
    CHECK(count_of(text, "\tcalls\t2\t" + call + "sgemm-ladder\n") == 1);
    for (const char* why : {"the math mode allows TF32", "alpha and beta are in the GPU's memory", "a size of 0",
                            "a leading dimension that is too small", "no handle that cuBLAS knows"}) {
        CHECK(count_of(text, std::string("cublas: ") + why) > 0);
    }
    CHECK(count_of(text, "\tcublas: a leading dimension that is too small\n") == 2 * 3);
    CHECK(count_of(text, "GemmEx") == 6);  // each compute type, and no half

    const auto logged = run_program("SGEMM_LADDER=log", "one");  // on standard error, where no file is named
    CHECK(logged.out == "one: status 0, right, by cuBLAS 1\n");
    CHECK(count_of(logged.err, "\tcalls\t1\t" + call + "cublas: only logged\n") == 1);
    // What cuBLAS calls by names that are ours too is no call of the program's.
    const auto once = run_program("SGEMM_LADDER=log", "entries").err;
    CHECK(count_of(once, "\tcalls\t1\tcublasSgemm_v2\t") == 1);
}

TEST_CASE("a wrong product is found by the check of every N-th call, a right one is confirmed") {
    const test::TemporaryDirectory directory;
    const std::string log = (directory / "log").string(), every = "SGEMM_LADDER_VERIFY=1 SGEMM_LADDER_LOG=" + log;
    const auto right = run_program(every, "entries forms lt");
    CHECK(right.err.empty());
    const std::string text = test::read_file(log);
    CHECK(count_of(text, "verify: right: ") == 14 + 10 + 4);
    CHECK(count_of(text, "verify: WRONG") == 0);
    const auto third = run_program("SGEMM_LADDER_VERIFY=3 SGEMM_LADDER_LOG=" + log + "3", "forms");
    CHECK(count_of(test::read_file(log + "3"), "verify: right: ") == 3);
    // This plugin leaves the bias out; that one is wrong in one product of a batch.
    for (const auto& [plugin, calls] :
         {std::pair("gemm_forgets_the_bias", "lt"), {"gemm_mistakes_one_product", "entries"}}) {
        const auto wrong =
            run_program("SGEMM_LADDER_VERIFY=1", calls, "global", test::kBuild + "/bad_plugins/" + plugin + ".so");
        INFO(plugin << "\n" << wrong.err);
        // Of a batch one product is checked, of the next batch the next: the wrong one of three twice in 14 calls.
        CHECK(count_of(wrong.err, "sgemm-ladder: verify: WRONG: cublas") == (std::string(calls) == "lt" ? 1 : 2));
    }
}

TEST_CASE("sgemm-ladder trace shows what a program calls, leaves its results and status alone, and writes a file") {
    const test::TemporaryDirectory directory;
    const std::string trace =
        test::kBuild + "/bin/sgemm-ladder trace --shapes " + (directory / "shapes").string() + " ";
    const std::string program = kStandIn + "/program " + kStandIn + "/libcalls.so local ";
    const auto result = test::run(trace + "sh -c '" + program + "one one; " + program + "one lt; exit 3'");
    INFO(result.out << result.err);
    CHECK(result.exit_code == 3);
    CHECK(count_of(result.out, "one: status 0, right, by cuBLAS 1\n") == 3);  // of two processes
    CHECK(std::regex_search(result.err, std::regex("calls +FLOP +op +MxNxK +batch +leading dimensions")));
    CHECK(std::regex_search(result.err, std::regex("\n +3 +[0-9.]+%  gemm:NN 40x16x24 +1 +lda=18 ldb=25 ldc=27 +0 "
                                                   "+no +cublasSgemm_v2\n")));
    CHECK(result.err.find("cublasLtMatmul  (left to cuBLAS: an epilogue that is no bias)\n") != std::string::npos);
    const std::string shapes = test::read_file(directory / "shapes");
    INFO(shapes);
    CHECK(shapes.find("\ngemm:NN 40x16x24  # 3 calls\n") != std::string::npos);
    CHECK(shapes.find("\ngemm:NT 12x20x33  # 2 calls\n") != std::string::npos);  // with a bias and without
    CHECK(shapes.find("\ngemm:NN 9x10x8 4  # 1 call\n") != std::string::npos);
    CHECK(count_of(shapes, "gemm:") == 4);

    const auto killed = test::run(trace + "sh -c '" + program + "one killed'");
    CHECK(killed.exit_code == 137);
    CHECK(std::regex_search(killed.err, std::regex("\n +1\\+ +100.0%  gemm:NN 40x16x24")));

    const auto nothing = test::run(trace + "true");
    CHECK(nothing.exit_code == 0);
    CHECK(nothing.err.find("nothing recorded") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(directory / "shapes"));
    for (const char* wrong : {"", "--shapes /no/such/file true", "--colour true", "--shapes"}) {
        const auto refused = test::run(test::kBuild + "/bin/sgemm-ladder trace " + wrong);
        CHECK(refused.exit_code == 1);
        CHECK(count_of(refused.err, "\n") == 1);
    }
}
