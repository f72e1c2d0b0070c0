#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# merge.sh WARPGAUGE FOLDER SHARDS JOB
#
# Joins what the array job JOB of submit.sh measured, in FOLDER/shards-JOB/, to results.json there and
# to a copy in FOLDER, with the exit status of `warpgauge merge`. Slurm starts a copy of it; by hand it
# does the same.
set -euo pipefail
own=$2/shards-$4
files=()
for ((shard = 1; shard <= $3; ++shard)); do
  files+=("$own/shard-$shard.json")
done
rm -f "$own/results.json"
status=0
"$1" merge "${files[@]}" --out "$own/results.json" || status=$?
# In one step, since another submission may do so as well.
if [[ -e $own/results.json ]]; then
  cp "$own/results.json" "$own/copy.json"
  mv "$own/copy.json" "$2/results.json"
fi
exit "$status"
