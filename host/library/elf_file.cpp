#include "library/elf_file.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "library/library_file.h"

namespace judge {

namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#else
#error "say here which e_machine this processor's libraries have"
#endif

// Bounds-checked views into the file, which is there or read part by part; a view that does not fit is empty or null.
class Image {
  public:
    explicit Image(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}
    explicit Image(LibraryParts& parts) : parts_(&parts), size_(parts.size()) {}

    bool holds(uint64_t offset, uint64_t size) const { return offset <= size_ && size <= size_ - offset; }

    template <class T>
    bool get(uint64_t offset, T& value) const {
        if (!holds(offset, sizeof(T))) return false;
        std::memcpy(&value, view(offset, sizeof(T)).data(), sizeof(T));
        return true;
    }

    std::string_view part(uint64_t offset, uint64_t size) const {
        return holds(offset, size) ? view(offset, size) : std::string_view{};
    }

    std::string_view text(uint64_t offset) const {
        if (offset >= size_) return {};
        for (uint64_t size = kText;; size *= 2) {
            const bool all = size >= size_ - offset;
            const std::string_view some = view(offset, all ? size_ - offset : size);
            const size_t end = some.find('\0');
            if (all || end != some.npos) return some.substr(0, end);
        }
    }

  private:
    static constexpr uint64_t kText = 256;  // bytes of which most texts have fewer

    std::string_view view(uint64_t offset, uint64_t size) const {
        return {(parts_ ? parts_->read(offset, size) : bytes_.data()) + offset, size};
    }

    LibraryParts* parts_ = nullptr;
    std::string_view bytes_;
    uint64_t size_;
};

// What a C++ symbol stands for, if that is a function `solve` of whatever namespace and parameters; else empty.
std::string cpp_solve(std::string_view name) {
    if (!name.starts_with("_Z") || name.find("5solve") == name.npos) return {};
    int error = 0;
    char* const plain = abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &error);
    const std::string text = plain ? plain : "";
    std::free(plain);
    const size_t at = text.find("solve(");
    const bool is_solve = at == 0 || (at != text.npos && text[at - 1] == ':');
    return is_solve ? text : std::string();
}

struct Symbols {
    bool solve = false;
    bool solve_is_data = false;
    bool solve_chain = false;
    bool solve_gemm = false;
    std::string cpp_solve;  // "solve(float const*, ...), which is _Z5solve..."
};

// `executable`: whether the section of this number is. What an assembler was not told the type of is a function there.
template <class Executable>
Symbols read_symbols(const Image& image, const Elf64_Shdr& table, const Elf64_Shdr& names, Executable executable) {
    Symbols symbols;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        if (!image.get(table.sh_offset + at, symbol) || symbol.st_shndx == SHN_UNDEF) continue;
        const std::string_view name = image.text(names.sh_offset + symbol.st_name);
        const int type = ELF64_ST_TYPE(symbol.st_info);
        const bool function =
            type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && executable(symbol.st_shndx));
        if (name == "solve") (function ? symbols.solve : symbols.solve_is_data) = true;
        if (name == "solve_chain") symbols.solve_chain = function;
        if (name == "solve_gemm") symbols.solve_gemm = function;
        if (!symbols.cpp_solve.empty()) continue;
        if (const std::string plain = cpp_solve(name); !plain.empty()) {
            symbols.cpp_solve = fmt::format("{}, which the compiler calls {}", plain, name);
        }
    }
    return symbols;
}

void read_dynamic(const Image& image, const Elf64_Shdr& dynamic, const Elf64_Shdr& names, ElfFile& file) {
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.sh_size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        if (!image.get(dynamic.sh_offset + at, entry)) continue;
        const std::string_view text = image.text(names.sh_offset + entry.d_un.d_val);
        if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) {
            file.uses_origin |= text.find("$ORIGIN") != text.npos || text.find("${ORIGIN}") != text.npos;
        }
        if (entry.d_tag != DT_NEEDED) continue;
        for (const char* cuda : {"libcuda.so", "libcudart.so", "libcublas.so", "libcublasLt.so"}) {
            file.gpu_code |= text.starts_with(cuda);
        }
        for (const char* blas : {"blas", "mkl", "blis", "armpl", "atlas"})
            file.needs_blas |= text.find(blas) != text.npos;
    }
}

std::string check_header(const Image& image, Elf64_Ehdr& header) {
    if (!image.get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return image.holds(0, 1) ? "not an ELF file" : "empty, or cannot be read";
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine) {
        return "built for another processor";
    }
    if (header.e_type == ET_EXEC) return "a program, not a library: link it with -shared";
    if (header.e_type == ET_REL) return "an object file, not a library: link it with -shared";
    if (header.e_type != ET_DYN) return "not a shared library";
    return {};
}

// What to do about a library that exports no `solve`.
std::string no_solve(const std::string& cpp_solve, bool local) {
    if (!cpp_solve.empty()) {
        return fmt::format(
            "exports no `solve`, but holds the C++ function {}: write extern \"C\" void solve(const float *A, const "
            "float "
            "*B, float *C, int M, int N, int K), outside of any namespace",
            cpp_solve);
    }
    return local ? "exports no `solve`: the one that it holds is static or hidden"
                 : "exports no `solve`: see abi/solve.h (a static or hidden function is not exported)";
}

constexpr const char* kTruncated = "truncated: its headers point past its end (still being written?)";

ElfFile parse(const Image& image) {
    ElfFile file;
    Elf64_Ehdr header{};
    file.problem = check_header(image, header);
    if (!file.problem.empty()) return file;

    for (int i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (!image.get(header.e_phoff + uint64_t(i) * header.e_phentsize, segment) ||
            !image.holds(segment.p_offset, segment.p_filesz)) {
            file.problem = kTruncated;
            return file;
        }
        if (segment.p_type == PT_INTERP) {
            file.problem = "a program, not a library: link it with -shared";
            return file;
        }
    }

    if (header.e_shnum == 0) return file;  // stripped of its section headers: the worker finds out by loading it
    Elf64_Shdr names{};
    if (!image.get(header.e_shoff + uint64_t(header.e_shstrndx) * header.e_shentsize, names)) {
        file.problem = kTruncated;
        return file;
    }
    const auto section = [&](uint32_t index, Elf64_Shdr& value) {
        return index < header.e_shnum && image.get(header.e_shoff + uint64_t(index) * header.e_shentsize, value);
    };
    const auto executable = [&](uint32_t index) {
        Elf64_Shdr value{};
        return section(index, value) && (value.sh_flags & SHF_EXECINSTR) != 0;
    };
    Symbols symbols, local;  // what the library exports, and what it holds but for a stripped one
    for (uint32_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr current{}, strings{};
        if (!section(i, current) ||
            (current.sh_type != SHT_NOBITS && !image.holds(current.sh_offset, current.sh_size))) {
            file.problem = kTruncated;
            return file;
        }
        const std::string_view name = image.text(names.sh_offset + current.sh_name);
        if (name == ".nv_fatbin") {
            file.gpu_code = true;
            file.images = read_fatbin(image.part(current.sh_offset, current.sh_size));
        }
        file.emulated |= name == ".solve.emulated";
        file.host_memory |= name == ".solve.host_memory";
        file.baseline |= name == ".solve.baseline";
        if (!section(current.sh_link, strings)) continue;
        if (current.sh_type == SHT_DYNSYM) symbols = read_symbols(image, current, strings, executable);
        if (current.sh_type == SHT_SYMTAB) local = read_symbols(image, current, strings, executable);
        if (current.sh_type == SHT_DYNAMIC) read_dynamic(image, current, strings, file);
    }

    file.solve = symbols.solve;
    file.solve_chain = symbols.solve_chain;
    file.solve_gemm = symbols.solve_gemm;
    if (symbols.solve_is_data) {
        file.problem = "`solve` is data, not a function";
    } else if (!symbols.solve && !symbols.solve_chain) {
        file.problem = no_solve(local.cpp_solve.empty() ? symbols.cpp_solve : local.cpp_solve, local.solve);
    }
    return file;
}

}  // namespace

ElfFile read_elf(const std::filesystem::path& path) {
    LibraryParts parts(path);
    return parse(Image(parts));
}

ElfFile parse_elf(std::string_view bytes) {
    return parse(Image(bytes));
}

}  // namespace judge
