#!/bin/sh
# Installs what the build needs and this machine lacks: as root or through `sudo -n`, else prints the line to type.
# A compiler is asked, not the package manager, so that what was installed in another way counts too.
set -u

# Whether the header is there; to compile all of them would take 5 s.
have_header() { printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | ${CXX:-g++} -x c++ -E - >/dev/null 2>&1; }

packages=
command -v "${CXX:-g++}" >/dev/null || packages="$packages g++"
for pair in boost/context/fiber.hpp:libboost-context-dev catch2/catch_test_macros.hpp,catch2/catch.hpp:catch2 \
    nlohmann/json.hpp:nlohmann-json3-dev fmt/format.h:libfmt-dev CLI/CLI.hpp:libcli11-dev openssl/evp.h:libssl-dev \
    cblas.h:libopenblas-dev; do
    found=
    for header in $(echo "${pair%%:*}" | tr , ' '); do have_header "$header" && found=yes && break; done
    [ -n "$found" ] || packages="$packages ${pair##*:}"
done
command -v python3 >/dev/null || packages="$packages python3"
[ -z "$packages" ] && exit 0

install="apt-get install -y --no-install-recommends$packages"
if ! command -v apt-get >/dev/null; then
    echo "missing: these Debian packages or their like:$packages" >&2
elif [ "$(id -u)" = 0 ]; then
    echo "installing:$packages"
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive $install -q; } >/dev/null && exit 0
elif sudo -n true 2>/dev/null; then
    echo "installing:$packages"
    { sudo -n apt-get update -q && sudo -n $install -q; } >/dev/null && exit 0
else
    echo "missing packages; type: sudo $install" >&2
fi
exit 1
