#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Warpgauge, measures its suite and holds it against baselines/: on the GPU if there is one,
# on the emulator if not. Ends with the gate's exit status (see `warpgauge --help`).
#
#   ci/gate.sh [--prebuilt FOLDER] [options of `warpgauge gate`]
#
# The emulator stands in where there is no GPU, unless the environment has REQUIRE_GPU=1.
# --prebuilt: measure what was built elsewhere, in FOLDER/bin. Nothing is installed or built.
# --against REVISION, among those options: instead of baselines/, that git revision, built and
# measured interleaved with this one.
# --against-build BUILD, among them: another build that is there already, likewise.
# --since-anchor, among them: the baselines' anchors instead, likewise.
# Results: results/results.json, results/verdict.json and results/summary.md; of --since-anchor in
# results/since-anchor; with --out FOLDER there.
set -euo pipefail
source "$(dirname "$0")/scripts/common.sh"
cd "$root"
refuse_tracked

# Hiding the GPUs from CUDA asks for the emulator.
gpu_is_there() {
  [[ ${CUDA_VISIBLE_DEVICES-all} ]] && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}

# What is not of this script is passed on as it is. So `warpgauge gate` alone knows its options, and
# refuses a misspelt one only once it is built.
prebuilt=
arguments=()
while (($#)); do
  case $1 in
  -h | --help)
    sed -n '/^# Builds Warpgauge/,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
    exit 0
    ;;
  --policy | --policy=* | --suite | --suite=*)
    die "${1%%=*} is given by this script; for another one call warpgauge gate itself" 64
    ;;
  --prebuilt)
    [[ ${2:-} ]] || die "--prebuilt needs the folder of a build" 64
    prebuilt=$2
    shift
    ;;
  --prebuilt=*) prebuilt=${1#*=} ;;
  *) arguments+=("$1") ;;
  esac
  shift
done

if [[ $prebuilt ]]; then
  build=$(cd "$prebuilt" && pwd) || die "--prebuilt: there is no folder $prebuilt" 64
  gpu_suite=$build/bin/suite_gpu
  machine_code=$gpu_suite
  [[ -e $machine_code ]] || machine_code=$build/bin/suite_machine_code
  # What it was linked with is not installed here either.
  if [[ -x $build/bin/warpgauge ]] && ! trouble=$("$build/bin/warpgauge" --version 2>&1 >/dev/null); then
    die "the warpgauge of $prebuilt does not run here: $trouble. Where libraries are missing, run ci/scripts/setup.sh once"
  fi
else
  ci/scripts/setup.sh
  configure=()
  # The tests take packages that a gate does not; a build that has them keeps them.
  grep -qs '^WARPGAUGE_TESTS:BOOL=ON$' "$build/CMakeCache.txt" || configure+=(-DWARPGAUGE_TESTS=OFF)
  # The page of the HTML report takes npm and its registry, for longer than all else that a gate builds.
  [[ " ${arguments[*]}" =~ \ --report[=\ ]html= ]] || grep -qs '^WARPGAUGE_PAGE:BOOL=ON$' "$build/CMakeCache.txt" ||
    configure+=(-DWARPGAUGE_PAGE=OFF)
  # 9.0 → 90; without a GPU the project's default. nvidia-smi complains on standard output.
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 || true)
  [[ ! $capability =~ ^[0-9]+\.[0-9]+$ ]] || configure+=("-DCMAKE_CUDA_ARCHITECTURES=${capability/./}")
  configure ci "${configure[@]}"
  targets=(warpgauge suite_emulated)
  # What is not built now is not used: left over from an earlier build, it is of other kernels.
  gpu_suite=
  machine_code=
  if ! grep -q '^WARPGAUGE_CUDA:BOOL=ON$' "$build/CMakeCache.txt"; then
    :
  elif gpu_is_there; then
    targets+=(suite_gpu warpgauge_doctor warpgauge_metrics)
    gpu_suite=$build/bin/suite_gpu
  else
    # A quarter of the work of a suite that nothing here could run.
    targets+=(suite_machine_code)
    machine_code=$build/bin/suite_machine_code
  fi
  step "Building ${targets[*]}" "Fix the error above, then run ci/gate.sh again." \
    cmake --build --preset ci --target "${targets[@]}"
fi

# The emulator stands in where there is no GPU, but not for one that is there and does not work.
suite=$build/bin/suite_emulated
if [[ ! $gpu_suite || ! -x $gpu_suite ]]; then
  ! gpu_is_there ||
    printf 'There is a GPU but no suite for it: the emulator is used. For the GPU, install the CUDA toolkit and have nvcc on the PATH when building.\n'
elif trouble=$("$gpu_suite" --warpgauge_device 2>&1 >/dev/null); then
  suite=$gpu_suite
elif gpu_is_there; then
  die "there is a GPU, but its suite does not run: $trouble. Fix that, or measure on the emulator with CUDA_VISIBLE_DEVICES= ci/gate.sh"
else
  printf 'The emulator is used: %s\n' "$trouble"
fi
[[ ! ${REQUIRE_GPU:-} || $suite == "$gpu_suite" ]] ||
  die "REQUIRE_GPU is set, and no GPU can be measured here: ${trouble:-there is no suite for it}"
[[ -x $build/bin/warpgauge && -x $suite ]] ||
  die "$build holds no build: bin/warpgauge and bin/suite_* are looked for there"

# What nvcc made of the kernels that the emulator runs: their registers and spills are gated.
extra=()
if [[ $suite == */suite_emulated && $machine_code && -e $machine_code ]]; then
  extra+=(--machine-code "$machine_code")
fi

# Named as a reader of the report can call it from here.
exec "${build#"$root/"}/bin/warpgauge" gate --suite "$suite" --policy ci/policy.toml \
  "${extra[@]}" "${arguments[@]}"
