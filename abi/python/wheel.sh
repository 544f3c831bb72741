#!/bin/sh
# wheel.sh BUILD [PYTHON] makes BUILD/wheel/sgemm_ladder-VERSION-py3-none-linux_x86_64.whl, with the plugins that BUILD
# has.
set -eu
build=$1 python=${2:-python3}
$python -c 'import setuptools, wheel' 2>/dev/null ||
    { echo "wheel: $python has no setuptools, or no wheel: $python -m pip install setuptools wheel" >&2; exit 1; }
stage=$build/wheel/stage
rm -rf "$build/wheel"
mkdir -p "$stage"
cp -r "$(dirname "$0")/sgemm_ladder" "$(dirname "$0")/pyproject.toml" "$stage"
for device in cuda cpu emulator; do
    for library in "$build/plugins/$device"/*.so; do
        [ ! -e "$library" ] || install -D "$library" "$stage/sgemm_ladder/plugins/$device/${library##*/}"
    done
done
install -D -m 644 -t "$stage/sgemm_ladder/include" "$(dirname "$0")/../solve.h" "$(dirname "$0")/../loader.hpp"
printf '[bdist_wheel]\nplat_name = linux_%s\n' "$(uname -m)" >"$stage/setup.cfg"
$python -m pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-deps \
    --wheel-dir "$build/wheel" "$stage"
rm -rf "$stage"
ls "$build"/wheel/*.whl
