#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves a change: sets up, checks the source's format, builds everything that this machine can build,
# and runs the tests: those of the rooms under the address and undefined-behaviour sanitizers, those
# of whole programs as released. Static analysis looks at what changed.
#
#   ci/test.sh [--again|--nightly]
#
# Tests that passed before with the same programs and files are not run again (ci/scripts/run_tests.sh).
#
# --again: they are.
# --nightly: they are, and so is what takes minutes: the tests with that label, fuzzing, all of static analysis.
set -euo pipefail
source "$(dirname "$0")/scripts/common.sh"
cd "$root"

purpose='test'
presets=(asan ci)
analysis=--changed
again=()
case $* in
'') ;;
--again) again=(--again) ;;
--nightly)
  again=(--again)  # their inputs are random
  purpose='nightly'
  presets+=(nightly)
  analysis=
  ;;
*) die "unknown arguments '$*'; there are --again and --nightly" 64 ;;
esac

ci/scripts/setup.sh "$purpose"
fix="Fix the error above, then run ci/test.sh again."
step "Checking the format" "Format with: clang-format-14 -i FILE" ci/scripts/lint.sh
for preset in "${presets[@]}"; do
  # The nightly tests are of the build ci.
  if [[ $preset != nightly ]]; then
    configure "$preset"
    step "Building $preset" "$fix" cmake --build --preset "$preset"
  fi
  printf 'Testing %s\n' "$preset"
  start=$SECONDS
  ci/scripts/run_tests.sh "$preset" "${again[@]}" ||
    die "a test failed; run it alone with: ctest --preset $preset -R NAME"
  printf '%-58s %4d s\n' "Tested $preset" $((SECONDS - start))
done
if [[ ! $analysis ]]; then
  if command -v clang++-14 >/dev/null; then
    ci/scripts/fuzz.sh
  else
    printf 'Not fuzzed: there is no clang++-14.\n'
  fi
fi
step "Analysing the source" "$fix" ci/scripts/analyse.sh $analysis
sed -n '/were found clean/p' build/Analysing_the_source.log
printf 'All tests passed in %d s.\n' "$SECONDS"
