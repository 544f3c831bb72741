#include "library/imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace judge {

namespace {

using Relocation = ElfW(Rela);

// The loader has made addresses of the pointers in the table.
uintptr_t value_of(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag) {
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
        if (dynamic->d_tag == tag) return dynamic->d_un.d_ptr;
    }
    return 0;
}

// The table may have been made read-only once it was filled.
bool store(uintptr_t at, void* value) {
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    void* const begin = reinterpret_cast<void*>(at / page * page);
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
    std::memcpy(reinterpret_cast<void*>(at), &value, sizeof(value));
    return true;
}

}  // namespace

bool replace_imports(void* library, std::span<const Import> imports) {
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
    const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(value_of(map->l_ld, DT_SYMTAB));
    const auto* const names = reinterpret_cast<const char*>(value_of(map->l_ld, DT_STRTAB));
    if (!symbols || !names) return false;
    bool any = false;
    const auto replace_in = [&](ElfW(Sxword) table, ElfW(Sxword) size) {
        const auto* const begin = reinterpret_cast<const Relocation*>(value_of(map->l_ld, table));
        if (!begin) return;
        const size_t count = value_of(map->l_ld, size) / sizeof(Relocation);
        for (const Relocation& each : std::span(begin, count)) {
            const size_t symbol = ELF64_R_SYM(each.r_info);
            if (symbol == 0 || each.r_addend != 0) continue;
            for (const Import& import : imports) {
                if (std::strcmp(names + symbols[symbol].st_name, import.name) != 0) continue;
                any |= store(map->l_addr + each.r_offset, import.replacement);
            }
        }
    };
    replace_in(DT_JMPREL, DT_PLTRELSZ);
    replace_in(DT_RELA, DT_RELASZ);
    return any;
}

}  // namespace judge
