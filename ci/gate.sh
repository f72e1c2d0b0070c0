#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Warpgauge, measures its suite and holds it against baselines/: on the GPU if there is one,
# otherwise on the emulator. Ends with the gate's exit status (see `warpgauge --help`).
#
#   ci/gate.sh [--prebuilt FOLDER] [arguments of `warpgauge gate`]
#
# --prebuilt: measure what was built elsewhere, in FOLDER/bin.
# Results: results/results.json and results/summary.md.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

if [[ ${1:-} == --prebuilt ]]; then
  (($# >= 2)) || die "--prebuilt needs the folder of a build" 64
  build=$(cd "$2" && pwd) || die "--prebuilt: there is no folder $2" 64
  shift 2
else
  ci/setup.sh
  targets=(warpgauge suite_emulated)
  configure=(cmake --preset ci)
  if command -v nvcc >/dev/null; then
    targets+=(suite_gpu)
    # 9.0 → 90; without a GPU the project's default.
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 || true)
    [[ -z $capability ]] || configure+=("-DCMAKE_CUDA_ARCHITECTURES=${capability/./}")
  elif nvidia-smi -L >/dev/null 2>&1; then
    printf 'There is a GPU but no nvcc on the PATH: the emulator is used. For the GPU, install the CUDA toolkit.\n'
  fi
  step "Configuring" "If packages are missing, run ci/setup.sh." "${configure[@]}"
  step "Building ${targets[*]}" "Mend the error above, then run ci/gate.sh again." \
    cmake --build --preset ci --target "${targets[@]}"
fi

suite=$build/bin/suite_emulated
if [[ -x $build/bin/suite_gpu ]] && "$build/bin/suite_gpu" --warpgauge_device >/dev/null 2>&1; then
  suite=$build/bin/suite_gpu
fi
[[ -x $build/bin/warpgauge && -x $suite ]] ||
  die "$build holds no build: bin/warpgauge and bin/suite_* are looked for there"

# Named as a reader of the report can call it from here.
exec "${build#"$root/"}/bin/warpgauge" gate --suite "$suite" --baselines baselines --policy ci/policy.toml \
  --out results "$@"
