#include "parent/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <random>
#include <regex>
#include <tuple>
#include <utility>

#include "base/output.h"
#include "base/usage_error.h"
#include "parent/exit_code.h"
#include "parent/help_format.h"

namespace judge {

namespace {

constexpr const char* kFooter = R"(
A PATH that is a directory stands for the .so files in it and in the directories right below it. A plugin is any
shared library that exports solve (abi/solve.h). A .cu or .cpp file is built first, as `make plugin` would (with nvcc
for a GPU, else for the emulator), and nothing of that is left. Flags for the compiler stand in one of its first 20
lines: // compile: -maxrregcount=128 -I include; and how to call a function with other parameters than solve's, in
solve's letters: // solve: sgemm(M, K, N, alpha, A, B, beta, C)
--device auto takes the GPU's plugins if a GPU answers, else those for the CPU and for the emulator; a library named
as a PATH runs on the device that it was built for. Emulated rows show no speed. gpus are plugins that take matrices in
host memory and multiply them on all GPUs.

compare report A.json [B.json] --html FILE makes the page of saved runs: see compare report --help.

exit code: 0 all ok, 1 usage, 2 a wrong result, 3 a crash, a timeout or a library that does not load,
           4 a regression, 5 a suspicious result, 6 no usable device, 7 no plugin matched,
           8 right at the shapes asked for only (limited; 0 with --allow-limited), 9 the judge itself failed)";

constexpr const char* kAnyShape = "any-shape";

std::string check_regex(const std::string& text) {
    try {
        std::regex{text};
        return {};
    } catch (const std::regex_error& error) {
        return fmt::format("'{}' is not a regular expression: {}", text, error.what());
    }
}

std::string check_seed(const std::string& text) {
    uint64_t seed = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc{} && stop == text.data() + text.size()) return {};
    return fmt::format("'{}' is not a seed: a whole number from 0 to 18446744073709551615", text);
}

// "3%" or "0.03"; -1 if it is neither.
double parse_part(const std::string& text) {
    char* stop = nullptr;
    const double value = std::strtod(text.c_str(), &stop);
    if (stop == text.c_str() || !(value >= 0 && value <= 1e6)) return -1;
    if (*stop == '\0') return value <= 1 ? value : -1;  // who writes 3 means 3%, not 300%
    return std::string(stop) == "%" ? value / 100 : -1;
}

std::string check_part(const std::string& text) {
    if (parse_part(text) >= 0) return {};
    return fmt::format("'{}' is not a part: write 3%, or 0.03", text);
}

// Lets the option take these names and nothing else, and store what each stands for. A CheckedTransformer by itself
// takes the numbers of an enum too, and lists them in the help and in its messages.
template <class T>
CLI::Option* choose(CLI::Option* option, const std::vector<std::pair<std::string, T>>& values) {
    std::vector<std::string> names;
    for (const auto& [name, value] : values) names.push_back(name);
    return option->transform(CLI::CheckedTransformer(values).description(""))
        ->transform(CLI::IsMember(names))
        ->type_name("TEXT");
}

template <class T>
std::vector<std::pair<std::string, T>> parsed(const std::vector<std::string>& names, T (*parse)(const std::string&)) {
    std::vector<std::pair<std::string, T>> values;
    for (const std::string& name : names) values.emplace_back(name, parse(name));
    return values;
}

int show(const std::string& text) {
    const std::string why = print(text);
    if (!why.empty()) complain("stdout: cannot be written: " + why);
    return why.empty() ? kAllOk : kUsageError;
}

}  // namespace

int usage_error(const std::string& message, const std::string& command) {
    complain(fmt::format("{}{} See {} --help.", message, message.ends_with('.') ? "" : ".", command));
    return kUsageError;
}

std::variant<Options, int> parse_options(int argc, char** argv) {
    Options options;
    std::vector<std::string> shapes, check_shapes;
    std::string device = "auto";
    options.seed = std::random_device{}();

    CLI::App app{
        "Runs matrix-multiplication plugins, proves each right or wrong, and races them against the vendor's library.",
        "compare"};
    app.footer(kFooter);
    app.formatter(help_format());
    app.add_option("PATH", options.paths,
                   ".cu, .cpp or .so files, or directories (default: those built or installed with this program)")
        ->type_name("");
    std::string operation = "gemm";
    app.add_option("--op", operation,
                   "what to judge: gemm (solve), chain (solve_chain: E = A * B * C), or solve_gemm, whose operands are "
                   "transposed where a T stands for a letter of gemm:NN")
        ->check(CLI::IsMember({"gemm", "chain", "gemm:NN", "gemm:NT", "gemm:TN", "gemm:TT"}))
        ->default_str("gemm");
    CLI::Option* const batch = app.add_option("--batch", options.form.batch, "with --op gemm:NN: products in a call")
                                   ->type_name("COUNT")
                                   ->check(CLI::Range(1, 1 << 20).description("from 1 to 1048576"));
    app.add_option("--shape", shapes, "MxNxK: C[MxK] = A[MxN] * B[NxK]; MxNxKxL for a chain; may be repeated")
        ->allow_extra_args(false)
        ->type_name("MxNxK");
    CLI::Option* const check_shape =
        app.add_option("--check-shape", check_shapes,
                       "one more shape, before the others, that is judged and not timed; may be repeated")
            ->allow_extra_args(false)
            ->type_name("MxNxK");
    std::filesystem::path shapes_from;
    CLI::Option* const from =
        app.add_option("--shapes-from", shapes_from,
                       "what a program calls, as sgemm-ladder trace has written it: a line a product, gemm:NT MxNxK "
                       "and perhaps a number of products")
            ->check(CLI::ExistingFile.description(""))
            ->type_name("FILE")
            ->excludes(app.get_option("--op"))
            ->excludes(batch)
            ->excludes(app.get_option("--shape"))
            ->excludes(check_shape);
    app.add_option("--device", device, "where to run")
        ->check(CLI::IsMember({"auto", "cuda", "gpus", "cpu", "emulator"}))
        ->capture_default_str();
    app.add_option("--filter", options.filter, "take only plugins whose name has a match for this regular expression")
        ->type_name("REGEX")
        ->check(CLI::Validator(check_regex, ""));
    choose(app.add_option("--data", options.data,
                          "what the matrices of a shape hold; the precision is measured on data of its own"),
           parsed(data_names(), parse_data))
        ->default_str(to_string(options.data));
    std::vector<std::string> required;
    std::vector<std::string> require_names = requirements();
    require_names.push_back(kAnyShape);
    app.add_option("--require", required,
                   "the least precision, as measured, that is not wrong (default: any); any-shape: what is limited to "
                   "some shapes is wrong; may be given twice")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(require_names));
    app.add_flag("--allow-limited", options.allow_limited, "exit status 0 though a row is limited");
    app.add_option("--misalign", options.misalignment, "let each matrix begin so many floats past a 256-byte boundary")
        ->type_name("FLOATS")
        ->check(CLI::Range(0, 63));
    app.add_flag_callback(
        "--strict", [] { setenv("SOLVE_EMULATOR_STRICT", "1", 1); },
        "in the emulator, make faults of what works on every GPU though CUDA does not promise it");
    CLI::Option* const check_only = app.add_flag("--check-only", options.check_only, "judge, do not time");
    app.add_flag("--pageable", options.pageable,
                 "with gpus: the matrices are in ordinary memory, not in pinned memory");
    app.add_flag("--scaling", options.scaling, "with gpus: time each plugin on one GPU, too (SOLVE_GPUS=1)")
        ->excludes(check_only);
    app.add_flag("--host-to-host", options.host_to_host,
                 "time each plugin for a GPU between matrices in the host's memory, pageable and pinned, too: with the "
                 "copies, and of that the GPU's, the kernels' and the CPU's time")
        ->excludes(check_only);
    app.add_flag("--counters", options.counters,
                 "read a GPU's hardware counters of one call of each row with ncu: throughput, issue slots, bank "
                 "conflicts, occupancy");
    bool quick = false, thorough = false;
    CLI::Option* const quick_flag = app.add_flag("--quick", quick,
                                                 "an estimate: time for at most 0.05 s a row (on the CPU 0.07 s) and "
                                                 "one cold call (two), and judge with fewer calls");
    app.add_flag("--thorough", thorough, "time for up to 10 s a row and column (on the CPU 3 s)")->excludes(quick_flag);
    add_output_options(app, options);
    CLI::Option* const against =
        app.add_option("--against", options.against, "compare the times with those of this file, an earlier --save")
            ->check(CLI::ExistingFile.description(""))
            ->type_name("FILE")
            ->excludes(check_only);
    app.add_option("--baseline", options.baseline, "race against this library in place of the vendor's")
        ->check(CLI::ExistingFile.description(""))
        ->type_name("FILE")
        ->excludes(check_only);
    std::string max_slowdown = "3%";
    app.add_option("--max-slowdown", max_slowdown, "with --against: what is no regression yet")
        ->needs(against)
        ->type_name("PERCENT")
        ->check(CLI::Validator(check_part, ""))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "of the input matrices (default: a new one each run, recorded)")
        ->check(CLI::Validator(check_seed, ""));
    app.add_option("--timeout", options.timeout_s, "seconds for each phase of each shape")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.001, 1e6).description("from 0.001 to 1000000"))
        ->capture_default_str();
    app.add_flag("--list", options.list, "print the plugins and what they say of themselves, run nothing")
        ->excludes(app.get_option("--json"))
        ->excludes(app.get_option("--csv"))
        ->excludes(app.get_option("--junit"))
        ->excludes(app.get_option("--bencher"))
        ->excludes(app.get_option("--html"))
        ->excludes(app.get_option("--host-to-host"))
        ->excludes(app.get_option("--counters"))
        ->excludes(against);
    app.add_flag("--watch", options.watch,
                 "build and judge the one PATH, a .cu or .cpp file, after every save, and race it against the save "
                 "before and the best so far; keys: ? lists them")
        ->excludes(app.get_option("--json"))
        ->excludes(app.get_option("--csv"))
        ->excludes(app.get_option("--html"))
        ->excludes(app.get_option("--markdown"))
        ->excludes(app.get_option("--list"))
        ->excludes(app.get_option("--host-to-host"))
        ->excludes(app.get_option("--counters"))
        ->excludes(from)
        ->excludes(check_shape)
        ->excludes(app.get_option("--baseline"))
        ->excludes(against);

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return show(app.help());
    } catch (const CLI::ParseError& error) {
        return usage_error(error.what());
    }
    if (const auto text = text_asked_for(app, options)) return show(*text);
    // Not before all is parsed: the 3 of a mistyped `--shap 3` is no path, but it looks like one.
    for (const std::filesystem::path& path : options.paths) {
        if (std::error_code error; !exists(status(path, error))) {
            return usage_error(fmt::format("PATH: no such file or directory: {}", path.string()));
        }
        if (path.extension() == ".json") {
            return usage_error(
                fmt::format("PATH: {} is no plugin: a run that was saved is read by compare report, "
                            "or by --against",
                            path.string()));
        }
    }
    if (options.watch && (options.paths.size() != 1 || !is_source(options.paths[0]))) {
        return usage_error("--watch: name one file, which ends in .cu or .cpp.");
    }
    if (operation == "chain") options.operation = Operation::chain;
    if (operation.starts_with("gemm:")) {
        options.operation = Operation::full_gemm;
        options.form = parse_form(operation.substr(5), options.form.batch);
    } else if (batch->count() > 0) {
        return usage_error("--batch: only solve_gemm takes several products at a time: add --op gemm:NN");
    }
    if (std::isnan(options.timeout_s)) return usage_error("--timeout: nan is no number of seconds");
    if (quick) options.effort = Effort::quick;
    if (thorough) options.effort = Effort::thorough;
    options.max_slowdown = parse_part(max_slowdown);
    for (const auto& [name, texts, parsed_shapes] :
         {std::tuple{"--shape", &shapes, &options.shapes}, {"--check-shape", &check_shapes, &options.check_shapes}}) {
        try {
            for (const std::string& text : *texts) parsed_shapes->push_back(parse_shape(text, options.operation));
        } catch (const std::invalid_argument& error) {
            return usage_error(fmt::format("{}: {}", name, error.what()));
        }
    }
    if (!shapes_from.empty()) {
        try {
            options.products = load_products(shapes_from);
        } catch (const UsageError& error) {
            return usage_error(error.what());
        }
        options.operation = Operation::full_gemm;
    }
    for (const std::string& name : required) {
        if (name == kAnyShape) {
            options.any_shape = true;
        } else if (options.require) {
            return usage_error("--require: one precision, not two");
        } else {
            options.require = parse_requirement(name);
        }
    }
    if (options.any_shape && options.allow_limited) {
        return usage_error("--allow-limited excludes --require any-shape");
    }
    if (device != "auto") options.device = parse_target(device);
    options.command_line = fmt::format("{}", fmt::join(argv, argv + argc, " "));
    return options;
}

}  // namespace judge
