#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every variant at its awkward sizes under NVIDIA's compute-sanitizer: accesses out of bounds,
# races in shared memory, misuse of barriers, reads of memory that nothing wrote. Needs a GPU and a
# build of kernels_test_gpu: that of ci/gate.sh and ci/test.sh, or another one:
#   ci/scripts/sanitize.sh [--prebuilt FOLDER]
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

if [[ ${1:-} == --prebuilt ]]; then
  build=${2:?"--prebuilt needs a folder"}
elif (($#)); then
  die "unknown argument $1; --prebuilt FOLDER is known" 64
fi
tests=$build/bin/kernels_test_gpu
[[ -x $tests ]] || die "there is no $tests; build it with ci/test.sh where nvcc is"
PATH=$PATH:/usr/local/cuda/bin
command -v compute-sanitizer >/dev/null ||
  die "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
tools=(memcheck racecheck synccheck initcheck)
# The tools wait for the CPU more than for the GPU.
shards=$(($(nproc) / (${#tools[@]} + 1)))
((shards >= 1)) || shards=1
((shards <= 8)) || shards=8
declare -A started
for tool in "${tools[@]}"; do
  for ((shard = 0; shard < shards; shard++)); do
    (
      # A poisoned buffer is an initialized one.
      [[ $tool != initcheck ]] || export WARPGAUGE_NO_POISON=1
      export GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard
      exec compute-sanitizer --tool "$tool" --error-exitcode 1 \
        "$tests" --gtest_brief=1 --gtest_filter='*AwkwardSizes*:*RightAgain*:*BelowTheSizes*'
    ) >"$logs/$tool.$shard" 2>&1 &
    started[$tool.$shard]=$!
  done
done

failed=()
for tool in "${tools[@]}"; do
  passed=0
  for ((shard = 0; shard < shards; shard++)); do
    log=$logs/$tool.$shard
    status=0
    wait "${started[$tool.$shard]}" || status=$?
    count=$(sed -n 's/.*PASSED  \] \([0-9]*\) test.*/\1/p' "$log")
    if ((status == 0)) && [[ $count =~ ^[1-9][0-9]*$ ]] && ! grep -q SKIPPED "$log"; then
      passed=$((passed + count))
    else
      printf '%s: failed\n%s\n' "$tool" "$(cat "$log")"
      [[ " ${failed[*]} " == *" $tool "* ]] || failed+=("$tool")
    fi
  done
  [[ " ${failed[*]} " == *" $tool "* ]] || printf '%s: %d tests passed\n' "$tool" "$passed"
done
((${#failed[@]} == 0)) || die "${failed[*]} found errors, see above; repeat one with: compute-sanitizer --tool TOOL $tests" 1
