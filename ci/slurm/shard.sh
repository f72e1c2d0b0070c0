#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shard.sh WARPGAUGE FOLDER SHARDS [ARGUMENT OF `warpgauge run`]...
#
# One task of the array job of submit.sh: measures its shard into FOLDER/shards-JOB/. Slurm starts a
# copy of it, so that it finds nothing beside itself.
set -euo pipefail
warpgauge=$1
folder=$2/shards-$SLURM_ARRAY_JOB_ID
shards=$3
shift 3
out=$folder/shard-$SLURM_ARRAY_TASK_ID.json

# An earlier start of this task may have got that far.
mkdir -p "$folder"
rm -f "$out"

printf '%s: shard %s of %s, start %s, on %s, GPU %s\n' "$(date -u +%FT%TZ)" "$SLURM_ARRAY_TASK_ID" \
  "$shards" "$((${SLURM_RESTART_COUNT:-0} + 1))" "$(uname -n)" "${CUDA_VISIBLE_DEVICES:-none}"
status=0
"$warpgauge" run --quiet "$@" --shard "$SLURM_ARRAY_TASK_ID/$shards" --out "$out" || status=$?

# Written in one step, it is whole. Benchmarks that failed are in it, and the merge tells of them.
[[ ! -e $out ]] || exit 0
# Killed outright, as by the kernel when memory runs out: Slurm counts that as a failure of the job.
if ((status == 137 && ${SLURM_RESTART_COUNT:-0} < 3)); then
  printf 'The run was killed; the task is put back into the queue.\n'
  # By its number in the array: one task's $SLURM_JOB_ID is that of the array, all of whose tasks
  # would start again.
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$((status ? status : 4))"
