#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static analysis of what this machine builds, that is, without CUDA not profiling/cupti.
#
#   ci/scripts/analyse.sh [--changed]
#
# --changed: only of files that differ from the merge base with the default branch or, on that branch
# itself, from the commit before; at most 24 of them, since each takes seconds.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

# The revision that --changed compares with; nothing where there is no history.
changed_since() {
  local head base branch
  head=$(git rev-parse --verify --quiet HEAD) || return 0
  for branch in origin/HEAD origin/main main; do
    base=$(git merge-base "$branch" HEAD 2>/dev/null) || continue
    [[ $base != "$head" ]] || break
    printf '%s\n' "$base"
    return
  done
  git rev-parse --verify --quiet HEAD~1 || true
}

mapfile -t sources < <(git ls-files 'ci/*.cpp' 'profiling/*.cpp')
case $* in
'') ;;
--changed)
  base=$(changed_since)
  [[ $base ]] || { printf 'Nothing is analysed: this checkout has no earlier commit.\n'; exit 0; }
  # A header is analysed with the source of its name.
  mapfile -t sources < <({ git diff --name-only "$base" -- ci profiling; git ls-files --others --exclude-standard ci profiling; } |
    sed -n 's/\.[ch]pp$/.cpp/p' | sort -u | while IFS= read -r file; do [[ ! -e $file ]] || printf '%s\n' "$file"; done)
  ((${#sources[@]})) || { printf 'Nothing is analysed: no source differs from %s.\n' "$base"; exit 0; }
  ;;
*) die "unknown arguments '$*'; there is --changed" 64 ;;
esac

# Configured only, for the compile commands of each file alone.
analysis=$root/build/analysis
configure ci -B "$analysis" -DWARPGAUGE_UNITY=OFF -DWARPGAUGE_TESTS=OFF
step "Generating headers" "Fix the error above." cmake --build "$analysis" --target warpgauge_revision

# The emulator's kernel objects are built with options that clang does not know.
analysed=()
for file in "${sources[@]}"; do
  ! grep -qF "\"file\": \"$root/$file\"" "$analysis/compile_commands.json" || analysed+=("$file")
done
if [[ $* ]]; then
  ((${#analysed[@]})) || { printf 'Nothing is analysed: no changed source is built here.\n'; exit 0; }
  most=24
  ((${#analysed[@]} <= most)) ||
    printf '%d of %d changed files are analysed; for all: ci/scripts/analyse.sh\n' "$most" "${#analysed[@]}"
  analysed=("${analysed[@]:0:most}")
fi
((${#analysed[@]})) || die "$analysis/compile_commands.json names no source; delete ${analysis#"$root/"} and run ci/scripts/analyse.sh again"
printf '%s\n' "${analysed[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p "$analysis"
