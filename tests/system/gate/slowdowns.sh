#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# slowdowns.sh BUILD gpu|emulated OUT [arguments of `warpgauge gate`]
#
# What the gate finds of the slowdowns that slowdowns.cmake plants: the slower suite of BUILD/bin is
# held against the true one, in turns, as a change in a checkout against the revision before it, with
# the gate's results in OUT. Ends with 0 if all are found that show on the device, and nothing else.
set -euo pipefail
if (($# < 3)) || [[ $2 != gpu && $2 != emulated ]]; then
  echo "usage: ${0##*/} BUILD gpu|emulated OUT [arguments of warpgauge gate]" >&2
  exit 64
fi
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=$(cd "$1" && pwd)
device=$2
mkdir -p "$3"
out=$(cd "$3" && pwd)
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What is planted, and in which benchmarks it shows: the last two to a clock alone.
planted=(
  "padding lost|^transpose/padded/"
  "a word of padding too many|^struct_access/padded/"
  "vectorisation lost|^reverse/vectorized/"
  "more work|^scan_(in|ex)clusive/hillis_steele/"
)
[[ $device == emulated ]] || planted+=(
  "too few blocks|^dot_(float|double|int64)/vectorized/"
  "a division more|^stencil/shared/"
)

# A checkout of the true kernels, in which the slower ones were not committed yet.
project=$scratch/project
mkdir -p "$project/bin"
# Its baselines have what the policy speaks of and the emulator lacks, such as library rows.
cp -r "$root/kernels" "$root/benchmarks" "$root/baselines" "$project"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git init --quiet "$project"
git -C "$project" add kernels benchmarks
git -C "$project" -c user.name=test -c user.email=test@localhost commit --quiet -m "The true kernels"
cp -r "$build/tests/system/gate/slower/." "$project"
cp "$build/bin/slower_suite_$device" "$project/bin/suite"
ln -s "$build/lib" "$project/lib"  # where a bundle has its libraries

rm -f "$out/summary.md"
status=0
(cd "$project" && "$build/bin/warpgauge" gate --suite bin/suite --against HEAD \
  --build "mkdir -p bin && cp ${build@Q}/bin/suite_$device bin/suite && ln -sfn ${build@Q}/lib lib" \
  --policy "$root/ci/policy.toml" --out "$out" "$@") || status=$?
[[ $status == [013] ]] || exit "$status"

# Rows of the summary: | verdict | `benchmark` | `metric` | before | after | change | why |
printf '\n'
printf '%s\n' "${planted[@]}" | awk -F '|' '
  FNR == NR { label[++count] = $1; sub(/[^|]*[|]/, ""); pattern[count] = $0; next }
  $2 == " regressed " {
    gsub(/[`\\]/, "")
    id = substr($3, 2, length($3) - 2)
    place = match($0, /kernels\/[a-z_]+\.cuh:[0-9]+/) ? substr($0, RSTART, RLENGTH) : ""
    row = sprintf("  %-36s%-26s%12s →%12s  %-10s %s\n", id, $4, $5, $6, $7, place)
    for (i = 1; i <= count && id !~ pattern[i]; ++i);
    found[i] = found[i] row
  }
  END {
    for (i = 1; i <= count; ++i) {
      printf "%s (%s)\n%s", label[i], pattern[i], i in found ? found[i] : "  not found\n"
      missed += !(i in found)
    }
    if (count + 1 in found) printf "not planted\n%s", found[count + 1]
    printf "%d of %d planted slowdowns found\n", count - missed, count
    exit missed > 0 || count + 1 in found
  }' - "$out/summary.md"
