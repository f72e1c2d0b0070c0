#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gitlab_recipe_test.sh SOURCE
#
# The job of docs/guide/pipelines.md by which GitLab judges with the default branch's gate, as it stands
# there, with a warpgauge that only writes a verdict.
# shellcheck disable=SC2016  # the program expands what stands in single quotes
set -euo pipefail
source_root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch GIT_CONFIG_NOSYSTEM=1
failed=0

# shellcheck source=tests/helpers/programs.sh
source "$source_root/tests/helpers/programs.sh"

recipe=$(sed -n '/^judge:$/,/^```$/p' "$source_root/docs/guide/pipelines.md")
sed -n '/^    - |$/,/^```$/p' <<<"$recipe" | sed '1d;$d;s/^      //' >"$scratch/script"
if [[ ! -s $scratch/script || $recipe != *'GIT_DEPTH: "0"'* ]]; then
  echo "the job has no script, or no whole clone: $recipe"
  exit 1
fi

# A change of a revision that has baselines.
cd "$scratch"
git init --quiet project
cd project
git config user.name Ada
git config user.email ada@example.org
mkdir baselines
echo approved >baselines/device.json
git add baselines
git commit --quiet --message base
base=$(git rev-parse HEAD)
echo edited >baselines/device.json

# Writes a verdict of that kind, and ends so.
program "$scratch/path/warpgauge" 'echo "$*" >>../asked' \
  'cat judged/baselines/device.json >>../asked 2>&1 || true' \
  'while (($# > 1)); do [[ $1 != --json ]] || file=$2; shift; done' \
  'echo "{\"after\":{\"session\":{\"device\":{\"kind\":\"$KIND\"}}}}" >"$file"' 'exit "$STATUS"'
export PATH=$scratch/path:$PATH KIND=emulated STATUS=0
export DEVICE=emulated POLICY=policy.toml CI_DEFAULT_BRANCH=main
export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_MERGE_REQUEST_DIFF_BASE_SHA=$base

# expect WHAT STATUS TEXT [NAME=VALUE...]: how it ends, and what it or the program says among other things.
expect() {
  local what=$1 status=$2 text=$3 got=0 said
  shift 3
  rm -rf judged ../asked
  said=$(env "$@" bash "$scratch/script" 2>&1) || got=$?
  [[ ! -e ../asked ]] || said+=$(<../asked)
  [[ $got == "$status" && $said == *"$text"* ]] && return
  failed=1
  echo "$what: ended with $got instead of $status, or does not say '$text': $said"
}

expect "by the baselines of the base, not by the change's" 0 approved
expect "by the policy that is named" 0 "compare baselines results/results.json --policy policy.toml --identity-from judged/baselines"
expect "the verdict's status is the job's" 1 approved STATUS=1
expect "into another branch nothing is judged" 4 "Merged into feature, not main" CI_MERGE_REQUEST_TARGET_BRANCH_NAME=feature
[[ ! -e ../asked ]] || { echo "judged all the same" && failed=1; }
expect "results of another kind of device" 4 "not of the kind of device 'emulated'" KIND=gpu
expect "results of a device that the job has" 0 approved KIND=gpu DEVICE=gpu

# Without baselines there, by none; where they cannot be had, not at all.
program "$scratch/path/git" '[[ $1 != archive ]] || { head -c 10240 /dev/zero; echo "no archive" >&2; exit 1; }' \
  'PATH=${PATH#*:} exec git "$@"'
expect "what fails on the way fails" 1 "no archive"
[[ ! -e ../asked ]] || { echo "judged without the base" && failed=1; }
rm "$scratch/path/git"
git rm --quiet -r --cached baselines
git commit --quiet --message none
expect "a base without baselines" 0 "--identity-from judged/baselines" CI_MERGE_REQUEST_DIFF_BASE_SHA="$(git rev-parse HEAD)"

exit "$failed"
