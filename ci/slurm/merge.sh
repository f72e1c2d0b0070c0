#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# merge.sh WARPGAUGE FOLDER SHARDS JOB
#
# Joins what the array job JOB of submit.sh measured to FOLDER/results.json, with the exit status of
# `warpgauge merge`. Slurm starts a copy of it; by hand it does the same.
set -euo pipefail
files=()
for ((shard = 1; shard <= $3; ++shard)); do
  files+=("$2/shards-$4/shard-$shard.json")
done
exec "$1" merge "${files[@]}" --out "$2/results.json"
