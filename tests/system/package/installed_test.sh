#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# installed_test.sh SOURCE BUILD
#
# docs/examples/kernels against BUILD as it is installed, moved to another folder, spaces in all
# paths: its suites build, its baselines hold, and a loss is found at its line.
set -euo pipefail
source_root=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/a prefix"
project="$scratch/my kernels"

cmake --install "$build" --prefix "$scratch/first" >"$scratch/log"
mv "$scratch/first" "$prefix"
! grep -rIl -e "$source_root/" -e "$build/" -e "$scratch/first" "$prefix" ||
  { echo "these name a folder of the build"; exit 1; }

# What man and the shells look for is there; the shells ask the installed program.
[[ $(<"$prefix/share/man/man1/warpgauge.1") == *run*sizes*completion* ]] || { echo "no manual page"; exit 1; }
for shell in bash-completion/completions/warpgauge zsh/site-functions/_warpgauge fish/vendor_completions.d/warpgauge.fish; do
  [[ $(<"$prefix/share/$shell") == *" complete -- "* ]] || { echo "$shell does not complete"; exit 1; }
done
[[ $("$prefix/bin/warpgauge" complete -- run --si) == --sizes* ]] || { echo "nothing is completed"; exit 1; }

# shellcheck source=tests/helpers/expect.sh
source "$source_root/tests/helpers/expect.sh"

cp -r "$source_root/docs/examples/kernels" "$project"
cd "$project"
expect 0 "" "$prefix/bin/warpgauge-nvcc" -O3 -o "$scratch/trans pose" "$source_root/docs/examples/emulator/transpose.cu"
expect 0 "0 of 32768 elements are wrong" "$scratch/trans pose"
[[ $output == *"transpose.cu:19  shared store "* ]] || { printf 'no report: %s\n' "$output"; exit 1; }
expect 0 "" cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix"
expect 0 "" cmake --build build --parallel 2
expect 0 "pass: 5 same of 5 benchmarks" "$prefix/bin/warpgauge" gate --suite build/suite_emulated
if [[ -e $prefix/bin/warpgauge_metrics ]] && grep -q '^CMAKE_CUDA_COMPILER:[A-Z]*=/' build/CMakeCache.txt; then
  expect 0 "bitonic_sort/shared/16777216" build/suite_gpu --benchmark_list_tests
  expect 0 "GH100" "$prefix/bin/warpgauge" metrics
fi

# The suite says of which revision it was built, also after a commit that rebuilds nothing else.
expect 0 '"revision": ""' build/suite_emulated --warpgauge_describe
git init -q
printf '/build/\n/results*/\n' >.gitignore
commit() {
  git add . && git -c user.name=n -c user.email=e commit -qm "$1"
}
commit first
expect 0 "" cmake --build build --target suite_emulated
expect 0 "\"revision\": \"$(git rev-parse HEAD)\"" build/suite_emulated --warpgauge_describe
expect 0 '"modified": false' build/suite_emulated --warpgauge_describe
first=$(git rev-parse --short=12 HEAD)
echo >>README.md
commit second
expect 0 "the suite was built from $first, but the checkout here is at $(git rev-parse --short=12 HEAD)" \
  "$prefix/bin/warpgauge" gate --suite build/suite_emulated
expect 0 "" cmake --build build --target suite_emulated
[[ $output != *.cu* ]] || { printf 'a commit recompiles kernels: %s\n' "$output"; exit 1; }
expect 0 "pass: 5 same of 5 benchmarks" "$prefix/bin/warpgauge" gate --suite build/suite_emulated
[[ $output != *"built of"* ]] || { printf 'it is not built of the commit: %s\n' "$output"; exit 1; }

grep -q 'convolve_columns_shared<16>' benchmarks/convolution.cu
sed -i 's/convolve_columns_shared<16>/convolve_columns_shared<32>/' benchmarks/convolution.cu
expect 0 "" cmake --build build --target suite_emulated
expect 0 '"modified": true' build/suite_emulated --warpgauge_describe
expect 1 "1 → 2 a request at kernels/convolution.cuh:48: sum +=" "$prefix/bin/warpgauge" gate --suite build/suite_emulated

# finds VERSION: whether a project that asks for it takes this one.
finds() {
  mkdir -p "$scratch/version"
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(version LANGUAGES CXX)\nfind_package(warpgauge %s REQUIRED)\n' \
    "$1" >"$scratch/version/CMakeLists.txt"
  cmake -S "$scratch/version" -B "$scratch/version/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1
}
version=$("$prefix/bin/warpgauge" --version)
[[ $version =~ ([0-9]+)\.([0-9]+)\.([0-9]+) ]]
major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]} patch=${BASH_REMATCH[3]}
grep -q "^## ${BASH_REMATCH[0]}" "$source_root/CHANGELOG.md" ||
  { echo "CHANGELOG.md says nothing of $version"; exit 1; }
finds "$major.$minor" || { cat "$scratch/log"; exit 1; }
others=("$major.$((minor + 1))" "$((major + 1)).0" "$major.$minor.$((patch + 1))")
((minor == 0)) || others+=("$major.$((minor - 1))")
for other in "${others[@]}"; do
  ! finds "$other" || { echo "${BASH_REMATCH[0]} is taken for $other"; exit 1; }
done
