#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gate_script_test.sh SOURCE
#
# Which suite ci/gate.sh builds and measures, with programs that only say what they were asked.
# shellcheck disable=SC2016  # the programs expand what stands in single quotes
set -euo pipefail
source_root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH="$scratch/path:$PATH"
unset CUDA_VISIBLE_DEVICES
failed=0

# shellcheck source=tests/helpers/programs.sh
source "$source_root/tests/helpers/programs.sh"

# A project with a build in it, on a machine without a GPU or nvcc; cases change what they are about.
begin() {
  what=$1
  rm -rf "${scratch:?}/"*
  mkdir -p "$scratch/project/ci"
  mkdir -p "$scratch/project/ci/scripts"
  cp "$source_root/ci/gate.sh" "$scratch/project/ci"
  cp "$source_root/ci/scripts/common.sh" "$scratch/project/ci/scripts"
  program "$scratch/project/ci/scripts/setup.sh"
  program "$scratch/path/nvidia-smi" 'echo "NVIDIA-SMI has failed"; exit 9'
  # Configures as `cache` says, and builds what it is asked for.
  program "$scratch/path/cmake" 'echo "$*" >>"'"$scratch"'/cmake.log"' \
    'mkdir -p build/ci/bin' \
    'case $1 in' \
    '--preset) cp "'"$scratch"'/cache" build/ci/CMakeCache.txt ;;' \
    '--build) for target; do cp "'"$scratch"'/new/bin/$target" build/ci/bin 2>/dev/null; done; exit 0 ;;' \
    'esac'
  echo 'WARPGAUGE_CUDA:BOOL=OFF' >"$scratch/cache"
  program "$scratch/new/bin/warpgauge" 'echo "measured ${3##*/}"' 'echo "with ${*:4}"'
  program "$scratch/new/bin/suite_emulated"
  program "$scratch/new/bin/suite_gpu"
}

gpu() {
  program "$scratch/path/nvidia-smi" 'case $1 in' '-L) echo "GPU 0: NVIDIA H200 (UUID: GPU-1)" ;;' \
    '*) echo 9.0 ;;' 'esac'
}

# expect STATUS TEXT ARGUMENT...: how ci/gate.sh ends, and what it says among other things.
expect() {
  local status=$1 text=$2 got=0
  shift 2
  output=$(cd "$scratch/project" && ci/gate.sh "$@" 2>&1 </dev/null) || got=$?
  if [[ $got != "$status" || $output != *"$text"* ]]; then
    failed=1
    printf '%s: ended with %d instead of %d, or does not say "%s":\n%s\n' "$what" "$got" "$status" "$text" "$output"
  fi
}

begin "without a GPU the emulator measures"
expect 0 "measured suite_emulated"

begin "a build says at once where its output goes, and on a terminal how far it is"
expect 0 " log: build/Building_warpgauge_suite_emulated.log"
if command -v script >/dev/null; then
  sed -i 's|^--build) |--build) echo "[1/2] Building"; sleep 3; |' "$scratch/path/cmake"
  output=$(cd "$scratch/project" && script -qec ci/gate.sh /dev/null </dev/null)
  [[ $output == *emulated.log$'\r'$'\n'$'\r'*"[1/2]"* ]] || { failed=1; echo "no progress on a terminal: $output"; }
fi

begin "help builds nothing"
expect 0 "--prebuilt FOLDER" --help
[[ ! -s $scratch/cmake.log ]] || { echo "$what: CMake ran"; failed=1; }

begin "what the gate is told reaches it"
expect 0 "--against origin/main --seed 3" --against origin/main --seed 3
expect 0 "--policy ci/policy.toml --since-anchor --out elsewhere" --since-anchor --out elsewhere

begin "what is not passed on is said before anything is installed or built"
program "$scratch/project/ci/scripts/setup.sh" 'echo "installed" >&2'
for wrong in '--prebuilt' '--policy=x' '--against HEAD --suite x' '--prebuilt nowhere'; do
  what="'$wrong' is refused before anything is installed or built"
  read -ra words <<<"$wrong"
  expect 64 "gate.sh: " "${words[@]}"
  [[ $output != *installed* && ! -s $scratch/cmake.log ]] || { echo "$what: it is not"; failed=1; }
done

begin "what warpgauge gate does not understand is its own to refuse"
program "$scratch/new/bin/warpgauge" 'echo "unknown: ${*:6}"; exit 64'
expect 64 "unknown: --agianst HEAD" --agianst HEAD

begin "a prebuilt gate installs nothing"
program "$scratch/project/ci/scripts/setup.sh" 'echo "installed" >&2'
expect 0 "measured" --prebuilt ../new
[[ $output != *installed* ]] || { echo "$what: it does"; failed=1; }

begin "--prebuilt may stand anywhere"
expect 0 "--against HEAD --seed=3 --quiet" --against HEAD --prebuilt ../new --seed=3 --quiet
[[ ! -s $scratch/cmake.log ]] || { echo "$what: CMake ran"; failed=1; }
expect 0 "--filter=a=b" --filter=a=b --prebuilt=../new

begin "a suite for GPUs that finds none says why the emulator measures"
program "$scratch/new/bin/suite_gpu" 'echo "the driver sees no GPU" >&2; exit 4'
expect 0 "The emulator is used: the driver sees no GPU" --prebuilt ../new
expect 0 "measured suite_emulated" --prebuilt ../new
REQUIRE_GPU=1 expect 4 "no GPU can be measured here: the driver sees no GPU" --prebuilt ../new
expect 0 "--machine-code $scratch/new/bin/suite_gpu" --prebuilt ../new

begin "a GPU is measured"
gpu
echo 'WARPGAUGE_CUDA:BOOL=ON' >"$scratch/cache"
expect 0 "measured suite_gpu"
grep -q -- '--preset ci.*-DCMAKE_CUDA_ARCHITECTURES=90' "$scratch/cmake.log" ||
  { echo "$what: not for its architecture"; failed=1; }

begin "a GPU whose suite does not start is not measured by the emulator instead"
gpu
program "$scratch/new/bin/suite_gpu" 'echo "cannot open libcupti.so" >&2; exit 127'
expect 4 "its suite does not run: cannot open libcupti.so" --prebuilt ../new
export CUDA_VISIBLE_DEVICES=
expect 0 "measured suite_emulated" --prebuilt ../new
unset CUDA_VISIBLE_DEVICES

begin "a GPU without a suite is said"
gpu
rm "$scratch/new/bin/suite_gpu"
expect 0 "There is a GPU but no suite for it" --prebuilt ../new

begin "a suite for GPUs left over from an earlier build is not measured"
gpu
program "$scratch/project/build/ci/bin/suite_gpu"
expect 0 "measured suite_emulated"

begin "nvcc that came after the first configuration is used"
program "$scratch/path/nvcc"
expect 0 "measured"
grep -q -- '-DWARPGAUGE_CUDA=ON' "$scratch/cmake.log" || { echo "$what: it is not"; failed=1; }

begin "with nvcc and no GPU, only what nvcc makes of the kernels is built for GPUs"
program "$scratch/path/nvcc"
program "$scratch/new/bin/suite_machine_code"
echo 'WARPGAUGE_CUDA:BOOL=ON' >"$scratch/cache"
expect 0 "--machine-code $scratch/project/build/ci/bin/suite_machine_code"
grep -q -- '--target warpgauge suite_emulated suite_machine_code$' "$scratch/cmake.log" ||
  { echo "$what: $(cat "$scratch/cmake.log")"; failed=1; }

begin "tests are configured only where they were before"
expect 0 "measured"
grep -q -- '-DWARPGAUGE_TESTS=OFF' "$scratch/cmake.log" || { echo "$what: here they are"; failed=1; }
mkdir -p "$scratch/project/build/ci"
echo 'WARPGAUGE_TESTS:BOOL=ON' >"$scratch/project/build/ci/CMakeCache.txt"
rm "$scratch/cmake.log"
expect 0 "measured"
! grep -q -- '-DWARPGAUGE_TESTS=OFF' "$scratch/cmake.log" || { echo "$what: here they are not"; failed=1; }

begin "the page of the HTML report is built only where it is asked for, or was built before"
configured() { # TEXT ARGUMENT...
  local text=$1
  shift
  rm -f "$scratch/cmake.log"
  expect 0 "measured" "$@"
  grep -q -- "$text" "$scratch/cmake.log" || { echo "$what: $* is configured without $text"; failed=1; }
}
program "$scratch/path/npm"
configured '-DWARPGAUGE_PAGE=ON.* -DWARPGAUGE_PAGE=OFF'
configured '-DWARPGAUGE_PAGE=OFF' --report junit=html=x --filter html=
for asked in '--report html=a.html' '--report=html=a.html' '--all --report sarif=a --report html=b'; do
  read -ra words <<<"$asked"
  configured '-DWARPGAUGE_PAGE=ON' "${words[@]}"
  ! grep -q -- '-DWARPGAUGE_PAGE=OFF' "$scratch/cmake.log" || { echo "$what: not for $asked"; failed=1; }
done
echo 'WARPGAUGE_PAGE:BOOL=ON' >>"$scratch/project/build/ci/CMakeCache.txt"
configured '-DWARPGAUGE_PAGE=ON'
! grep -q -- '-DWARPGAUGE_PAGE=OFF' "$scratch/cmake.log" || { echo "$what: not where it was before"; failed=1; }

begin "a prebuilt program that does not run here says what is missing"
program "$scratch/new/bin/warpgauge" 'echo "libpq.so.5: cannot open shared object file" >&2; exit 127'
expect 4 "does not run here: libpq.so.5: cannot open shared object file. Where libraries are missing" --prebuilt ../new

begin "a complaint of nvidia-smi is no architecture"
expect 0 "measured"
! grep -q 'ARCHITECTURES' "$scratch/cmake.log" || { echo "$what: $(cat "$scratch/cmake.log")"; failed=1; }

exit "$failed"
