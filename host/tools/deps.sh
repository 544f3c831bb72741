#!/bin/sh
# Installs what the build needs and this machine lacks: as root or through `sudo -n`, else prints the line to type.
#
# usage: deps.sh             what is missing, if anything; exit status 1 if something still is
#        deps.sh PACKAGE     installs nothing; exit status 0 if what PACKAGE is for is there
#
# A compiler is asked, not the package manager, so that what was installed in another way counts too. It compiles a few
# lines and links them as the Makefile does, which passes its flags on (make deps): Debian's libblas-dev has a cblas.h
# as well, and Boost's headers come without Boost's libraries.
set -u
: "${BLAS_LINK:?run make deps}" "${BOOST_LINK:?run make deps}" "${FMT_LINK:?run make deps}" "${CRYPTO_LINK:?run make deps}" \
  "${ZLIB_LINK:?run make deps}"

packages='libboost-context-dev libfmt-dev libssl-dev zlib1g-dev nlohmann-json3-dev libcli11-dev catch2 libopenblas-dev'

# Prints C++ that uses what the package is for. A header without a library is only looked for, which takes less time.
source_of() {
    case $1 in
    libboost-context-dev) printf '#include <boost/context/detail/fcontext.hpp>\n%s\n' \
        'auto* const from_boost = &boost::context::detail::make_fcontext;' ;;
    libfmt-dev) printf '#include <fmt/core.h>\n%s\n' \
        'std::string (*const from_fmt)(fmt::string_view, fmt::format_args) = &fmt::vformat;' ;;
    libssl-dev) printf '#include <openssl/evp.h>\nauto* const from_openssl = &EVP_sha256;\n' ;;
    zlib1g-dev) printf '#include <zlib.h>\nauto* const from_zlib = &deflate;\n' ;;
    libopenblas-dev) printf '#include <cblas.h>\nauto* const from_blas = &cblas_sgemm;\n' ;;
    nlohmann-json3-dev) header nlohmann/json.hpp ;;
    libcli11-dev) header CLI/CLI.hpp ;;
    catch2) printf '#if !__has_include(<catch2/catch_all.hpp>)\n'; header catch2/catch.hpp; printf '#endif\n' ;;
    esac
}
header() { printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1"; }

flags_of() {
    case $1 in
    libboost-context-dev) echo "$BOOST_LINK" ;;
    libfmt-dev) echo "$FMT_LINK" ;;
    libssl-dev) echo "$CRYPTO_LINK" ;;
    zlib1g-dev) echo "$ZLIB_LINK" ;;
    libopenblas-dev) echo "$BLAS_LINK" ;;
    catch2) echo "${CATCH_LINK:-}" ;;
    esac
}

# Whether what these packages are for is there: all in one program.
have() {
    flags=$(for package; do flags_of "$package"; done)
    { for package; do source_of "$package"; done; echo 'int main() {}'; } |
        ${CXX:-g++} -std=c++20 -x c++ - -o /dev/null $flags >/dev/null 2>&1
}

if [ $# -gt 0 ]; then have "$@"; exit; fi

missing=
if ! have $packages || ! command -v python3 >/dev/null; then
    # CXX may be a launcher and a compiler. Without one, nothing compiles and all of it would be missing.
    (set -- ${CXX:-g++}; command -v "$1" >/dev/null) || missing=' g++'
    for package in $packages; do have "$package" || missing="$missing $package"; done
    command -v python3 >/dev/null || missing="$missing python3"
fi
[ -z "$missing" ] && exit 0

# Those that were missing and still are.
still() { for package in $missing; do have "$package" || printf ' %s' "$package"; done; }

# Packages of which a header or a library was removed by hand, which for apt-get are installed; and those that the ones
# still missing are made of, since links like libopenblas.so are no package's files, but made when it is installed.
damaged() {
    {
        dpkg --verify 2>/dev/null | sed -n 's,^missing *\(/usr/\(lib\|include\)/\),\1,p' | xargs -r dpkg -S 2>/dev/null
        dpkg-query -W -f '${Depends}, ' $(still) 2>/dev/null | tr ',|' '\n\n' | sed 's/^ *//; s/[ :].*//; /^libc6/d' |
            xargs -r dpkg-query -W -f '${Package}: ${db:Status-Status}\n' 2>/dev/null | sed -n '/: installed/p'
    } | cut -d: -f1 | LC_ALL=C sort -u
}

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
    echo "missing: these Debian packages or their like:$missing" >&2
    exit 1
elif [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root='sudo -n'
else
    echo "missing packages; type: sudo $install" >&2
    exit 1
fi
echo "installing:$missing"
{ $as_root apt-get update -q && $as_root env DEBIAN_FRONTEND=noninteractive $install -q; } >/dev/null || exit 1
[ -z "$(still)" ] && exit 0
again="apt-get install -y --reinstall $(damaged | tr '\n' ' ')"
echo "still missing:$(still); $again"
$as_root env DEBIAN_FRONTEND=noninteractive $again -q >/dev/null
[ -z "$(still)" ] && exit 0
echo "still missing:$(still), though installed: a header or a library of theirs does not compile or link" >&2
exit 1
