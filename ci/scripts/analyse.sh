#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Static analysis of what this machine builds, that is, without CUDA not profiling/cupti.
#
#   ci/scripts/analyse.sh [--changed]
#
# --changed: only of files that differ from the merge base with the default branch or, on that branch
# itself, from the commit before; at most 24 of them, since each takes seconds.
#
# What was found clean is remembered in build/analysis/clean, and not analysed again until anything
# changes that a finding can depend on: see keys.
set -euo pipefail
source "$(dirname "$0")/common.sh"
this=$(realpath "$0")
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

# keys FILE...: "KEY FILE" of each absolute path, where the key is of all that a finding can depend on: the bytes of
# the source and of every header that it includes by now, system headers too; its compile command; its
# checks and their options; clang-tidy itself; and this script. Of a file whose headers are not known it
# says nothing.
keys() {
  local tidy tool folder=$scratch/keys file
  mkdir -p "$folder"
  tidy=$(command -v clang-tidy-14) || return
  # It and its libraries are too large to be read each time.
  tool=$("$tidy" --version && sha256sum "$this" && stat -L -c '%n %s %y' "$tidy" &&
    { ldd "$tidy" 2>/dev/null || true; } | awk '$3 ~ /^\// { print $3 }' | xargs -r stat -L -c '%n %s %y') || return
  jq '[.[] | select(.file | IN($ARGS.positional[]))]' "$analysis/compile_commands.json" --args "$@" \
    >"$folder/compile_commands.json" || return
  clang-scan-deps-14 --compilation-database="$folder/compile_commands.json" -j "$(nproc)" >"$folder/rules" || return
  # make's rules as "SOURCE<tab>FILE"; a name with a space in it ends up as no name of a file.
  awk '{ sub(/ *\\$/, "") }
    /^[^ ]/ { source = ""; sub(/^[^ ]*:/, "") }
    { for (i = 1; i <= NF; i++) { if (source == "") source = $i; print source "\t" $i } }' \
    "$folder/rules" | sort -u >"$folder/pairs"
  cut -f 2 "$folder/pairs" | sort -u | tr '\n' '\0' | xargs -0 sha256sum -- >"$folder/hashes" || return
  for file; do
    {
      printf '%s\n' "$tool" &&
        "$tidy" --dump-config -p "$analysis" "$file" 2>/dev/null &&
        jq --arg file "$file" '.[] | select(.file == $file)' "$folder/compile_commands.json" &&
        awk -v source="$file" -F '\t' '
          NR == FNR { hash[substr($0, 67)] = substr($0, 1, 64); next }
          $1 == source { if (!($2 in hash)) { found = 0; exit }
                         print hash[$2], $2
                         found = found || $2 == source }
          END { exit !found }' "$folder/hashes" "$folder/pairs"
    } >"$folder/input" || continue
    printf '%s %s\n' "$(sha256sum <"$folder/input" | cut -c 1-64)" "$file"
  done
}

# Nothing is remembered where a key cannot be made. A name in $scratch/clean is of a file without a finding.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/clean"
clean=$analysis/clean
mkdir -p "$clean"
find "$clean" -type f -mtime +60 -delete
declare -A key=()
while read -r value file; do key[$file]=$value; done < <(keys "${analysed[@]/#/$root/}")
unknown=()
for file in "${analysed[@]}"; do
  value=${key[$root/$file]:-}
  if [[ $value && -e $clean/$value ]]; then
    touch "$clean/$value"
  else
    unknown+=("$file")
  fi
done
((${#unknown[@]} == ${#analysed[@]})) ||
  printf '%d of %d files are as when they were found clean; to analyse them again: rm -r %s\n' \
    $((${#analysed[@]} - ${#unknown[@]})) "${#analysed[@]}" "${clean#"$root/"}"
((${#unknown[@]})) || exit 0

# One process a file, so that one file's finding is not another's.
status=0
# shellcheck disable=SC2016  # expanded by the shell that xargs starts
printf '%s\0' "${unknown[@]/#/$root/}" |
  xargs -0 -P "$(nproc)" -n 1 bash -c '
    out=$(clang-tidy-14 --quiet -p "$1" "$3")
    status=$?
    [[ ! $out ]] || printf "%s\n" "$out"
    ((status)) || [[ $out ]] || printf "%s\n" "$3" >"$2/${3//\//_}"
    exit $((status ? 1 : 0))' _ "$analysis" "$scratch/clean" || status=$?
# A file that was edited meanwhile has another key now: which of both was analysed is not known.
while read -r value file; do
  [[ ${key[$file]:-} != "$value" || ! -e $scratch/clean/${file//\//_} ]] || : >"$clean/$value"
done < <(keys "${unknown[@]/#/$root/}")
exit "$status"
