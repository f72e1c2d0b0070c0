#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says which benchmarks of this project's own suite a change can have touched: prints what --filter of the gate takes,
# nothing where there are none, and '.' for all. Fails where that cannot be said. Called by
# package/pipeline/affected.sh, which then has everything gated.
#
#   ci/pipeline/affected.sh
#
# Needs what ci/pipeline/build.sh built, and builds the suites of the merge base, too, in build/base.
# From the environment: MERGE_BASE, a revision that the change is to be merged into; where there is none, as on the
# default branch, everything is gated. GPU_ARCHITECTURES, as for build.sh.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"
cd "$root"
trust_checkout

# everything REASON: that all is gated.
everything() {
  echo "Everything is gated: $1." >&2
  echo .
  exit
}

[[ ${MERGE_BASE:-} ]] || everything "no MERGE_BASE is given"
base=$(git merge-base "$MERGE_BASE" HEAD) || die "git finds no merge base of $MERGE_BASE and this checkout"
! edits_gating "$base" HEAD || everything "the change edits what gates, or what it is held to"

before=$root/build/base
rm -rf "$before"
mkdir -p "$before"
git archive "$base" | tar -x -C "$before"
# Standard output is the filter's.
{
  step "Building suite_machine_code" "Fix the error above." cmake --build --preset ci --target suite_machine_code
  (
    root=$before
    cd "$root"
    configure ci -DWARPGAUGE_TESTS=OFF -DWARPGAUGE_PAGE=OFF "-DCMAKE_CUDA_ARCHITECTURES=${GPU_ARCHITECTURES:-90}"
    step "Building the suites of ${base:0:12}" "So all is gated." \
      cmake --build --preset ci --target suite_machine_code suite_emulated
  )
} >&2
"$build/bin/warpgauge" affected --as-filter \
  --before "$before/build/ci/bin/suite_machine_code" --after "$build/bin/suite_machine_code" \
  --suite-before "$before/build/ci/bin/suite_emulated" --suite "$build/bin/suite_emulated"
