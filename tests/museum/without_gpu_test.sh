#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# without_gpu_test.sh SOURCE BUILD: builds the museum; what emulator and machine code find of it stays found,
# and no twin is accused.
set -euo pipefail
source_root=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
suites=()
for side in before after faint twin; do suites+=("museum_${side}_emulated" "museum_${side}_gpu"); done
cmake --build "$build" --target warpgauge docs_tables "${suites[@]}"
cd "$source_root"
tests/museum/run.sh --build "$build" --out "$scratch/museum" --without-gpu
printf '<!-- tables: begin -->\n<!-- tables: end -->\n' >"$scratch/page.md"
"$build/bin/docs_tables" evidence "$scratch/page.md" "$scratch/museum"
grep -x 'Called worse, after: 7 of 13, faint: 6 of 13, twin: 0 of 13.' "$scratch/page.md" || {
  cat "$scratch/page.md"
  exit 1
}
