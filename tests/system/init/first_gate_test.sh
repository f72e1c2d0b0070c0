#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# first_gate_test.sh WARPGAUGE [NVCC]
#
# What `warpgauge init` writes into a project with Google Benchmark gates it: no verdict before anything is
# approved, then pass, and red where it got slower. The program that it writes for CUDA compiles.
set -euo pipefail
export WARPGAUGE=$1
nvcc=${2:-}
source "$(dirname "$0")/stand_in.sh"
expect 0 "benchmarks of Google Benchmark (bench/CMakeLists.txt)" "$WARPGAUGE" init
# A person at a terminal is asked, once all is shown.
answer() {
  printf '%s\n' "$1" | script -qec "$(printf '%q' "$WARPGAUGE") init" /dev/null
}
if command -v script >/dev/null; then
  expect 0 "Write these? [y/N]" answer n
  [[ ! -e ci ]] || { echo "it wrote after a no"; exit 1; }
  expect 0 "4 files written" answer y
  expect 0 "Nothing is missing." "$WARPGAUGE" init --yes
else
  expect 0 "4 files written" "$WARPGAUGE" init --yes
fi
# Without git the baseline alone decides, and git itself says nothing of that.
cp -r . "$scratch/without git"
rm -r "$scratch/without git/.git"
expect 3 "git finds no repository here: the baseline alone decides" bash "$scratch/without git/ci/warpgauge.sh"
[[ $output != *fatal:* ]] || { echo "git complains: $output"; exit 1; }
expect 64 "--against needs a git repository, and git finds no repository here" bash "$scratch/without git/ci/warpgauge.sh" --against HEAD
[[ $output != *fatal:* ]] || { echo "git complains: $output"; exit 1; }
# A filter of nothing is refused before anything is measured, also before anything is approved.
rm -rf results/runs
for options in "" --check; do
  # shellcheck disable=SC2086  # words
  expect 64 "--filter 'srot' matches no benchmark (did you mean 'sort'?)" bash ci/warpgauge.sh $options --filter srot
done
[[ ! -e results/runs ]] || { echo "it measured what the filter leaves nothing of"; exit 1; }
expect 64 "git knows no such revision" bash ci/warpgauge.sh --against=nowhere
expect 64 "--against comes first" bash ci/warpgauge.sh --filter sort --against HEAD
expect 3 "Nothing is approved yet for a-processor." bash ci/warpgauge.sh
[[ $output == *$'\nJudged by the baseline alone:\n'*$'\n  10 %: sort/8\n'* ]] || { echo "it does not say which slowdowns are found: $output"; exit 1; }
expect 0 "wrote" bash -c "$(approve)"
# So does another processor, beside the first.
WARPGAUGE_DEVICE="another" expect 3 "Nothing is approved yet for another." bash ci/warpgauge.sh
[[ $(approve) == *"session_{1,2,3}.json"* ]] || { echo "another processor's sessions are not all approved: $(approve)"; exit 1; }
expect 0 "wrote" bash -c "$(approve)"
expect 0 "sort             1         3" "$WARPGAUGE" baseline list --baselines baselines/google_benchmark --device another
rm -r baselines/google_benchmark/another
# Three sessions, so that a noisy one does not stand alone.
expect 0 "sort             1         3" "$WARPGAUGE" baseline list --baselines baselines/google_benchmark
expect 0 "pass: 1 same of 1 benchmark" bash ci/warpgauge.sh
# A filter of nothing is refused before anything is measured.
rm -r results/runs
expect 64 "--filter 'srot' matches no benchmark (did you mean 'sort'?)" bash ci/warpgauge.sh --filter srot
[[ ! -e results/runs ]] || { echo "it measured what the filter leaves nothing of"; exit 1; }
expect 0 "pass: 1 same of 1 benchmark" bash ci/warpgauge.sh --filter sort
processes() { find results/runs -name '*.json' | wc -l; }
[[ $(processes) == 20 ]] || { echo "it measured $(processes) processes of what was clear in twenty"; exit 1; }
CRASH=1 expect 4 "process 1 of build/warpgauge/bench/sort_bench ended with status 134 (SIGABRT)" bash ci/warpgauge.sh
# What few processes leave inconclusive takes more. Its report is printed once.
sed -i 's/kNoise = 0/kNoise = 12/' bench/sort.cpp
WARPGAUGE_PROCESSES=05 expect 0 "measuring in 10" bash ci/warpgauge.sh
[[ $output == *"of fewer than 12 processes all count"* ]] || { echo "it does not say that few processes tell less: $output"; exit 1; }
(($(processes) > 5)) || { echo "it measured no more processes"; exit 1; }
sed -i 's/kNoise = 12/kNoise = 80/' bench/sort.cpp
WARPGAUGE_PROCESSES=5 expect 3 "measuring in 40" bash ci/warpgauge.sh
[[ $(processes) == 40 ]] || { echo "it measured $(processes) processes, not 40"; exit 1; }
WARPGAUGE_PROCESSES=5 expect 0 "measuring in 40" bash ci/warpgauge.sh --allow inconclusive
WARPGAUGE_PROCESSES=5 expect 3 "measuring in 40" bash ci/warpgauge.sh
[[ $output == *"what was approved last is no commit alone"* ]] || { echo "it does not say why there are no turns: $output"; exit 1; }
[[ $(grep -c "^no verdict:" <<<"$output") == 1 ]] || { echo "the report is printed at each look: $output"; exit 1; }
sed -i 's/kNoise = 80/kNoise = 0/' bench/sort.cpp
# With another revision, a submodule of it as that revision has it, and no baseline.
git init -q "$scratch/times"
echo 'constexpr double kTime = 100;' >"$scratch/times/times.hpp"
git -C "$scratch/times" add .
git -C "$scratch/times" commit -qm times
git -c protocol.file.allow=always submodule --quiet add "$scratch/times" 'bench/the times'
sed -i 's|^constexpr double kTime = 100, kNoise|#include "the times/times.hpp"\nconstexpr double kNoise|' bench/sort.cpp
git add --all
git commit -qm first
mv baselines "$scratch/kept"
against_head() { expect "$1" "$2" bash ci/warpgauge.sh --against HEAD; }
expect 64 "--filter 'srot' matches no benchmark (did you mean 'sort'?)" bash ci/warpgauge.sh --against HEAD --filter srot
MERGE_BASE=HEAD against_head 0 "pass: 1 same of 1 benchmark"
[[ $output != *"cannot differ from itself"* ]] || { echo "both sides are taken for one: $output"; exit 1; }
sed -i 's/kTime = 100/kTime = 88/' 'bench/the times/times.hpp'
against_head 0 "improved"
sed -i 's/kTime = 88/kTime = 112/' 'bench/the times/times.hpp'
head=$(git rev-parse --short=12 HEAD)
against_head 1 "After: this checkout of $(git log -1 --format='%h, %s'), with edits that are not committed."
(cd bench && expect 1 "$head → $head with changes" bash ../ci/warpgauge.sh --against HEAD --report html=results/page.html)
{ grep -q "$head → $head with changes" results/summary.md && grep -q "\"$head with changes\"" results/page.html; } ||
  { echo "the reports name other sides than the terminal"; exit 1; }
[[ $(processes) == 20 ]] || { echo "it measured $(processes) processes of what was clear in twenty"; exit 1; }
expect 0 "Nothing was measured." bash ci/warpgauge.sh --against HEAD --check
git -C 'bench/the times' commit -qam slower
git commit -qam slower
against_head 0 "After: $(git log -1 --format='%h, %s')."
[[ $output == *"pass: 1 same of 1 benchmark"* ]] || { echo "a commit is not the same as itself: $output"; exit 1; }
expect 1 "regressed" bash ci/warpgauge.sh --against HEAD~
expect 64 "git knows no such revision" bash ci/warpgauge.sh --against nowhere
expect 64 "--against needs a revision" bash ci/warpgauge.sh --against
mv "$scratch/kept" baselines
expect 1 "regressed: 1 regressed of 1 benchmark" bash ci/warpgauge.sh
[[ $output != *"Before you approve that"* ]] || { echo "it takes a commit for edits: $output"; exit 1; }
sed -i 's/kNoise = 0/kNoise = 0.0/' bench/sort.cpp
expect 1 "Before you approve that, commit your changes, and measure again" bash ci/warpgauge.sh
[[ -s results/summary.md ]] || { echo "there is no summary for the pipeline"; exit 1; }
# Of a commit that was approved, and another machine than it was approved on: turns tell the two apart.
rm -r baselines
expect 3 "Commit your changes, new files too, and measure again before you approve" bash ci/warpgauge.sh
git checkout -q bench/sort.cpp
echo '#error' >bench/new.hpp
WARPGAUGE_PROCESSES=2 expect 3 "Commit your changes, new files too" bash ci/warpgauge.sh
rm bench/new.hpp
# Approving writes JSON alone.
mkdir baselines
echo '#error' >baselines/new.hpp
WARPGAUGE_PROCESSES=2 expect 3 "Commit your changes, new files too" bash ci/warpgauge.sh
rm -r baselines
expect 3 "Approve them even if these slowdowns are large" bash ci/warpgauge.sh
expect 0 "wrote" bash -c "$(approve)"
# Baselines that are gone are no change of what is measured.
git add baselines
git commit -qm approved
rm -r baselines
expect 3 "Approve them even if these slowdowns are large" bash ci/warpgauge.sh
git reset -q HEAD~
expect 3 "Approve them even if these slowdowns are large" bash ci/warpgauge.sh
expect 0 "wrote" bash -c "$(approve)"
approved=$(git rev-parse HEAD)
in_turns="In turns with what was approved, $approved:"
SLOW_MACHINE=1 MERGE_BASE=HEAD expect 0 "$in_turns" bash ci/warpgauge.sh
[[ $output == *"pass: 1 same of 1 benchmark"* ]] || { echo "it is not the turns that decide: $output"; exit 1; }
slower="slower than when it was approved: sort/8 +30.0 %"
{ [[ $output == *"$slower"* ]] && grep -qF "$slower" results/summary.md; } || { echo "it does not say that the machine is slower: $output"; exit 1; }
grep -q "edits since .* adds: .*sort/8" results/summary.md || { cat results/summary.md; echo "the summary lacks the edits of baselines"; exit 1; }
! grep "Environment: no difference" results/summary.md || { echo "of one machine at one time the summary says that nothing differs"; exit 1; }
sed -i 's|sort/8|sort/9|g' bench/sort.cpp
again="Or approve all anew once it is committed, in three sessions, which tell more of how times differ than one: rm -r baselines/google_benchmark/a-processor && WARPGAUGE_DEVICE=a\\ processor bash ci/warpgauge.sh"
expect 4 "$again" bash ci/warpgauge.sh --against HEAD
expect 4 "$again" bash ci/warpgauge.sh
git checkout -q bench/sort.cpp
expect 0 "a-processor" "$WARPGAUGE" baseline list --baselines baselines/google_benchmark
expect 64 "belong into baselines/google_benchmark, not" "$WARPGAUGE" baseline list
sed -i 's/kTime = 112/kTime = 130/' 'bench/the times/times.hpp'
expect 1 "$in_turns" bash ci/warpgauge.sh --allow new
[[ $output == *"regressed: 1 regressed of 1 benchmark"*"rm -r baselines/google_benchmark/a-processor && "* ]] || { echo "turns do not find what is slower: $output"; exit 1; }
sed -i "s/$approved/${approved//[0-9]/a}/" baselines/google_benchmark/a-processor/device.json
expect 1 "Before you approve that, fetch ${approved//[0-9]/a} and measure again" bash ci/warpgauge.sh
: >.gitignore
! git status --short | grep -E ' (build|results)/' || { echo "git would commit what was built or measured"; exit 1; }

# Without a GPU a program cannot be gated, and the script says so as the gate does.
mkdir "$scratch/cuda"
cd "$scratch/cuda"
printf 'project(x LANGUAGES CXX CUDA)\n' >CMakeLists.txt
expect 0 "new: bench/warpgauge/bench.cu" "$WARPGAUGE" init --yes
if [[ $nvcc ]]; then
  expect 0 "" cmake -S bench/warpgauge -B build/warpgauge -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES=90
  expect 0 "" cmake --build build/warpgauge
  [[ -x build/warpgauge/warpgauge_bench ]] || { echo "the program is not where the script looks for it"; exit 1; }
else
  echo "the first benchmark for CUDA is not compiled: there is no nvcc"
fi
for kind in torch triton; do
  mkdir "$scratch/$kind"
  cd "$scratch/$kind"
  echo "import $kind" >a.py
  expect 0 "new: bench/warpgauge_bench.py" "$WARPGAUGE" init --yes
  if command -v python3 >/dev/null; then
    expect 0 "" python3 -c "import ast; ast.parse(open('bench/warpgauge_bench.py').read())"
    # It finds the repository's own modules, for which it is there.
    echo 'print("of the repository")' >mine.py
    { sed '/^import torch$/,$d' bench/warpgauge_bench.py && echo 'import mine'; } >bench/head.py
    expect 0 "of the repository" python3 bench/head.py
  fi
done
