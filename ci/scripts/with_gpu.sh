#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# with_gpu.sh COMMAND...
#
# Runs a command on the GPUs that CTest has given to this test alone: those that the test asks for
# with RESOURCE_GROUPS gpus:1, of the specification by `warpgauge doctor --resource-spec`. Without a
# specification, on those that it would have anyway.
set -euo pipefail
(($#)) || { printf 'usage: with_gpu.sh COMMAND...\n' >&2; exit 64; }

# "id:gpu_8e7e…,slots:1;id:…" of each group: the ids as UUIDs again.
uuids=()
for ((group = 0; group < ${CTEST_RESOURCE_GROUP_COUNT:-0}; ++group)); do
  gpus=CTEST_RESOURCE_GROUP_${group}_GPUS
  IFS=';' read -r -a given <<<"${!gpus:-}"
  for each in "${given[@]}"; do
    id=${each#id:}
    id=${id%%,*}
    uuids+=("GPU-$(tr _ - <<<"${id#gpu_}")")
  done
done
if ((${#uuids[@]})); then
  CUDA_VISIBLE_DEVICES=$(IFS=, && printf '%s' "${uuids[*]}")
  export CUDA_VISIBLE_DEVICES
fi
exec "$@"
