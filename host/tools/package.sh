#!/bin/sh
# Makes a Debian package of what was built: package.sh BUILD makes BUILD/sgemm-ladder_VERSION_ARCHITECTURE.deb.
#
# It depends on the packages of this machine that the programs and libraries in it are linked with. Libraries of the
# CUDA Toolkit that came without a package are left to the user: the baseline alone, cuBLAS, needs one.
set -eu
build=$1
command -v dpkg-deb >/dev/null || { echo 'package: dpkg-deb is not installed: this is no Debian' >&2; exit 1; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
"$(dirname "$0")/install.sh" "$build" /usr "$root"

version=$(sed -n 's/^Version: //p' "$root/usr/lib/pkgconfig/sgemm-ladder.pc")
architecture=$(dpkg --print-architecture)
# Without usrmerge's links, by which dpkg does not know its files.
depends=$(find "$root" -name '*.so' -o -name '*.so.1' -o -name 'sgemm-ladder-compare' | xargs -d '\n' ldd 2>/dev/null |
    sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r file; do
        for name in "$(readlink -f "$file")" "$file" "${file#/usr}"; do dpkg -S "$name" 2>/dev/null && break; done
    done | sed 's/:.*//' | sort -u | paste -sd, | sed 's/,/, /g')

chmod 755 "$root"  # mktemp lets nobody else in
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: sgemm-ladder
Version: $version
Architecture: $architecture
Maintainer: sgemm-ladder <sgemm-ladder@localhost>
Section: libs
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: $depends
Description: FP32 matrix multiplication as shared libraries with one C function
 A ladder of SGEMM kernels for CUDA GPUs and the CPU, from the naive one to ones
 faster than the vendor's library, and the program that proves and races them.
END
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
package=$build/sgemm-ladder_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "made $package, which depends on $depends"
