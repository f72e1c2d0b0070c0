#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# resources_test.sh SOURCE PROGRAMS
#
# docs/examples/shards on a machine with three GPUs, as a doctor that is none says: CTest starts
# several shards at once, each on a GPU of its own, and their merged results are the whole run's.
# shellcheck disable=SC2016  # the programs expand what stands in single quotes
set -euo pipefail
source_root=$1
programs=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/helpers/programs.sh
source "$source_root/tests/helpers/programs.sh"
failed=0
complain() {
  failed=1
  printf '%s\n' "$*"
}

program "$scratch/doctor" 'echo '"'"'{"device": {"name": "NVIDIA H200"}, "nvml_problem": "none", "devices": [
  {"uuid": "GPU-00000000-aaaa-0000-0000-000000000000"}, {"uuid": "GPU-11111111-bbbb-0000-0000-000000000000"},
  {"uuid": "GPU-22222222-cccc-0000-0000-000000000000"}]}'"'"
"$programs/warpgauge" doctor --program "$scratch/doctor" --resource-spec "$scratch/gpus.json" >/dev/null

# Says on which GPU it is; fails where another has it, and waits until another is at work on its own,
# without which nothing would be shown.
program "$scratch/suite" \
  'gpu=${CUDA_VISIBLE_DEVICES-none}' \
  'if [[ $* == *--warpgauge_pass=* ]]; then' \
  '  echo "$gpu" >>"'"$scratch"'/used"' \
  '  exec 9>"'"$scratch"'/$gpu.lock"' \
  '  flock --nonblock 9 || echo "$gpu" >>"'"$scratch"'/shared"' \
  '  for ((i = 0; i < 300 && $(sort -u "'"$scratch"'/used" | wc -l) < 3; ++i)); do sleep 0.1; done' \
  'fi' \
  '"'"$programs"'/suite_emulated" "$@"'

cmake -S "$source_root/docs/examples/shards" -B "$scratch/build" -DWARPGAUGE="$programs/warpgauge" \
  -DSUITE="$scratch/suite" >/dev/null
cd "$scratch/build"
ctest --resource-spec-file "$scratch/gpus.json" --parallel 8 --output-on-failure >"$scratch/log" 2>&1 ||
  complain "$(cat "$scratch/log")"
used=$(sort "$scratch/used" | uniq | tr '\n' ' ')
[[ $used == "GPU-00000000-aaaa-0000-0000-000000000000 GPU-11111111-bbbb-0000-0000-000000000000 GPU-22222222-cccc-0000-0000-000000000000 " ]] ||
  complain "used were $used"
[[ ! -e $scratch/shared ]] || complain "two shards had one GPU: $(sort -u "$scratch/shared")"
(($(wc -l <"$scratch/used") == 8)) || complain "$(wc -l <"$scratch/used") shards were measured instead of 8"

"$programs/warpgauge" run --quiet --suite "$programs/suite_emulated" --out "$scratch/whole.json" >/dev/null
normalised() {
  sed -E 's/"(real_time|cpu_time)":[0-9.e+-]+/"\1":0/g; s/"(date|created)": "[^"]*"/"\1": ""/
    s/"mhz_per_cpu": [0-9]+/"mhz_per_cpu": 0/
    /"load_avg": \[/,/\]/d; s/"executable": "[^"]*"/"executable": ""/' "$1"
}
diff <(normalised "$scratch/whole.json") <(normalised results.json) >/dev/null || complain "merged, they are not the whole run"

# Without a specification, what was there before stays.
[[ $(CUDA_VISIBLE_DEVICES=7 "$source_root/ci/scripts/with_gpu.sh" printenv CUDA_VISIBLE_DEVICES) == 7 ]] ||
  complain "with_gpu.sh changes what CTest says nothing of"
two=$(CTEST_RESOURCE_GROUP_COUNT=2 CTEST_RESOURCE_GROUP_0_GPUS="id:gpu_0a_1b,slots:1;id:gpu_2c_3d,slots:1" \
  CTEST_RESOURCE_GROUP_1_GPUS="id:gpu_4e_5f,slots:1" "$source_root/ci/scripts/with_gpu.sh" printenv CUDA_VISIBLE_DEVICES)
[[ $two == GPU-0a-1b,GPU-2c-3d,GPU-4e-5f ]] || complain "of several GPUs it makes $two"
exit "$failed"
