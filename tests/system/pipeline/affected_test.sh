#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affected_test.sh SOURCE
#
# What of this project's own suite a change affects, as the pipeline asks, with programs that only say what they were
# asked.
# shellcheck disable=SC2016  # the programs expand what stands in single quotes
set -euo pipefail
source_root=$1
# shellcheck source=tests/system/pipeline/scripts_project.sh
source "$source_root/tests/system/pipeline/scripts_project.sh"

# A clone of a repository whose branch has moved on since a change began, by EDIT, and a build of the change, whose
# program says that a/x may be affected. What is built is kept with the folder that it is built in.
changed() {
  rm -rf "$scratch/project/build" "$scratch/project/.git" "$scratch/cmake.log"
  (
    cd "$scratch/project"
    git init --quiet --initial-branch=main
    git config user.name a
    git config user.email a@example.com
    mkdir -p kernels baselines/emulated profiling
    echo old | tee kernels/a.cuh baselines/emulated/a.json profiling/a.cpp >/dev/null
    printf '/build\n/build.tar\n' >.gitignore
    git add --all
    git commit --quiet --message base
    git checkout --quiet -b change
    eval "$1"
    git add --all
    git commit --quiet --allow-empty --message change
    git checkout --quiet main
    echo newer >kernels/b.cuh
    git add --all
    git commit --quiet --message newer
    git checkout --quiet change
  )
  program "$scratch/path/nvcc"
  program "$scratch/path/cmake" 'echo "${PWD#'"$scratch"'/}: $*" >>'"$scratch/cmake.log" 'echo "said by cmake"' \
    'mkdir -p build/ci/bin' '[[ $* != *--build* ]] || cat kernels/*.cuh >build/ci/bin/suite_machine_code'
  program "$scratch/project/build/ci/bin/warpgauge" 'echo "$*" >'"$scratch/asked" 'cat "$4" >'"$scratch/before" "echo 'a/x.*'"
}
affected() {
  rm -f "$scratch/outputs" "$scratch/asked"
  GITHUB_OUTPUT=$scratch/outputs AFFECTED=ci/pipeline/affected.sh \
    expect 0 "" "$source_root/package/pipeline/affected.sh"
}

begin "what a change affects is asked of its build and one of where it began"
changed 'echo new >kernels/a.cuh'
GPU_ARCHITECTURES='80;90' MERGE_BASE=main affected
base=$scratch/project/build/base/build/ci/bin own=$scratch/project/build/ci/bin
[[ $(<"$scratch/outputs") == $'gpu=true\nfilter=a/x.*' ]] || complain "$(<"$scratch/outputs")$output"
expect_file "$scratch/asked" "affected --as-filter --before $base/suite_machine_code --after $own/suite_machine_code --suite-before $base/suite_emulated --suite $own/suite_emulated"
[[ $(<"$scratch/before") == old ]] || complain "not built where the change began: $(<"$scratch/before")"
expect_file "$scratch/cmake.log" "project: --build --preset ci --target suite_machine_code"
expect_file "$scratch/cmake.log" "-DWARPGAUGE_CUDA=ON -DWARPGAUGE_TESTS=OFF -DWARPGAUGE_PAGE=OFF -DCMAKE_CUDA_ARCHITECTURES=80;90"
expect_file "$scratch/cmake.log" "project/build/base: --build --preset ci --target suite_machine_code suite_emulated"
[[ $(cd "$scratch/project" && MERGE_BASE=main ci/pipeline/affected.sh 2>/dev/null) == 'a/x.*' ]] || complain "prints more"

begin "a checkout of another user is asked, too"
changed 'echo new >kernels/a.cuh'
GIT_TEST_ASSUME_DIFFERENT_OWNER=1 MERGE_BASE=main affected
expect_file "$scratch/outputs" 'filter=a/x.*'

begin "a change that affects no benchmark needs no GPU"
changed 'echo new >README.md'
program "$scratch/project/build/ci/bin/warpgauge" 'exit 0'
MERGE_BASE=main affected
[[ $(<"$scratch/outputs") == $'gpu=false\nfilter=' ]] || complain "$(<"$scratch/outputs")$output"

begin "on the default branch, and where a change edits what gates it, all is gated and nothing more is built"
for edit in 'echo new >baselines/emulated/a.json' 'echo new >profiling/a.cpp' 'echo "#" >>ci/pipeline/gate.sh' \
  'echo "#" >ci/policy.toml' 'mkdir ci/statistics; echo "#" >ci/statistics/a.cpp' 'mkdir benchmarks; echo >benchmarks/a.cu' 'mkdir -p .github/workflows; echo "#" >.github/workflows/gate.yml' ''; do
  changed "$edit"
  MERGE_BASE=${edit:+main} affected
  [[ $(<"$scratch/outputs") == $'gpu=true\nfilter=.' && $output == *"Everything is gated: "* ]] ||
    complain "'$edit': $(<"$scratch/outputs")$output"
  expect_no_file "$scratch/cmake.log"
done

begin "where the base is not found or not built, or the question fails, all is gated"
for trouble in 'MERGE_BASE=nowhere' 'program "$scratch/path/cmake" "[[ \$PWD != */base || \$* != *--build* ]]"' \
  'program "$scratch/path/cmake" "[[ \$PWD != */base || \$* == *--build* ]]"' \
  'program "$scratch/path/git" "[[ \$1 != archive ]] || exit 1; PATH=$original_path exec git \"\$@\""' \
  'program "$scratch/project/build/ci/bin/warpgauge" "echo a/x; exit 4"'; do
  changed 'echo new >kernels/a.cuh'
  MERGE_BASE=main
  eval "$trouble"
  export MERGE_BASE
  affected
  unset MERGE_BASE
  rm -f "$scratch/path/git"
  [[ $(<"$scratch/outputs") == $'gpu=true\nfilter=.' && $output == *"everything is gated: 'ci/pipeline/affected.sh' failed"* ]] ||
    complain "'$trouble': $(<"$scratch/outputs")$output"
done

exit "$failed"
