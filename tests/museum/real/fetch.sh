#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts the headers of each real regression's two revisions into a folder, from clones that you have made:
#
#   tests/museum/real/fetch.sh CLONES FOLDER
#
# CLONES holds OWNER/NAME of each repository that revisions.tsv names, as
# `git clone https://github.com/NVIDIA/cccl CLONES/NVIDIA/cccl` makes it.
# Then: cmake -S . -B build/ci -DWARPGAUGE_MUSEUM_REVISIONS=FOLDER && cmake --build build/ci --target museum
set -euo pipefail

if (($# != 2)); then
  echo "usage: fetch.sh CLONES FOLDER" >&2
  exit 64
fi
while IFS=$'\t' read -r item repository good bad; do
  [[ $item == "#"* ]] && continue
  for side in before after; do
    revision=$good
    [[ $side == before ]] || revision=$bad
    into=$2/$item/$side
    if [[ -f $into/revision ]]; then continue; fi
    mkdir -p "$into"
    git -C "$1/$repository" archive "$revision" cub thrust libcudacxx/include |
      tar -x -C "$into" --exclude='*/test*' --exclude='*/benchmarks'
    git -C "$1/$repository" rev-parse "$revision" >"$into/revision"
    echo "$item, $side: $repository at $(cat "$into/revision")"
  done
done <"$(dirname "$0")/revisions.tsv"
