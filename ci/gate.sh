#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Warpgauge, measures its suite and holds it against baselines/: on the GPU if there is one,
# otherwise on the emulator. Ends with the gate's exit status (see `warpgauge --help`).
#
#   ci/gate.sh [--prebuilt FOLDER] [options of `warpgauge gate`]
#
# --prebuilt: measure what was built elsewhere, in FOLDER/bin.
# --against REVISION, among those options: instead of baselines/, that git revision, built and
# measured in turns with this one.
# Results: results/results.json, results/verdict.json and results/summary.md.
set -euo pipefail
source "$(dirname "$0")/scripts/common.sh"
cd "$root"

# Hiding the GPUs from CUDA asks for the emulator.
gpu_is_there() {
  [[ ${CUDA_VISIBLE_DEVICES-all} ]] && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}

# Those of `warpgauge gate`, which may not be built yet.
with_value=(--against --allow --baselines --build --color --counters --explain --filter --lock-wait
  --machine-code --merge-base --processes --report --seed --source-root --timeout)
flags=(--hot --quiet --verbose)
of_this_script=(--out --policy --suite)

# is_one_of WORD WORD...
is_one_of() {
  [[ " ${*:2} " == *" $1 "* ]]
}

# All is looked at first: what is not understood is to be said before minutes of building.
prebuilt=
arguments=()
while (($#)); do
  name=${1%%=*}
  if [[ $name == -h || $name == --help ]]; then
    sed -n '/^# Builds Warpgauge/,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
    exit 0
  elif is_one_of "$name" "${of_this_script[@]}"; then
    die "$name is given by this script; for another one call warpgauge gate itself" 64
  elif is_one_of "$name" "${flags[@]}"; then
    arguments+=("$1")
    shift
  elif ! is_one_of "$name" --prebuilt "${with_value[@]}"; then
    die "'$1' is not understood; there are --prebuilt FOLDER and, of warpgauge gate, ${with_value[*]} ${flags[*]}" 64
  elif [[ $1 == *=* ]]; then
    set -- "$name" "${1#*=}" "${@:2}"
  elif (($# < 2)); then
    die "$name needs a value" 64
  elif [[ $name == --prebuilt ]]; then
    [[ $2 ]] || die "--prebuilt needs the folder of a build" 64
    prebuilt=$2
    shift 2
  else
    arguments+=("$1" "$2")
    shift 2
  fi
done

if [[ $prebuilt ]]; then
  build=$(cd "$prebuilt" && pwd) || die "--prebuilt: there is no folder $prebuilt" 64
else
  ci/scripts/setup.sh
  targets=(warpgauge suite_emulated)
  configure=(cmake --preset ci)
  # A configuration of the days before there was an nvcc remembers that there is none.
  ! command -v nvcc >/dev/null || configure+=(-DWARPGAUGE_CUDA=ON)
  # 9.0 → 90; without a GPU the project's default. nvidia-smi complains on standard output.
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 || true)
  [[ ! $capability =~ ^[0-9]+\.[0-9]+$ ]] || configure+=("-DCMAKE_CUDA_ARCHITECTURES=${capability/./}")
  step "Configuring" "If packages are missing, run ci/scripts/setup.sh." "${configure[@]}"
  # Built anew or not there at all: one left over from an earlier build is of other kernels.
  if grep -q '^WARPGAUGE_CUDA:BOOL=ON$' "$build/CMakeCache.txt"; then
    targets+=(suite_gpu warpgauge_doctor warpgauge_metrics)
  else
    rm -f "$build/bin/suite_gpu"
  fi
  step "Building ${targets[*]}" "Mend the error above, then run ci/gate.sh again." \
    cmake --build --preset ci --target "${targets[@]}"
fi

# The emulator stands in where there is no GPU, but not for one that is there and does not work.
suite=$build/bin/suite_emulated
if [[ ! -x $build/bin/suite_gpu ]]; then
  ! gpu_is_there ||
    printf 'There is a GPU but no suite for it: the emulator is used. For the GPU, install the CUDA toolkit and have nvcc on the PATH when building.\n'
elif trouble=$("$build/bin/suite_gpu" --warpgauge_device 2>&1 >/dev/null); then
  suite=$build/bin/suite_gpu
elif gpu_is_there; then
  die "there is a GPU, but its suite does not run: $trouble. Mend that, or measure on the emulator with CUDA_VISIBLE_DEVICES= ci/gate.sh"
else
  printf 'The emulator is used: %s\n' "$trouble"
fi
[[ -x $build/bin/warpgauge && -x $suite ]] ||
  die "$build holds no build: bin/warpgauge and bin/suite_* are looked for there"

# What nvcc made of the lines at which the emulator counts.
extra=()
if [[ $suite == */suite_emulated && -e $build/bin/suite_gpu ]]; then
  extra+=(--machine-code "$build/bin/suite_gpu")
fi

# Named as a reader of the report can call it from here.
exec "${build#"$root/"}/bin/warpgauge" gate --suite "$suite" --policy ci/policy.toml \
  --out results "${extra[@]}" "${arguments[@]}"
