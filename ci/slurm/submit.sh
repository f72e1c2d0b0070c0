#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures a suite in shards on a Slurm cluster: an array job whose tasks have a GPU each, and a job
# that joins what they measured once all are done.
#
#   ci/slurm/submit.sh [--shards N] [--out FOLDER] [--wait] [OPTION OF sbatch]... -- \
#     --suite SUITE [ARGUMENT OF `warpgauge run`]...
#
# --shards: 8 unless said otherwise. --out: a folder that all nodes see, results unless said
# otherwise; each shard and what they are merged to will be in shards-JOB/ there, a copy of the latter
# in results.json. --wait: ends with the status of the merge. $WARPGAUGE: the program, build/ci/bin/warpgauge unless said otherwise.
#
# A task that is requeued, by Slurm when its node fails or by who preempts it, starts again and
# replaces what it wrote.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

shards=8
out=results
wait=()
options=()
while (($#)) && [[ $1 != -- ]]; do
  case $1 in
    --shards | --out)
      (($# >= 2)) || die "$1 needs a value" 64
      if [[ $1 == --shards ]]; then shards=$2; else out=$2; fi
      shift
      ;;
    --shards=*) shards=${1#*=} ;;
    --out=*) out=${1#*=} ;;  # which for sbatch would be short for --output
    --wait) wait=(--wait) ;;
    *) options+=("$1") ;;
  esac
  shift
done
(($# >= 2)) || die "after -- the arguments of warpgauge run are missing: --suite SUITE at least" 64
shift
[[ $shards =~ ^[1-9][0-9]{0,3}$ ]] || die "--shards $shards: is no number from 1 to 9999" 64
for argument; do
  case $argument in
    --shard | --shard=* | --out | --out=*) die "$argument is for each task to say: leave it out" 64 ;;
  esac
done
[[ $out ]] || die "--out names no folder" 64
command -v sbatch >/dev/null || die "there is no sbatch: run this where Slurm's commands are"
warpgauge=${WARPGAUGE:-$build/bin/warpgauge}
[[ -x $warpgauge ]] || die "there is no $warpgauge: build it with ci/gate.sh, or name it in WARPGAUGE"
mkdir -p "$out"
out=$(cd "$out" && pwd)

here=$(cd "$(dirname "$0")" && pwd)
# What an earlier submission left must not pass for this one's.
rm -f "$out/results.json"
# What is among `options` as well counts, since it is said later.
array=$(sbatch --parsable --job-name=warpgauge --array="1-$shards" --nodes=1 --ntasks=1 \
  --gres=gpu:1 --requeue --open-mode=append --output="$out/shard-%A-%a.log" "${options[@]}" \
  "$here/shard.sh" "$warpgauge" "$out" "$shards" "$@") || die "sbatch refused the shards"
array=${array%%;*}  # a cluster's name may follow
merge() {
  sbatch --parsable --job-name=warpgauge-merge "${options[@]}" --nodes=1 --ntasks=1 --gres=none \
    --dependency="afterok:$array" --kill-on-invalid-dep=yes --requeue --open-mode=append \
    --output="$out/merge-$array.log" "${wait[@]}" \
    "$here/merge.sh" "$warpgauge" "$out" "$shards" "$array"
}
printf 'Job %s measures %d shards; when all are done they become %s\n' "$array" "$shards" "$out/results.json"
status=0
merge >/dev/null || status=$?
if ((${#wait[@]})); then
  # Of a job that never started, since a shard failed, sbatch says nothing.
  [[ -e $out/shards-$array/results.json ]] || ((status)) || status=4
  ((status == 0)) || die "the merge ended with $status; see $out/merge-$array.log and $out/shard-$array-*.log" "$status"
elif ((status)); then
  die "sbatch refused the merge: when the shards are done, run $here/merge.sh $warpgauge $out $shards $array"
fi
