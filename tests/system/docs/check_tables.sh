#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_tables.sh SOURCE PROGRAMS
#
# In a copy of docs/, takes the tables out of every page that has some, prints them again by the
# command that the page names below them, and compares.
set -euo pipefail
source_root=$1
programs=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$source_root/docs" "$scratch"
mkdir "$scratch/ci"
cp "$source_root/ci/policy.toml" "$scratch/ci"  # by which some of them are made
for room in verdict museum; do
  mkdir -p "$scratch/tests/$room"
  cp -r "$source_root/tests/$room/recorded" "$scratch/tests/$room"
done
cd "$scratch"

checked=0
for page in docs/*/*.md; do
  grep -qx '<!-- tables: begin -->' "$page" || continue
  # shellcheck disable=SC2016  # the backticks are Markdown's
  command=$(sed -n 's|^.* Printed by `build/ci/bin/\([^`]*\)`\.$|\1|p' "$page")
  tables=$(sed -n '/^<!-- tables: begin -->$/,/^<!-- tables: end -->$/{/^<!-- tables:/!p}' "$page" | tr -d '[:space:]')
  if [[ -z $tables ]]; then
    printf '%s: has no tables yet\n' "$page"
    continue
  fi
  [[ $command == "docs_tables "*" $page "* ]] || { printf '%s: does not say how its tables were printed\n' "$page"; exit 1; }
  sed -i '/^<!-- .*: begin -->$/,/^<!-- .*: end -->$/{/^<!-- .*: \(begin\|end\) -->$/!d}' "$page"
  bash -c "'$programs'/$command"
  diff "$source_root/$page" "$page"
  checked=$((checked + 1))
done
((checked > 0)) || { echo "no page with tables found: the test proves nothing"; exit 1; }
