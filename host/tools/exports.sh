#!/bin/sh
# Whether a library that was built from a file exports `solve`; if not, what to write, and the library is removed.
#
# usage: exports.sh SOURCE LIBRARY OBJECT     OBJECT: what it was linked of, if that is kept; it holds what the linker drops
source=$1 library=$2 object=$2
[ -f "${3-}" ] && object=$3
nm -D --defined-only "$library" | grep -qE ' (solve|solve_chain)$' && exit 0

# The function `solve` of whatever namespace and parameters, by its C++ name and by the one that the compiler gives it.
mangled=$(nm --defined-only "$object" | awk '$3 ~ /^_Z/ { print $3 }' | while read -r name; do
    case $(c++filt "$name") in
        'solve('* | *'::solve('*) echo "$name" && break ;;
    esac
done)
rm -f "$library"
if [ -n "$mangled" ]; then
    echo "$source: exports no \`solve\`, but holds the C++ function $(c++filt "$mangled"), which the compiler calls $mangled:"
    echo '    write extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K), outside of any namespace'
else
    echo "$source: exports no \`solve\`: see abi/solve.h (a static function is not exported)"
    echo '    write extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)'
fi >&2
exit 1
