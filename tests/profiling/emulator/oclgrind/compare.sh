#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh YARDSTICK [REPEATS]
#
# The same kernels on the emulator and under Oclgrind (package oclgrind), each in a process of its
# own with all cores of the machine, one after the other, REPEATS times (3): wall time from the
# process's start to its end, least of the repeats, as a Markdown table. YARDSTICK is the program
# emulator_yardstick. "With races" is Oclgrind looking for data races, which the emulator always
# does, as it looks for uninitialized reads, at which Oclgrind 21.10 ends on an instruction that it
# does not know.
set -euo pipefail
yardstick=$1
repeats=${2:-3}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v oclgrind-kernel >/dev/null || { echo "needs oclgrind-kernel, of the package oclgrind" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# simulation KERNEL SIDE: what oclgrind-kernel reads: NDRange, then the arguments.
simulation() {
  local kernel=$1 side=$2
  local elements=$((side * side)) bytes=$((4 * side * side))
  local tiles=$((((side + 31) / 32) * ((side + 31) / 32))) sums=$(((side * side + 255) / 256))
  printf '%s\n%s\n' "$here/kernels.cl" "$kernel"
  case $kernel in
    transpose_*) printf '%d 8 1\n32 8 1\n\n' $((tiles * 32)) ;;
    reduce_*) printf '%d 1 1\n256 1 1\n\n' $((sums * 256)) ;;
    matmul_*) printf '%d 32 1\n32 32 1\n\n' $((tiles * 32)) ;;
  esac
  printf '<size=%d float fill=1>\n' "$bytes"
  case $kernel in
    transpose_*) printf '<size=%d float noinit>\n<size=8 ulong>\n%d\n<size=8 ulong>\n%d\n' "$bytes" "$side" "$side" ;;
    reduce_*) printf '<size=%d float noinit>\n<size=8 ulong>\n%d\n' $((sums * 4)) "$elements" ;;
    matmul_*)
      printf '<size=%d float fill=1>\n<size=%d float noinit>\n' "$bytes" "$bytes"
      printf '<size=8 ulong>\n%d\n<size=8 ulong>\n%d\n<size=8 ulong>\n%d\n' "$side" "$side" "$side"
      ;;
  esac
}

# seconds COMMAND...: wall time; a command that fails or complains ends the comparison.
seconds() {
  local start end
  start=$EPOCHREALTIME
  "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out" >&2; exit 1; }
  end=$EPOCHREALTIME
  [[ ! -s $scratch/out ]] || { cat "$scratch/out" >&2; exit 1; }
  awk -v start="$start" -v end="$end" 'BEGIN { printf "%.3f\n", end - start }'
}

least() { sort -g | head -n 1; }

export WARPGAUGE_REPORT=/dev/null
printf '| kernel | elements | emulator | Oclgrind | ratio | Oclgrind with races | ratio |\n'
printf '|---|---:|---:|---:|---:|---:|---:|\n'
while read -r kernel side; do
  simulation "$kernel" "$side" >"$scratch/$kernel.sim"
  for ((i = 0; i < repeats; ++i)); do
    seconds "$yardstick" "$kernel" "$side" >>"$scratch/emulator"
    seconds oclgrind-kernel "$scratch/$kernel.sim" >>"$scratch/plain"
    seconds oclgrind-kernel --data-races "$scratch/$kernel.sim" >>"$scratch/races"
  done
  awk -v kernel="$kernel" -v side="$side" -v emulator="$(least <"$scratch/emulator")" \
    -v plain="$(least <"$scratch/plain")" -v races="$(least <"$scratch/races")" \
    'BEGIN { printf "| %s | %d² | %.2f s | %.1f s | %.0f | %.1f s | %.0f |\n",
             kernel, side, emulator, plain, plain / emulator, races, races / emulator }'
  rm "$scratch"/{emulator,plain,races}
done <<'KERNELS'
transpose_shared 2048
transpose_padded 2048
reduce_sequential 1024
matmul_tiled 192
KERNELS
