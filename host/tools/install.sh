#!/bin/sh
# Installs what was built, or takes it away again.
#
# usage: install.sh BUILD PREFIX [DESTDIR]         from the build directory into DESTDIR/PREFIX
#        install.sh --remove PREFIX [DESTDIR]      removes exactly that
#
#   bin/sgemm-ladder-compare       (ImageMagick has a `compare`)
#   bin/sgemm-ladder               sgemm-ladder trace CMD: what CMD multiplies by cuBLAS
#   lib/sgemm-ladder/              the plugins, a folder for each device; the program finds them from where it lies
#   lib/libsgemm_ladder_cublas.so  what takes FP32 products away from cuBLAS, by LD_PRELOAD; and beside it what helps
#                                  it in programs that open cuBLAS themselves
#   lib/libsgemm_ladder.so.1       to link with: -lsgemm_ladder, by the link libsgemm_ladder.so
#   include/sgemm-ladder/          solve.h, sgemm_ladder.h, loader.hpp
#   share/                         the manual page, and what bash, zsh and fish complete
#   lib/pkgconfig/, lib/cmake/     for pkg-config and CMake; both work from wherever PREFIX is moved to
set -eu
source=$1 to=${3-}$2
abi=$(dirname "$0")/../../abi
version=$(sed -n 's/^#define SOLVE_ABI_VERSION \([0-9]*\)$/\1/p' "$abi/solve.h").0

manual=share/man/man1/sgemm-ladder-compare.1
bash=share/bash-completion/completions/sgemm-ladder-compare
zsh=share/zsh/site-functions/_sgemm-ladder-compare
fish=share/fish/vendor_completions.d/sgemm-ladder-compare.fish

if [ "$source" = --remove ]; then
    rm -rf "$to/lib/sgemm-ladder" "$to/include/sgemm-ladder" "$to/lib/cmake/sgemm_ladder"
    rm -f "$to/bin/sgemm-ladder-compare" "$to/bin/sgemm-ladder"
    rm -f "$to/lib/pkgconfig/sgemm-ladder.pc" "$to/lib/pkgconfig/sgemm-ladder-loader.pc"
    rm -f "$to/lib/libsgemm_ladder.so" "$to/lib/libsgemm_ladder.so.1"
    rm -f "$to/lib/libsgemm_ladder_cublas.so" "$to/lib/libsgemm_ladder_cublas_audit.so"
    rm -f "$to/$manual" "$to/$bash" "$to/$zsh" "$to/$fish"
    for folder in share/man/man1 share/man share/bash-completion/completions share/bash-completion \
                  share/zsh/site-functions share/zsh share/fish/vendor_completions.d share/fish share \
                  lib/pkgconfig lib/cmake lib include bin; do
        rmdir "$to/$folder" 2>/dev/null || true
    done
    echo "removed from $to"
    exit
fi

for built in compare bin/sgemm-ladder lib/libsgemm_ladder_cublas.so lib/libsgemm_ladder.so.1; do
    [ -e "$source/$built" ] || { echo "install: no $source/$built: make install builds it" >&2; exit 1; }
done
install -d "$to/bin" "$to/include/sgemm-ladder" "$to/lib/pkgconfig" "$to/lib/cmake/sgemm_ladder"
install -m 755 "$source/compare" "$to/bin/sgemm-ladder-compare"
install -m 755 "$source/bin/sgemm-ladder" "$to/bin/sgemm-ladder"
install -m 755 "$source/lib/libsgemm_ladder_cublas.so" "$source/lib/libsgemm_ladder_cublas_audit.so" "$to/lib"
install -m 755 "$source/lib/libsgemm_ladder.so.1" "$to/lib"
ln -sf libsgemm_ladder.so.1 "$to/lib/libsgemm_ladder.so"
install -m 644 "$abi/solve.h" "$abi/sgemm_ladder.h" "$abi/loader.hpp" "$to/include/sgemm-ladder"
install -d "$to/${manual%/*}" "$to/${bash%/*}" "$to/${zsh%/*}" "$to/${fish%/*}"
"$source/compare" --man >"$to/$manual"
"$source/compare" --completion bash >"$to/$bash"
"$source/compare" --completion zsh >"$to/$zsh"
"$source/compare" --completion fish >"$to/$fish"
rm -rf "$to/lib/sgemm-ladder"  # a plugin that is no longer built is no longer installed
count=0
for device in cuda cpu emulator; do
    for library in "$source/plugins/$device"/*.so; do
        [ -e "$library" ] || continue
        install -D -m 755 "$library" "$to/lib/sgemm-ladder/$device/${library##*/}"
        count=$((count + 1))
    done
done

# package NAME DESCRIPTION LIBS: what pkg-config says of it
package() {
    cat >"$to/lib/pkgconfig/$1.pc" <<END
prefix=\${pcfiledir}/../..
includedir=\${prefix}/include
libdir=\${prefix}/lib
plugindir=\${libdir}/sgemm-ladder

Name: $1
Description: $2
Version: $version
Cflags: -I\${includedir}
Libs: $3
END
}
package sgemm-ladder 'FP32 matrix multiplication by the best plugin of this machine' '-L${libdir} -lsgemm_ladder'
package sgemm-ladder-loader 'A header to load plugins with, each a shared library with one C function' -ldl

cat >"$to/lib/cmake/sgemm_ladder/sgemm_ladder-config.cmake" <<'END'
# find_package(sgemm_ladder): the targets sgemm_ladder::sgemm_ladder, the library to link with, and
# sgemm_ladder::loader, the header alone; and sgemm_ladder_PLUGIN_DIR, which has a folder of plugins for each device.
get_filename_component(sgemm_ladder_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(sgemm_ladder_PLUGIN_DIR "${sgemm_ladder_PREFIX}/lib/sgemm-ladder")
if(NOT TARGET sgemm_ladder::sgemm_ladder)
    add_library(sgemm_ladder::sgemm_ladder SHARED IMPORTED)
    set_target_properties(sgemm_ladder::sgemm_ladder PROPERTIES
        IMPORTED_LOCATION "${sgemm_ladder_PREFIX}/lib/libsgemm_ladder.so.1"
        IMPORTED_SONAME libsgemm_ladder.so.1
        INTERFACE_INCLUDE_DIRECTORIES "${sgemm_ladder_PREFIX}/include")
endif()
if(NOT TARGET sgemm_ladder::loader)
    add_library(sgemm_ladder::loader INTERFACE IMPORTED)
    set_target_properties(sgemm_ladder::loader PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${sgemm_ladder_PREFIX}/include"
        INTERFACE_COMPILE_FEATURES cxx_std_17
        INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()
END
cat >"$to/lib/cmake/sgemm_ladder/sgemm_ladder-config-version.cmake" <<END
set(PACKAGE_VERSION $version)
if(PACKAGE_FIND_VERSION_MAJOR STREQUAL ${version%.*} OR NOT PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
END
# Where the loader keeps a list of libraries, ours is to be on it; not of a tree to look at first.
if [ -z "${3-}" ] && [ "$(id -u)" = 0 ]; then ldconfig 2>/dev/null || true; fi
echo "installed $count plugins, the drop-in for cuBLAS, a library to link with, the headers and" \
     "bin/sgemm-ladder-compare into $to"
