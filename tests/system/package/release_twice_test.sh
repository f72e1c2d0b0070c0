#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release_twice_test.sh SOURCE
#
# A commit built from two folders, at two times, gives the same release to the byte.
set -euo pipefail
source_root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

git clone -q "$source_root" "$scratch/one"
git clone -q "$scratch/one" "$scratch/another/deeper folder"
for folder in one "another/deeper folder"; do
  (cd "$scratch/$folder" && ci/release.sh --out "$scratch/out/${folder%%/*}") >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; exit 1; }
done
diff "$scratch/out/one/SHA256SUMS" "$scratch/out/another/SHA256SUMS" ||
  { echo "two builds of one commit differ: compare them with diffoscope"; exit 1; }
cat "$scratch/out/one/SHA256SUMS"
