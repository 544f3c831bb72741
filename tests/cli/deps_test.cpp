// host/tools/deps.sh on machines that lack something: a compiler that stands before the real one finds the headers of
// all libraries, and not all of the libraries. Nothing is installed.
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;

void write_program(const fs::path& file, const std::string& script) {
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
}

// A directory of headers without libraries, and programs that come before this machine's. OpenBLAS, which this machine
// may lack, is there: an inline function and a library of nothing.
class Machine {
  public:
    Machine() {
        fs::create_directory(directory_ / "bin");
        fs::create_directories(directory_ / "include" / "boost/context/detail");
        fs::create_directory(directory_ / "lib");
        std::ofstream(directory_ / "include/cblas.h") << "#include <cstddef>\ninline void cblas_sgemm() {}\n";
        std::ofstream(directory_ / "lib/libopenblas.so") << "/* a linker script that adds nothing */\n";
        std::ofstream(directory_ / "include/boost/context/detail/fcontext.hpp")
            << "#include <cstddef>\nnamespace boost::context::detail { extern \"C\" void make_fcontext(); }\n";
        write_program(directory_ / "bin/id", "echo 1000\n");
        write_program(directory_ / "bin/sudo", "exit 1\n");
        write_program(directory_ / "bin/apt-get", "echo 'apt-get must not be called' >&2; exit 1\n");
    }

    // What `make deps` says where the linker does not find the libraries that the shell pattern names.
    test::Result deps_without(const std::string& libraries, const std::string& options = "") const {
        const std::string compiler = directory_ / "bin/compiler";
        write_program(compiler, "for each; do case \"$each\" in " + libraries +
                                    ") echo \"ld: cannot find $each\" >&2; exit 1;; esac; done\n"
                                    "exec ${REAL_COMPILER:-g++} -isystem " +
                                    (directory_ / "include").string() + " -L" + (directory_ / "lib").string() + " " +
                                    options + " \"$@\"\n");
        // A person's CPATH is searched even with -nostdinc.
        return test::run("env -u CPATH -u CPLUS_INCLUDE_PATH PATH=" + (directory_ / "bin").string() +
                         ":$PATH REAL_COMPILER=\"$CXX\" make -s deps CXX=" + compiler);
    }

    // A program of this machine's, in place of the one that does nothing or none.
    void has_program(const std::string& name, const std::string& script) const {
        write_program(directory_ / "bin" / name, script);
    }
    fs::path file(const std::string& name) const { return directory_ / name; }

  private:
    test::TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("a header without its library is a missing package, and the line to type names that one alone", "[larger]") {
    const Machine machine;
    // One that is linked statically and the one that the build can do without; in `make test-all` the others too.
    std::vector<std::pair<std::string, std::string>> libraries = {{"-lboost_context", "libboost-context-dev"},
                                                                  {"-lopenblas", "libopenblas-dev"}};
    if (std::getenv("TEST_ALL")) {
        libraries.insert(libraries.end(), {{"-lfmt", "libfmt-dev"}, {"-lcrypto", "libssl-dev"}, {"-lz", "zlib1g-dev"}});
    }
    for (const auto& [library, package] : libraries) {
        const auto result = machine.deps_without(library);
        INFO(library << ": " << result.out << result.err);
        CHECK(result.exit_code != 0);
        const std::string line = std::string("apt-get install -y --no-install-recommends ") + package + "\n";
        CHECK(result.err.find(line) != std::string::npos);
    }
    CHECK(machine.deps_without("-lno-such-library").exit_code == 0);
}

TEST_CASE("a library that was removed by hand comes back with its package, or is named") {
    const Machine machine;
    const std::string log = machine.file("log"), restored = machine.file("restored");
    machine.has_program("sudo", "shift; exec \"$@\"\n");
    machine.has_program("dpkg",
                        "case $1 in --verify) echo 'missing     /usr/lib/libboost_context.a';;"
                        " -S) echo \"libboost-context9-dev:amd64: $2\";; esac\n");
    machine.has_program("dpkg-query",
                        "case \"$*\" in *Depends*) printf 'libc6 (>= 2.3), libboost9 (= 9) | none, ';;"
                        " *) echo 'libboost9: installed';; esac\n");
    const auto apt_that = [&](const std::string& reinstalls) {
        machine.has_program("apt-get",
                            "echo \"$*\" >> " + log + "; case \"$*\" in *--reinstall*) " + reinstalls + ";; esac\n");
        // The library is found once it is restored.
        return machine.deps_without("-lboost_context) test -e " + restored + " || exit 1;; -none");
    };
    const auto in_vain = apt_that("true");
    INFO(in_vain.out << in_vain.err);
    CHECK(in_vain.exit_code != 0);
    CHECK(in_vain.err.find("still missing: libboost-context-dev, though installed") != std::string::npos);
    const auto mended = apt_that("touch " + restored);
    INFO(mended.out << mended.err);
    CHECK(mended.exit_code == 0);
    CHECK(test::read_file(log).find("install -y --reinstall libboost-context9-dev libboost9") != std::string::npos);
}

TEST_CASE("without any header every package is named, and a compiler that is there is not") {
    const auto result = Machine().deps_without("-lno-such-library", "-nostdinc");
    INFO(result.out << result.err);
    CHECK(result.exit_code != 0);
    for (const char* package : {"libboost-context-dev", "libfmt-dev", "libssl-dev", "zlib1g-dev", "nlohmann-json3-dev",
                                "libcli11-dev", "catch2", "libopenblas-dev"}) {
        INFO(package);
        CHECK(result.err.find(package) != std::string::npos);
    }
    CHECK(result.err.find("g++") == std::string::npos);
}

TEST_CASE("the build asks for OpenBLAS as deps does: a cblas.h is not enough") {
    const test::TemporaryDirectory directory;
    const auto compiler = directory / "compiler";
    write_program(compiler, "case \" $* \" in *' -lopenblas '*) exit 1;; esac; exit 0\n");
    const auto plan = [&](const std::string& with) {
        return test::run("make -n plugins DEVICE=emulator BUILD=" + (directory / "build").string() + " CXX=" + with)
            .out.find("90_openblas");
    };
    CHECK(plan(compiler.string()) == std::string::npos);
    CHECK(plan("true") != std::string::npos);
}

TEST_CASE(
    "make toolchain asks the package index for the driver's release of CUDA, and an older one if that is not there") {
    const test::TemporaryDirectory directory;
    const auto bin = directory / "bin", folder = directory / "toolchain", log = directory / "log";
    fs::create_directory(bin);
    // A pip that has releases up to 13.1, and what it installs.
    write_program(bin / "python3", "echo \"$@\" >>" + log.string() +
                                       "\ncase \"$*\" in\n"
                                       "*nvcc==13.[2-9]*) echo 'ERROR: No matching distribution found' >&2; exit 1;;\n"
                                       "*install*) mkdir -p " +
                                       (folder / "nvidia/cu13/bin").string() + " " +
                                       (folder / "nvidia/cu13/lib").string() + "\n  cd " +
                                       (folder / "nvidia/cu13").string() +
                                       " && touch lib/libcublas.so.13 bin/nvcc && chmod +x bin/nvcc;;\nesac\n");
    const auto toolchain_for = [&](const std::string& driver) {
        write_program(bin / "nvidia-smi", "echo '| Driver Version: 1   CUDA Version: " + driver + "  |'\n");
        return test::run("PATH=" + bin.string() + ":$PATH host/tools/toolchain.sh " + folder.string());
    };
    const auto newer = toolchain_for("13.3");
    INFO(newer.err << test::read_file(log));
    CHECK(newer.exit_code == 0);
    CHECK(newer.out.find("CUDA 13.1 is in") != std::string::npos);
    CHECK(test::read_file(log).find("nvidia-cuda-nvcc==13.3.* ") != std::string::npos);
    CHECK(fs::exists(folder / "nvidia/cu13/lib64/libcublas.so"));
    const auto older = toolchain_for("12.8");
    CHECK(older.exit_code == 1);
    CHECK(older.err.find("nvidia-cuda-toolkit, or a driver of 580 or later") != std::string::npos);
    CHECK(test::run("PATH=" + bin.string() + ":$PATH host/tools/toolchain.sh " + folder.string() + " x").exit_code ==
          1);
}
