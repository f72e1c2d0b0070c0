#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, checks the source's format, builds everything that this machine can build, and runs all
# tests: as released, under the address and undefined-behaviour sanitizers, and by fuzzing for a few
# seconds; last comes static analysis.
set -euo pipefail
source "$(dirname "$0")/scripts/common.sh"
cd "$root"

ci/scripts/setup.sh
step "Checking the format" "Format with: clang-format-14 -i FILE" ci/scripts/lint.sh
mend="Mend the error above, then run ci/test.sh again."
for preset in ci asan; do
  step "Configuring $preset" "If packages are missing, run ci/scripts/setup.sh." cmake --preset "$preset"
  step "Building $preset" "$mend" cmake --build --preset "$preset"
  printf 'Testing %s\n' "$preset"
  ctest --preset "$preset" --progress || die "a test failed; run it alone with: ctest --preset $preset -R NAME"
done
if command -v clang++-14 >/dev/null; then
  ci/scripts/fuzz.sh --seconds 3
else
  printf 'Not fuzzed: there is no clang++-14.\n'
fi
step "Analysing the source" "$mend" ci/scripts/analyse.sh
printf 'All tests passed.\n'
