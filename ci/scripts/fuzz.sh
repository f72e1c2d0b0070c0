#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Searches for input that breaks the readers of files from elsewhere, with libFuzzer and the address
# and undefined-behaviour sanitizers, and needs clang-14 for it.
#
#   ci/scripts/fuzz.sh [--seconds N] [CORPUS...]
#
# N seconds (default 60) for each of the corpora in tests/fuzz/corpus, or those that are named: two
# thirds of them on input of up to 16 KiB, of which many are tried, and the rest on up to 1 MiB. What is
# found is in build/fuzz/findings, and fails; what was tried and is worth trying again, in
# build/fuzz/corpus.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

seconds=60
if [[ ${1:-} == --seconds ]]; then
  [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "--seconds needs a whole number of at least 1" 64
  seconds=$2
  shift 2
fi
corpora=("$@")
((${#corpora[@]})) || corpora=(address answer babelstream baseline blob cmake_cache filter google_benchmark history
  journal launches machine_code ncu nvbench nvbench_samples policy results verdict)
for corpus in "${corpora[@]}"; do
  [[ -d tests/fuzz/corpus/$corpus ]] || die "there is no tests/fuzz/corpus/$corpus" 64
done

step "Configuring fuzz" "clang-14 and libclang-rt-14-dev are needed; run ci/scripts/setup.sh nightly." \
  cmake --preset fuzz
step "Building fuzz" "Fix the error above, then run ci/scripts/fuzz.sh again." cmake --build --preset fuzz

findings=$PWD/build/fuzz/findings
rm -rf "$findings"
mkdir -p "$findings"
for corpus in "${corpora[@]}"; do
  case $corpus in
  babelstream | ncu | nvbench) target=import ;;
  google_benchmark) target=results ;;
  *) target=$corpus ;;
  esac
  seeds=tests/fuzz/corpus/$corpus
  kept=build/fuzz/corpus/$corpus
  mkdir -p "$kept"
  case $corpus in
  policy) cp ci/policy.toml "$kept" ;;
  verdict) cp tests/report/golden/everything.verdict.json "$kept" ;;
  esac
  # Words of the seeds, which no mutation would come upon: "key" and, in a policy, key = .
  # Seeds that are no text may have none.
  words=build/fuzz/$corpus.dict
  { LC_ALL=C grep -aohE '"[A-Za-z_]+"|^[a-z_]+ =|\[\[[a-z]+\]\]' "$seeds"/* || true; } | sort -u |
    sed 's/"/\\"/g; s/.*/"&"/' >"$words"
  dictionary=()
  [[ ! -s $words ]] || dictionary=("-dict=$words")
  # Files that a target writes do not wait for a disk.
  log=build/fuzz/$corpus.log
  printf '%-58s' "Fuzzing $corpus …"
  fuzz() {
    TMPDIR=$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}") \
      "build/fuzz/bin/fuzz_$target" -timeout=20 -rss_limit_mb=2048 "${dictionary[@]}" \
      -artifact_prefix="$findings/$corpus-" -print_final_stats=1 "$@" "$kept" "$seeds" >>"$log" 2>&1 </dev/null
  }
  : >"$log"
  large=$(((seconds + 2) / 3))
  if ! fuzz -max_total_time=$((seconds - large + 1)) -max_len=16384 ||
    ! fuzz -max_total_time="$large" -max_len=1048576 -len_control=0; then
    printf ' found something\n'
    tail -n 60 "$log" >&2
    die "the input is in build/fuzz/findings: fix what it breaks, and keep it in $seeds" 1
  fi
  printf ' %s runs\n' "$(awk '/^stat::number_of_executed_units:/ {runs += $2} END {print runs + 0}' "$log")"
done
