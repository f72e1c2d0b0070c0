#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static analysis of what this machine builds, that is, without CUDA not profiling/cupti. Needs the
# build folder of ci/test.sh, for its compile commands.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

# The emulator's kernel objects are built with options that clang does not know.
mapfile -t analysed < <(
  while IFS= read -r file; do
    ! grep -qF "\"file\": \"$root/$file\"" "$build/compile_commands.json" || printf '%s\n' "$file"
  done < <(git ls-files 'ci/*.cpp' 'profiling/*.cpp')
)
((${#analysed[@]})) || die "$build/compile_commands.json names no source; run ci/test.sh"
printf '%s\n' "${analysed[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p "$build"
