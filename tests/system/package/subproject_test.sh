#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# subproject_test.sh SOURCE FOLDER
#
# docs/examples/kernels with Warpgauge by FetchContent instead of installed, as docs/guide/getting-started.md
# shows it. Of a run that went well FOLDER keeps the object files, which take a minute to compile; all is
# configured as for the first time.
set -euo pipefail
source_root=$1
folder=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/project"
cd "$scratch/project"
cp -r "$source_root/docs/examples/kernels/." .

snippet=$(awk '/^```/ { inside = ($0 == "```cmake"); next } inside' "$source_root/docs/guide/getting-started.md" |
  sed -n '/^include(FetchContent)$/,$p')
[[ $snippet == *FetchContent_MakeAvailable* ]] || { echo "the guide shows no FetchContent"; exit 1; }
# The emulator alone, which is quicker.
snippet=${snippet//'set(WARPGAUGE_CUDA ON)'/}
awk -v snippet="$snippet" '/^find_package\(warpgauge/ { print snippet; next } { print }' \
  CMakeLists.txt >changed
mv changed CMakeLists.txt

# What is as it was keeps its date.
[[ -e $folder/build/passed ]] || rm -rf "$folder"
mkdir -p "$folder"
find "$folder" -mindepth 1 -maxdepth 1 ! -name build -exec cp -r --preserve=timestamps -t "$scratch" {} +
find . -type f | while IFS= read -r file; do
  ! cmp -s "$file" "$scratch/$file" || touch -r "$scratch/$file" "$file"
done
find "$folder" -mindepth 1 -maxdepth 1 ! -name build -exec rm -r {} +
cp -r --preserve=timestamps . "$folder"
cd "$folder"
rm -rf build/passed build/CMakeCache.txt build/CMakeFiles build/suite_emulated

run() {
  "$@" >"$scratch/log" 2>&1 </dev/null || { printf '%s failed:\n%s\n' "$*" "$(<"$scratch/log")"; exit 1; }
}
run cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DFETCHCONTENT_SOURCE_DIR_WARPGAUGE="$source_root"
for option in CUDA SUITE TESTS INSTALL PAGE SANITIZE; do
  ! grep "^WARPGAUGE_$option:[A-Z]*=ON$" build/CMakeCache.txt ||
    { echo "is on in a subproject"; exit 1; }
done
run cmake --build build --parallel 2 --target suite_emulated
run build/suite_emulated
touch build/passed
