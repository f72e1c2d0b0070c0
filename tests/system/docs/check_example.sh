#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_example.sh SOURCE PROGRAM
#
# What docs/explain/emulator.md shows as the output of build/example/transpose is what PROGRAM prints: the
# example, built within the project.
set -euo pipefail
page=$1/docs/explain/emulator.md
program=$2

compared=0
while IFS= read -r arguments; do
  # shellcheck disable=SC2086  # several words, or none
  diff <(awk -v command="\$ build/example/transpose$arguments" \
    '/^```/ || /^\$ / { shown = 0 } shown; $0 == command { shown = 1 }' "$page") \
    <("$program" $arguments 2>&1)
  compared=$((compared + 1))
done < <(sed -n 's|^\$ build/example/transpose||p' "$page")
printf '%d outputs compared\n' "$compared"
((compared > 0))
