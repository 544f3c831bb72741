// For programs that open cuBLAS by dlopen and take its functions by dlsym, as JAX and TensorFlow do: no order of
// libraries is searched there in which the drop-in could come first. The loader lets an audit library (rtld-audit(7))
// say what such a name is bound to. This one says: the function of that name in the drop-in, which must be preloaded.
//
//     LD_AUDIT=libsgemm_ladder_cublas_audit.so LD_PRELOAD=libsgemm_ladder_cublas.so python3 program.py
//
// It has a copy of the C library to itself, so it does nothing but look into the drop-in's table of symbols.
#include <elf.h>
#include <link.h>

#include <cstring>

namespace {

struct link_map* drop_in = nullptr;
uintptr_t* drop_in_cookie = nullptr;

const char* base_name(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool starts_with(const char* text, const char* start) {
    return std::strncmp(text, start, std::strlen(start)) == 0;
}

// The entry of the drop-in's dynamic section; an address there may be relative to where the library lies.
uintptr_t dynamic(ElfW(Sxword) tag) {
    for (const ElfW(Dyn)* each = drop_in->l_ld; each->d_tag != DT_NULL; ++each) {
        if (each->d_tag == tag)
            return each->d_un.d_ptr < drop_in->l_addr ? each->d_un.d_ptr + drop_in->l_addr : each->d_un.d_ptr;
    }
    return 0;
}

// The drop-in's function of that name, or 0.
uintptr_t function_of_drop_in(const char* name) {
    const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(dynamic(DT_SYMTAB));
    const auto* const names = reinterpret_cast<const char*>(dynamic(DT_STRTAB));
    const auto* const hash = reinterpret_cast<const uint32_t*>(dynamic(DT_HASH));  // the second word counts the symbols
    if (!symbols || !names || !hash) return 0;
    for (uint32_t i = 0; i < hash[1]; ++i) {
        if (symbols[i].st_shndx != SHN_UNDEF && std::strcmp(names + symbols[i].st_name, name) == 0) {
            return drop_in->l_addr + symbols[i].st_value;
        }
    }
    return 0;
}

}  // namespace

extern "C" {

unsigned int la_version(unsigned int version) {
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// Asks to be told of names in cuBLAS that are bound from elsewhere.
unsigned int la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
    const char* const name = base_name(map->l_name);
    if (space == LM_ID_BASE && std::strcmp(name, "libsgemm_ladder_cublas.so") == 0) {
        drop_in = map, drop_in_cookie = cookie;
    }
    return starts_with(name, "libcublas") ? LA_FLG_BINDTO : LA_FLG_BINDFROM;
}

// The drop-in itself gets cuBLAS's functions.
uintptr_t la_symbind64(ElfW(Sym) * symbol, unsigned int, uintptr_t* from, uintptr_t*, unsigned int*, const char* name) {
    const bool may_be_ours = drop_in && from != drop_in_cookie && starts_with(name, "cublas");
    const uintptr_t ours = may_be_ours ? function_of_drop_in(name) : 0;
    return ours ? ours : symbol->st_value;
}

}  // extern "C"
