#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static analysis of what this machine builds, that is, without CUDA not profiling/cupti.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

# Configured only, for the compile commands of each file alone.
analysis=$root/build/analysis
step "Configuring the analysis" "If packages are missing, run ci/setup.sh." \
  cmake --preset ci -B "$analysis" -DCMAKE_UNITY_BUILD=OFF
step "Generating headers" "Mend the error above." cmake --build "$analysis" --target warpgauge_revision

# The emulator's kernel objects are built with options that clang does not know.
mapfile -t analysed < <(
  while IFS= read -r file; do
    ! grep -qF "\"file\": \"$root/$file\"" "$analysis/compile_commands.json" || printf '%s\n' "$file"
  done < <(git ls-files 'ci/*.cpp' 'profiling/*.cpp')
)
((${#analysed[@]})) || die "$analysis/compile_commands.json names no source"
printf '%s\n' "${analysed[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p "$analysis"
