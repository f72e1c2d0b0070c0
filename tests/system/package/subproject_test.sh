#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# subproject_test.sh SOURCE
#
# docs/examples/kernels with Warpgauge by FetchContent instead of installed, as docs/guide/getting-started.md
# shows it.
set -euo pipefail
source_root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp -r "$source_root/docs/examples/kernels/." .

snippet=$(awk '/^```/ { inside = ($0 == "```cmake"); next } inside' "$source_root/docs/guide/getting-started.md" |
  sed -n '/^include(FetchContent)$/,$p')
[[ $snippet == *FetchContent_MakeAvailable* ]] || { echo "the guide shows no FetchContent"; exit 1; }
# The emulator alone, which is quicker.
snippet=${snippet//'set(WARPGAUGE_CUDA ON)'/}
awk -v snippet="$snippet" '/^find_package\(warpgauge/ { print snippet; next } { print }' \
  CMakeLists.txt >changed
mv changed CMakeLists.txt

run() {
  "$@" >log 2>&1 </dev/null || { printf '%s failed:\n%s\n' "$*" "$(cat log)"; exit 1; }
}
run cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DFETCHCONTENT_SOURCE_DIR_WARPGAUGE="$source_root"
for option in CUDA SUITE TESTS INSTALL PAGE SANITIZE; do
  ! grep "^WARPGAUGE_$option:[A-Z]*=ON$" build/CMakeCache.txt ||
    { echo "is on in a subproject"; exit 1; }
done
run cmake --build build --parallel 2 --target suite_emulated
run build/suite_emulated
