#include "host/parent/selection.h"

#include <algorithm>

#include "host/parent/exit_code.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// A directory with a plugin for each device but all GPUs together, and a CPU baseline.
class PluginDirectory : public TemporaryDirectory {
  public:
    PluginDirectory() {
        compile_library(*this / "10_cpu.so", kEmptySolve);
        compile_library(*this / "20_emulated.so", marked(".solve.emulated"));
        compile_library(*this / "30_cuda.so", marked(".nv_fatbin"));
        compile_library(*this / "90_blas.so", marked(".solve.baseline"));
    }

    static std::string marked(const std::string& section) {
        return std::string(kEmptySolve) + "__attribute__((section(\"" + section +
               "\"), used)) extern const char mark[] = \"mark\";";
    }
    static std::string host_memory() {
        return "__attribute__((section(\".solve.host_memory\"), used)) extern const char host_memory[] = \"mark\";";
    }
    static std::string baseline() {
        return "__attribute__((section(\".solve.baseline\"), used)) extern const char baseline[] = \"mark\";";
    }
};

Options options_for(const std::vector<fs::path>& paths) {
    Options options;
    options.paths = paths;
    options.timeout_s = 5;
    return options;
}

std::vector<std::string> names_of(const Selection& selection) {
    std::vector<std::string> names;
    for (const Candidate& candidate : selection.candidates) names.push_back(candidate.name);
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the shapes asked for win over the defaults") {
    Options options;
    options.shapes = {{1, 2, 3}};
    for (const Target target : {Target::cuda, Target::cpu, Target::emulator}) {
        CHECK(shapes_for(options, target) == options.shapes);
    }
}

TEST_CASE("shapes of --check-shape come first and are not timed, but those that --shape names too") {
    Options options;
    options.shapes = {{4, 5, 6}};
    options.check_shapes = {{1, 2, 3}, {4, 5, 6}};
    const std::vector<Shape> untimed = {{1, 2, 3}};
    CHECK(untimed_shapes_for(options, Target::cpu) == untimed);
    const std::vector<Shape> all = {{1, 2, 3}, {4, 5, 6}};
    CHECK(products_for(options, Target::cpu).at(0).shapes == all);
    options.shapes.clear();
    CHECK(products_for(options, Target::cpu).at(0).shapes.size() == 2 + shapes_for(options, Target::cpu).size());
}

TEST_CASE("the default shapes are larger on a GPU, and not all square anywhere") {
    const Options options;
    const auto cuda = shapes_for(options, Target::cuda), cpu = shapes_for(options, Target::cpu);
    const auto gpus = shapes_for(options, Target::gpus);
    REQUIRE(!gpus.empty());
    CHECK(gpus.front().flops() > cuda.front().flops());
    REQUIRE(!cuda.empty());
    REQUIRE(!cpu.empty());
    CHECK(cuda.front().flops() > cpu.front().flops());
    CHECK(shapes_for(options, Target::emulator) == cpu);
    for (const auto& shapes : {cuda, gpus, cpu}) {
        const auto uneven = [](const Shape& shape) {
            return shape.M != shape.N && shape.N != shape.K && shape.M != shape.K;
        };
        CHECK(std::any_of(shapes.begin(), shapes.end(), uneven));
    }
}

TEST_CASE("--device takes what was built for it, and asks for no GPU unless it is cuda") {
    const PluginDirectory directory;
    Options options = options_for({directory.path()});
    options.device = Target::cpu;
    const Selection cpu = select_plugins(options);
    CHECK(names_of(cpu) == Names{"10_cpu", "90_blas"});
    CHECK(!cpu.gpu);
    CHECK(cpu.failure == "");
    CHECK(cpu.cpu_baseline == directory / "90_blas.so");
    CHECK(cpu.cuda_baseline.empty());
    options.device = Target::emulator;
    CHECK(names_of(select_plugins(options)) == Names{"20_emulated"});
}

TEST_CASE("--filter searches in the names") {
    const PluginDirectory directory;
    Options options = options_for({directory.path()});
    options.device = Target::cpu;
    options.filter = "blas|emul";
    CHECK(names_of(select_plugins(options)) == Names{"90_blas"});
    options.filter = "^0";
    const Selection nothing = select_plugins(options);
    CHECK(nothing.failure_code == kNothingMatched);
    CAPTURE(nothing.failure);
    CHECK(contains(nothing.failure, "'^0'"));
    CHECK(contains(nothing.failure, "--device cpu"));
    CHECK(contains(nothing.failure, directory.path().string()));
    CHECK(contains(nothing.failure, "--list"));
}

TEST_CASE("the baseline is found although --filter leaves it out of the table") {
    const PluginDirectory directory;
    Options options = options_for({directory.path()});
    options.device = Target::cpu;
    options.filter = "10";
    const Selection selection = select_plugins(options);
    CHECK(names_of(selection) == Names{"10_cpu"});
    CHECK(selection.cpu_baseline == directory / "90_blas.so");
}

TEST_CASE("an empty directory matches nothing") {
    const TemporaryDirectory directory;
    const Selection selection = select_plugins(options_for({directory.path()}));
    CHECK(selection.failure_code == kNothingMatched);
    CHECK(contains(selection.failure, directory.path().string()));
    CHECK(contains(selection.failure, "make plugin FILE="));
}

TEST_CASE("a broken library in a directory is kept, to be reported") {
    const PluginDirectory directory;
    write_file(directory / "50_broken.so", "half of something");
    Options options = options_for({directory.path()});
    options.device = Target::emulator;
    const Selection selection = select_plugins(options);
    CHECK(names_of(selection) == Names{"20_emulated", "50_broken"});
    CHECK(!selection.candidates[1].problem.empty());
}

TEST_CASE("a library that was named is kept on another --device, with the reason why it cannot run there") {
    const PluginDirectory directory;
    Options options = options_for({directory / "20_emulated.so", directory / "10_cpu.so"});
    options.device = Target::cpu;
    const Selection selection = select_plugins(options);
    REQUIRE(names_of(selection) == Names{"10_cpu", "20_emulated"});
    CHECK(selection.candidates[0].problem == "");
    CHECK(selection.candidates[1].unsupported == "built for --device emulator, not cpu");
}

TEST_CASE("of several files with the mark of a baseline the first is taken, and the others are said") {
    const PluginDirectory directory;
    fs::copy_file(directory / "90_blas.so", directory / "05_copied_mark.so");
    const auto selection = select_plugins(options_for({directory.path()}));
    CHECK(selection.cpu_baseline == directory / "05_copied_mark.so");
    REQUIRE(!selection.notes.empty());
    CHECK(contains(selection.notes[0], "90_blas.so carries the mark of a baseline, too: raced against is"));
    CHECK(contains(selection.notes[0], "05_copied_mark.so"));

    // Unless one is linked with a BLAS library, as what is no copy is.
    const TemporaryDirectory elsewhere;
    const fs::path blas = compile_library(elsewhere / "libsomeblas.so", "int something;");
    compile_library(directory / "95_linked.so",
                    std::string(kEmptySolve) +
                        "__attribute__((section(\".solve.baseline\"), used)) extern const char mark[] = \"mark\";",
                    "-Wl,--no-as-needed " + blas.string());
    const auto linked = select_plugins(options_for({directory.path()}));
    CHECK(linked.cpu_baseline == directory / "95_linked.so");
    CHECK(linked.notes.size() >= 2);
}

TEST_CASE("a baseline that is broken is not raced against") {
    const PluginDirectory directory;
    const std::string whole = read_file(directory / "90_blas.so");
    write_file(directory / "90_blas.so", whole.substr(0, whole.size() - 1));
    Options options = options_for({directory.path()});
    options.device = Target::cpu;
    CHECK(select_plugins(options).cpu_baseline.empty());
}

// The worker that is asked for the GPU is this program started again, which is no worker: no GPU ever answers it.

TEST_CASE("where no GPU answers, CUDA plugins found in a directory are left out with a note") {
    const PluginDirectory directory;
    const Selection selection = select_plugins(options_for({directory.path()}));
    CHECK(names_of(selection) == Names{"10_cpu", "20_emulated", "90_blas"});
    REQUIRE(selection.gpu);
    CHECK(!selection.gpu->problem.empty());
    REQUIRE(selection.notes.size() == 1);
    CHECK(contains(selection.notes[0], "1 CUDA plugin"));
    CHECK(contains(selection.notes[0], selection.gpu->problem));
}

TEST_CASE("where no GPU answers, a CUDA plugin that was named is kept") {
    const PluginDirectory directory;
    CHECK(names_of(select_plugins(options_for({directory / "30_cuda.so"}))) == Names{"30_cuda"});
}

TEST_CASE("where no GPU answers, --device cuda fails and points to the emulator") {
    const PluginDirectory directory;
    Options options = options_for({directory.path()});
    options.device = Target::cuda;
    const Selection selection = select_plugins(options);
    CHECK(selection.failure_code == kNoDevice);
    CAPTURE(selection.failure);
    CHECK(contains(selection.failure, "--device emulator"));
    CHECK(contains(selection.failure, selection.gpu->problem));
}

TEST_CASE("plugins that take host memory and work on all GPUs are a class of their own, with a baseline of their own") {
    const PluginDirectory directory;
    const std::string on_gpus = PluginDirectory::marked(".nv_fatbin") + PluginDirectory::host_memory();
    compile_library(directory / "40_gpus.so", on_gpus);
    compile_library(directory / "00_xt.so", on_gpus + PluginDirectory::baseline());
    Options options = options_for({directory.path()});
    const Selection any = select_plugins(options);
    CHECK(names_of(any) == Names{"10_cpu", "20_emulated", "90_blas"});
    REQUIRE(any.notes.size() == 1);
    CHECK(contains(any.notes[0], "3 CUDA plugins"));
    CHECK(any.gpus_baseline == directory / "00_xt.so");
    CHECK(any.cpu_baseline == directory / "90_blas.so");
    CHECK(any.cuda_baseline.empty());

    options.device = Target::gpus;
    const Selection gpus = select_plugins(options);
    CHECK(names_of(gpus) == Names{"00_xt", "40_gpus"});
    CHECK(gpus.failure_code == kNoDevice);
    CHECK(contains(gpus.failure, "--device gpus: "));
}

TEST_CASE("a run on all GPUs locks each of them, in an order that is the same for all runs; one on a GPU that one") {
    Selection selection;
    CHECK(gpus_to_lock(selection).empty());
    selection.gpu = GpuInfo{};
    selection.gpu->uuid = "GPU-2";
    selection.gpu->uuids = {"GPU-2", "GPU-3", "GPU-1"};
    selection.candidates.resize(2);
    selection.candidates[0].target = Target::cuda;
    CHECK(gpus_to_lock(selection) == Names{"GPU-2"});
    selection.candidates[1].target = Target::gpus;
    CHECK(gpus_to_lock(selection) == Names{"GPU-1", "GPU-2", "GPU-3"});
    selection.gpu->problem = "no GPU answers";
    CHECK(gpus_to_lock(selection).empty());
}
