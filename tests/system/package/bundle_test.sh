#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bundle_test.sh BUILD
#
# The bundle of BUILD, unpacked elsewhere under a path with spaces and run without an environment:
# the gate passes, and nothing but glibc and CUDA comes from the machine.
set -euo pipefail
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

(cd "$build" && cpack -B "$scratch") >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
(cd "$scratch" && sha256sum --check --quiet ./*.sha256)
mkdir "$scratch/another place"
tar -xzf "$scratch"/warpgauge-*.tar.gz -C "$scratch/another place"
cd "$scratch/another place"/warpgauge-*
here=$PWD

of_the_machine='^(linux-vdso|ld-linux[a-z0-9-]*|lib(c|m|dl|rt|pthread|util|resolv))\.so|^lib(cuda|cublas|cublasLt|cupti)\.so'
checked=0
for program in bin/*; do
  while read -r library arrow path rest; do
    [[ $arrow == '=>' ]] || { library=${library##*/}; path=; }
    checked=$((checked + 1))
    [[ $library =~ $of_the_machine || "$path $rest" == "$here"/* ]] ||
      { printf '%s takes %s from the machine: %s\n' "$program" "$library" "$path"; failed=1; }
  done < <(env -i /usr/bin/ldd "$program")
done
((checked > 15)) || { echo "only $checked libraries found: the test proves nothing"; exit 1; }
for library in lib/*.so.*; do
  [[ -L $library || -s $library ]] || { echo "$library is empty"; failed=1; }
done
(($(find licenses -type f | wc -l) > 5)) || { echo "there are no licences of the libraries"; failed=1; }

# run STATUS TEXT COMMAND...: without an environment.
run() {
  local status=$1 text=$2 output got=0
  shift 2
  output=$(env -i "$@" 2>&1 </dev/null) || got=$?
  [[ $got == "$status" && $output == *"$text"* ]] ||
    { printf '%s\n  ended with %d instead of %d, or does not say "%s":\n%s\n' "$*" "$got" "$status" "$text" "$output"; failed=1; }
}
run 0 "pass: 2 same of 2 benchmarks" CUDA_VISIBLE_DEVICES= ci/gate.sh --prebuilt . --filter transpose/padded
run 0 "" bin/warpgauge report results/verdict.json --format sarif
run 0 "recorded as run 1" bin/warpgauge history record results/results.json
[[ -e lib/libpq.so.5 ]] || { echo "there is no libpq"; failed=1; }
for part in soci sqlite zstd; do
  [[ $(echo licenses/*"$part"*) != *'*'* ]] || { echo "there is no licence of $part"; failed=1; }
done
run 4 "No such file" bin/warpgauge history list --history "postgresql:///none?host=$scratch"
if [[ -e bin/suite_gpu ]]; then
  [[ -e lib/cupti/libcupti.so || -e $(echo lib/cupti/libcupti.so.*) ]] || { echo "there is no CUPTI"; failed=1; }
  run 0 "transpose/padded/4096x4096" bin/suite_gpu --benchmark_list_tests
  run 0 "2 benchmarks measured, 0 failed" bin/warpgauge static bin/suite_gpu --suite bin/suite_emulated \
    --filter transpose/padded --out "$scratch/static.json"
fi
exit "$failed"
