#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the museum on this machine's GPU: before against after, against the faint form of it, against its
# harmless twin, and against itself, both sides in turns. Each comparison times everything and is judged as if all code had changed,
# so that what is said of unchanged code rests on the clock, as it does with other tools.
#
#   tests/museum/run.sh [--build BUILD] [--out FOLDER] [--fresh N] [--limit SECONDS] [--without-gpu]
#
# --without-gpu: compares what the emulator counts and what the machine code takes instead, which takes no
#   GPU and a second.
# --build: where the target 'museum' was built (default: build/ci).
# --out: gets a folder for each comparison: results.json, against.json, verdict.json and gate.txt
#   (default: build/museum). What is complete there already is not measured again.
# --fresh: comparisons of unchanged code, each of fresh processes (default: 6).
# --limit: starts no further comparison after so many seconds.
set -euo pipefail

build=build/ci
out=build/museum
fresh=6
limit=86400
without_gpu=
while (($#)); do
  case $1 in
  --without-gpu)
    without_gpu=yes
    shift
    continue
    ;;
  --build) build=${2:?} ;;
  --out) out=${2:?} ;;
  --fresh) fresh=${2:?} ;;
  --limit) limit=${2:?} ;;
  *)
    echo "run.sh: unknown argument '$1'; there are --build, --out, --fresh, --limit and --without-gpu" >&2
    exit 64
    ;;
  esac
  shift 2
done
for side in before after faint twin; do
  if [[ ! -x $build/bin/museum_${side}_gpu ]]; then
    echo "run.sh: there is no $build/bin/museum_${side}_gpu; build the target 'museum' with nvcc" >&2
    exit 64
  fi
done

# gate NAME SUITE BEFORE: one suite against another one.
gate() {
  local folder=$out/$1 status=0
  if [[ -f $folder/verdict.json ]]; then return; fi
  if ((SECONDS > limit)); then
    echo "$1: left out, $SECONDS s are over"
    return
  fi
  mkdir -p "$folder"
  local begin=$SECONDS
  "$build/bin/warpgauge" gate --suite "$2" --against-build "$3" --treat-as-changed \
    --seed 1 --out "$folder" >"$folder/gate.txt" 2>&1 || status=$?
  echo "$1: exit $status, $((SECONDS - begin)) s: $(grep -E 'benchmarks?[.:]|of [0-9]+ benchmarks' "$folder/gate.txt" | tail -1)"
}

if [[ $without_gpu ]]; then
  # observe SIDE FILE
  observe() {
    "$build/bin/warpgauge" run --quiet --suite "$build/bin/museum_$1_emulated" \
      --machine-code "$build/bin/museum_$1_gpu" --out "$2"
  }
  for side in after faint twin; do
    folder=$out/emulated-$side
    mkdir -p "$folder"
    observe before "$folder/against.json"
    observe "$side" "$folder/results.json"
    status=0
    "$build/bin/warpgauge" compare --quiet "$folder/against.json" "$folder/results.json" \
      >"$folder/gate.txt" 2>&1 || status=$?
    echo "emulated-$side: exit $status"
  done
  exit
fi

before=$build/bin/museum_before_gpu
gate after "$build/bin/museum_after_gpu" "$before"
gate faint "$build/bin/museum_faint_gpu" "$before"
gate twin "$build/bin/museum_twin_gpu" "$before"
# The real ones, where their revisions were there when the target was built.
for suite in "$build"/bin/real_*_after_gpu; do
  if [[ ! -x $suite ]]; then continue; fi
  item=$(basename "${suite%_after_gpu}")
  gate "${item/_/-}" "$suite" "${suite%_after_gpu}_before_gpu"
done
for ((i = 1; i <= fresh; ++i)); do gate "unchanged-$i" "$before" "$before"; done
