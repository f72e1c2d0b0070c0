#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bisect_test.sh SOURCE BUILD
#
# `warpgauge bisect` on the emulator: in a small project of its own that uses BUILD as it is
# installed, one of six commits takes the padding out of a tile, another does not build.
set -euo pipefail
source_root=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cmake --install "$build" --prefix "$prefix" >"$scratch/log"

mkdir "$scratch/project"
cd "$scratch/project"
cp -r "$source_root/docs/examples/kernels/"{CMakeLists.txt,benchmarks,kernels} .
rm benchmarks/bitonic_sort.cu kernels/bitonic_sort.cuh
echo /build/ >.gitignore
echo /results/ >>.gitignore
kernel=kernels/convolution.cuh
git init -q -b main .
commit() {
  git add -A
  git -c user.name=Ann -c user.email=ann@example.com commit -q -m "$1"
}
commit "Convolve columns"
good=$(git rev-parse HEAD)
echo "Convolves." >README && commit "Say what it does"
sed -i '1i // Of one image.' "$kernel" && commit "A line more"
sed -i 's/sum += convolution_filter/sum += convolution_filler/' "$kernel" && commit "Does not build"
sed -i 's/sum += convolution_filler/sum += convolution_filter/' "$kernel" && commit "Builds again"
sed -i 's/convolve_columns_shared<16>/convolve_columns_shared<32>/' benchmarks/convolution.cu && commit "Align the rows of the tile"
culprit=$(git rev-parse --short=12 HEAD)
echo "Columns only." >>README && commit "Say what it does not"

cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log"
cmake --build build --target suite_emulated >"$scratch/log"
before=$(git status --porcelain; git rev-parse HEAD; git worktree list | wc -l)
status=0
said=$("$prefix/bin/warpgauge" bisect --good "$good" --suite build/suite_emulated 2>&1) || status=$?

failed=0
expect() {
  [[ $said == *"$1"* ]] || { failed=1; printf 'does not say "%s"\n' "$1"; }
}
((status == 0)) || { failed=1; printf 'ended with %d instead of 0\n' "$status"; }
expect "the first commit that regressed: $culprit Align the rows of the tile (Ann, "
expect "Does not build (Ann, "
expect "left out, since it does not build"
# The line is that of the commit, one below where it was in the good revision.
line=$(git show "$culprit:$kernel" | grep -n 'sum += convolution_filter\[k\]' | cut -d: -f1)
expect "$kernel:$line: shared_load_wavefronts of convolution/shared/"
expect "1 → 2 a request"
after=$(git status --porcelain; git rev-parse HEAD; git worktree list | grep -vc /build/against/)
[[ $before == "$after" ]] || { failed=1; printf 'the checkout was changed:\n%s\n%s\n' "$before" "$after"; }
((failed == 0)) || printf '%s\n' "$said"
exit "$failed"
