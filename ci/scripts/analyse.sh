#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static analysis of what this machine builds, that is, without CUDA not profiling/cupti.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

# Configured only, for the compile commands of each file alone.
analysis=$root/build/analysis
configure=(cmake --preset ci -B "$analysis" -DWARPGAUGE_UNITY=OFF)
# A configuration of the days before there was an nvcc remembers that there is none.
! command -v nvcc >/dev/null || configure+=(-DWARPGAUGE_CUDA=ON)
step "Configuring the analysis" "If packages are missing, run ci/scripts/setup.sh." "${configure[@]}"
step "Generating headers" "Mend the error above." cmake --build "$analysis" --target warpgauge_revision

# The emulator's kernel objects are built with options that clang does not know.
mapfile -t analysed < <(
  while IFS= read -r file; do
    ! grep -qF "\"file\": \"$root/$file\"" "$analysis/compile_commands.json" || printf '%s\n' "$file"
  done < <(git ls-files 'ci/*.cpp' 'profiling/*.cpp')
)
((${#analysed[@]})) || die "$analysis/compile_commands.json names no source; delete ${analysis#"$root/"} and run ci/scripts/analyse.sh again"
printf '%s\n' "${analysed[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p "$analysis"
