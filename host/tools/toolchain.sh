#!/bin/sh
# Brings CUDA 13's compiler and libraries from the Python package index into a folder, for a machine that has a GPU and
# no nvcc; needs no root, and 0.9 GB, most of it cuBLAS.
#
# usage: toolchain.sh FOLDER [RELEASE]    RELEASE (13.0) is the driver's if it is not given, or 13.0 without a driver
#
# The packages are of the driver's release or, where there are none yet, of the newest one before it: a driver executes
# what an older toolkit has compiled. CUDA 12 has no such packages: there the Debian package, or a newer driver.
set -u
folder=${1:--}
case $folder in -*) echo 'usage: toolchain.sh FOLDER [RELEASE]' >&2; exit 1 ;; esac

fail() { echo "toolchain: $*" >&2; exit 1; }

release=${2:-$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\.[0-9]*\).*/\1/p')}
[ -n "$release" ] || { release=13.0; echo 'toolchain: no driver answers: taking CUDA 13.0' >&2; }
major=${release%%.*} minor=${release#*.}
case $major.$minor in *[!0-9.]* | .* | *. | *.*.*) fail "'$release' is no release of CUDA, as 13.0 is" ;; esac
if [ "$major" -lt 13 ]; then
    fail "this driver is CUDA $release's, and the index has no compiler before 13.0: as root,
    apt-get install nvidia-cuda-toolkit, or a driver of 580 or later"
fi
[ "$major" -eq 13 ] || minor=9

# pip of its own, where this Python has none.
python=python3
if ! $python -m pip --version >/dev/null 2>&1; then
    python3 -m venv "$folder/venv" >/dev/null 2>&1 || fail 'no pip, and no venv to get it from: as root, apt-get install
    python3-pip, or nvidia-cuda-toolkit, which is all of it'
    python=$folder/venv/bin/python3
fi

install() {
    $python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target "$folder" \
        $(printf "nvidia-%s==13.$1.* " cuda-nvcc cuda-crt nvvm cuda-runtime cuda-cccl cuda-cupti cublas)
}
log=$folder.log
mkdir -p "$folder" || exit 1
while ! install "$minor" 2>"$log"; do
    grep -q 'No matching distribution' "$log" && [ "$minor" -gt 0 ] || { cat "$log" >&2; fail 'pip could not install'; }
    minor=$((minor - 1))
done

# The wheels have lib and libX.so.13; nvcc looks into lib64, and the linker for libX.so.
home=$folder/nvidia/cu13
ln -sfn lib "$home/lib64"
for library in "$home"/lib/*.so.*; do
    name=${library##*/}
    [ -e "$home/lib/${name%%.so.*}.so" ] || ln -s "$name" "$home/lib/${name%%.so.*}.so"
done
[ -x "$home/bin/nvcc" ] || fail "no nvcc in $home/bin"
echo "CUDA 13.$minor is in $folder: the next \`make run\` compiles for the GPU"
