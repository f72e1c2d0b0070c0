#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the ladder on this machine's GPU: by how much each rung makes ten kernels slower, and what a gate
# in turns says of those that are slower by about 0.5, 1 and 2 %.
#
#   tests/museum/ladder/run.sh [--build BUILD] [--out FOLDER] [--pairs N] [--limit SECONDS] [--budget SECONDS]
#
# --build: where the target 'ladder' was built (default: build/ci).
# --out: gets rung-UNITS/ for each rung, both sides in turns, and gate-UNITS/ for each gate (default:
#   build/ladder).
# --pairs: of processes, for each rung (default: 4).
# --limit: starts no further gate after so many seconds.
# --budget: of a gate, in seconds (default: that of ci/policy.toml).
# Needs python3.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=build/ci
out=build/ladder
pairs=4
limit=86400
budget=
while (($#)); do
  case $1 in
  --build) build=${2:?} ;;
  --out) out=${2:?} ;;
  --pairs) pairs=${2:?} ;;
  --limit) limit=${2:?} ;;
  --budget) budget=${2:?} ;;
  *)
    echo "run.sh: unknown argument '$1'; there are --build, --out, --pairs, --limit and --budget" >&2
    exit 64
    ;;
  esac
  shift 2
done
rungs=(1 2 4 8 16)
for units in 0 "${rungs[@]}"; do
  if [[ ! -x $build/bin/ladder_${units}_gpu ]]; then
    echo "run.sh: there is no $build/bin/ladder_${units}_gpu; build the target 'ladder' with nvcc" >&2
    exit 64
  fi
done
kernels='^(transpose/shared/1025x1023|struct_access/broadcast/1048576|reduction_float/vectorized_host_sum/.*|histogram_uniform/vectorized/.*|reverse/vectorized/.*|stencil/vectorized/.*|dot_float/static_shared/16777216|adjacent_sum/shared/.*|scan_inclusive/warp_shuffle/.*|matmul/double_buffered/.*)$'
base=$build/bin/ladder_0_gpu
mkdir -p "$out"
policy=$out/policy.toml
sed "s/^budget = [0-9]*/budget = ${budget:-120}/" "$root/ci/policy.toml" >"$policy"
[[ $budget ]] || cp "$root/ci/policy.toml" "$policy"

# gate FOLDER arguments...: exit statuses are verdicts.
gate() {
  local folder=$out/$1 status=0 begin=$SECONDS
  shift
  mkdir -p "$folder"
  "$build/bin/warpgauge" gate --policy "$policy" --seed 1 --out "$folder" "$@" >"$folder/gate.txt" 2>&1 ||
    status=$?
  echo "$(basename "$folder"): exit $status, $((SECONDS - begin)) s"
}

for units in "${rungs[@]}"; do
  if [[ -f $out/rung-$units/against.json ]]; then continue; fi
  gate "rung-$units" --suite "$build/bin/ladder_${units}_gpu" --against-build "$base" --treat-as-changed \
    --processes "$pairs" --filter "$kernels"
done
python3 "$here/rungs.py" "$out"/rung-* >"$out/rungs.txt"

if [[ ! -d $out/baselines ]]; then
  "$build/bin/warpgauge" run --quiet --policy "$policy" --suite "$base" --filter "$kernels" --out "$out/approved.json"
  "$build/bin/warpgauge" approve --quiet --policy "$policy" --baselines "$out/baselines" --filter "$kernels" \
    --reason 'the ladder before its rungs' "$out/approved.json"
fi
while read -r units filter; do
  if [[ -f $out/gate-$units/verdict.json ]]; then continue; fi
  if ((SECONDS > limit)); then
    echo "gate-$units: left out, $SECONDS s are over"
    continue
  fi
  gate "gate-$units" --suite "$build/bin/ladder_${units}_gpu" --against-prebuilt "$base" \
    --baselines "$out/baselines" --filter "$filter"
done <"$out/rungs.txt"
