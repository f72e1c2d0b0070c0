#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts_test.sh SOURCE WARPGAUGE
#
# The scripts of the pipelines, with programs that only say what they were asked, and a gh that
# answers from files.
# shellcheck disable=SC2016  # the programs expand what stands in single quotes
set -euo pipefail
source_root=$1
warpgauge=$2
# shellcheck source=tests/system/pipeline/scripts_project.sh
source "$source_root/tests/system/pipeline/scripts_project.sh"

# --- gate.sh

# A gate that reports and ends with the status.
gate() {
  git -C "$scratch/project" init --quiet
  program "$scratch/project/ci/gate.sh" 'echo "gate: $*"' 'echo "### summary" >results/summary.md' \
    'echo "::error::slower" >results/annotations' "exit $1"
}

begin "the gate's exit status is the pipeline's, and its reports are shown"
gate 1
export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$scratch/summary PULL_REQUEST=12 MERGE_BASE=origin/main
expect 1 "--merge-base=origin/main" ci/pipeline/gate.sh
expect 1 "--report sarif=results/warpgauge.sarif --report github=results/annotations" ci/pipeline/gate.sh
expect 1 $'\n::error::slower' ci/pipeline/gate.sh
expect_file "$scratch/summary" "### summary"
expect_file "$scratch/project/results/pull_request" 12
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY PULL_REQUEST MERGE_BASE

begin "without a merge base, a pull request or GitHub none is named"
gate 0
expect 0 "gate: --report" ci/pipeline/gate.sh
[[ $output != *--merge-base* && $output != *::error* ]] || complain "$output"
expect_no_file "$scratch/project/results/pull_request"

begin "reports of an earlier gate are not this one's when it ends early, and not lost"
gate 0
expect 0 "" ci/pipeline/gate.sh
echo results >"$scratch/project/results/results.json"
program "$scratch/project/ci/gate.sh" 'exit 4'
for _ in first second; do
  expect 4 "" ci/pipeline/gate.sh
  expect_no_file "$scratch/project/results/summary.md"
  expect_file "$scratch/project/build/earlier-results/summary.md" summary
  expect_file "$scratch/project/build/earlier-results/results.json" results
done

begin "reports that stand there without results do not take the place of whole ones"
gate 0
expect 0 "" ci/pipeline/gate.sh
echo results >"$scratch/project/results/results.json"
expect 0 "" ci/pipeline/gate.sh
echo '### of no results' >"$scratch/project/results/summary.md"
program "$scratch/project/ci/gate.sh" 'exit 4'
for _ in first second; do
  expect 4 "" ci/pipeline/gate.sh
  [[ ! $(ls -A "$scratch/project/results") ]] || complain "$(ls -A "$scratch/project/results")"
  expect_file "$scratch/project/build/earlier-results/results.json" results
  expect_file "$scratch/project/build/earlier-results/annotations" slower
  expect_file "$scratch/project/build/unfinished-results/summary.md" "of no results"
done

begin "what is of no gate is kept, however many gates follow"
gate 0
for whole in '' whole; do
  rm -rf "$scratch/project/build" "$scratch/project/results"
  mkdir -p "$scratch/project/results/my notes"
  echo mine >"$scratch/project/results/my notes/a.txt"
  echo mine >"$scratch/project/results/.hidden"
  echo listed >"$scratch/project/results/page.html"
  echo page.html >"$scratch/project/results/.reports"
  [[ ! $whole ]] || echo results >"$scratch/project/results/results.json"
  expect 0 "results/my\\ notes is of no gate: it is in build/kept-results-" ci/pipeline/gate.sh
  for _ in second third; do
    echo results >"$scratch/project/results/results.json"
    expect 0 "" ci/pipeline/gate.sh
    [[ $output != *"of no gate"* ]] || complain "$output"
  done
  kept=("$scratch/project/build/kept-results-"*)
  ((${#kept[@]} == 1)) || complain "${kept[*]}"
  expect_file "${kept[0]}/my notes/a.txt" mine
  expect_file "${kept[0]}/.hidden" mine
  expect_no_file "${kept[0]}/page.html"
done

begin "what a change brings into results is refused where it is"
gate 0
mkdir -p "$scratch/project/results"
echo anything >"$scratch/project/results/notes"
git -C "$scratch/project" add --force results/notes
expect 4 "git tracks results/notes" ci/pipeline/gate.sh
expect_file "$scratch/project/results/notes" anything

begin "results of an earlier gate are not this one's where it does not even begin"
gate 0
mkdir -p "$scratch/project/results"
echo results >"$scratch/project/results/results.json"
program "$scratch/project/ci/scripts/setup.sh" 'exit 4'
expect 4 "" ci/pipeline/gate.sh
expect_no_file "$scratch/project/results/results.json"
expect_file "$scratch/project/build/earlier-results/results.json" results

begin "a history among the results is kept"
gate 0
mkdir -p "$scratch/project/results"
for file in history.sqlite history.sqlite-wal; do echo runs >"$scratch/project/results/$file"; done
echo results >"$scratch/project/results/results.json"
for _ in first second; do
  expect 0 "" ci/pipeline/gate.sh
  expect_file "$scratch/project/history.sqlite" runs
  expect_file "$scratch/project/history.sqlite-wal" runs
done
echo other >"$scratch/project/results/history.sqlite"
echo results >"$scratch/project/results/results.json"
for _ in first second; do
  expect 0 "" ci/pipeline/gate.sh
  expect_file "$scratch/project/history.sqlite" runs
  expect_file "$scratch/project/results/history.sqlite" other
  echo results >"$scratch/project/results/results.json"
done

begin "what was packed elsewhere is measured, executable, and installs nothing"
gate 0
program "$scratch/project/ci/scripts/setup.sh" "echo \"\$*\" >$scratch/installed"
mkdir -p "$scratch/build/bin"
program "$scratch/build/bin/warpgauge"
tar -cf "$scratch/project/build.tar" -C "$scratch/build" bin/warpgauge
expect 0 "gate: --prebuilt build/packed" ci/pipeline/gate.sh build.tar
[[ -x $scratch/project/build/packed/bin/warpgauge ]] || complain "is not executable"
expect_no_file "$scratch/installed"
expect 0 "" ci/pipeline/gate.sh
expect_file "$scratch/installed" page

begin "options are the gate's"
gate 0
expect 0 "junit=results/junit.xml --report html=results/report.html --all" ci/pipeline/gate.sh --all

begin "what is affected alone is gated, and everything without a filter"
gate 0
FILTER='a/padded/.*|b/x y' expect 0 "html=results/report.html --filter=a/padded/.*|b/x y" ci/pipeline/gate.sh
for filter in . ''; do
  FILTER=$filter expect 0 "gate: --report" ci/pipeline/gate.sh
  [[ $output != *--filter* ]] || complain "$output"
done

begin "a checkout of another user is trusted for as long as the gate runs"
gate 0
program "$scratch/project/ci/gate.sh" 'git rev-parse --git-dir && echo trusted'
GIT_TEST_ASSUME_DIFFERENT_OWNER=1 expect 0 trusted ci/pipeline/gate.sh
! git config --global --get-all safe.directory || complain "trusted for good"

begin "what only this machine may write is in no change"
for tracked in build/ci/CMakeCache.txt results/results.json history.sqlite-journal history.sqlite; do
  gate 0
  mkdir -p "$(dirname "$scratch/project/$tracked")"
  echo anything >"$scratch/project/$tracked"
  git -C "$scratch/project" add --force "$tracked"
  for script in pipeline/gate.sh pipeline/build.sh pipeline/nightly.sh; do
    program "$scratch/path/nvcc"
    expect 4 "git tracks $tracked, which only a build or a pipeline may write" "ci/$script"
    GIT_TEST_ASSUME_DIFFERENT_OWNER=1 expect 4 "git tracks $tracked" "ci/$script"
  done
  rm -rf "$scratch/project/.git" "${scratch:?}/project/${tracked%%/*}"
done

# --- the pipelines that `warpgauge init` writes

# A release whose program measures nothing, and the script that init writes, which gates with it.
initialised() {
  local release=$scratch/release
  mkdir -p "$release/share/warpgauge"
  cp -r "$source_root/package/pipeline" "$release/share/warpgauge"
  program "$release/bin/warpgauge" 'echo "warpgauge: $*"' 'case $1 in' \
    'report) while (($# > 1)); do case $1 in --out) echo "::error::of $format" >"$2" ;; --format) format=$2 ;; esac; shift; done ;;' \
    "gate) mkdir -p results; echo {} >results/verdict.json; echo '### summary' >results/summary.md; exit $1 ;;" 'esac'
  ln -s "$release/bin/warpgauge" "$scratch/path/warpgauge"
  "$warpgauge" init --quiet --yes --root "$scratch/project" >"$scratch/init.log"
  sed -i 's|build/your_program|true|' "$scratch/project/ci/warpgauge.sh"
}
# step HOST: what the pipeline of that host runs to gate.
step() {
  case $1 in
  github) sed -n 's/^        run: @CCACHE@\(bash .*gate\.sh.*\)/export SCRIPT=ci\/warpgauge.sh; \1/p' "$source_root/ci/init/templates/github.yml.in" ;;
  gitlab) sed -n 's/^\(@SETUP@\)\?    - \(.*SCRIPT=.*\|bash .*\)/\2/p' "$source_root/ci/init/templates/gitlab.yml.in" ;;
  esac
}

for host in github gitlab; do
  begin "the pipeline of init for $host leaves every report and ends as the gate"
  for status in 0 1 3; do
    rm -rf "$scratch/release" "$scratch/path/warpgauge" "$scratch/project/results" "$scratch/summary"
    initialised "$status"
    GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$scratch/summary MERGE_BASE=origin/main CI_MERGE_REQUEST_DIFF_BASE_SHA=origin/main \
      expect "$status" $'\n::error::of github' bash -euc "$(step "$host")"
    [[ $output == *"warpgauge: gate "*" --merge-base=origin/main -- true"* ]] || complain "$output"
    for report in warpgauge.sarif annotations code-quality.json junit.xml report.html summary.md; do
      [[ -s $scratch/project/results/$report ]] || complain "there is no $report: $output"
    done
    expect_file "$scratch/summary" "### summary"
  done
done

# The last step of the workflow, with results of the gate in gh's answers.
commented() {
  mkdir -p "$scratch/gh/warpgauge"
  [[ ! ${1:-} ]] || echo "$1" >"$scratch/gh/warpgauge/summary.md"
  answer repos/owner/name/actions/runs/7/artifacts "$([[ ${1:-} ]] && echo 1 || echo 0)"
  GH_REPO=owner/name GITHUB_RUN_ID=7 PULL_REQUEST=12 expect 0 "" \
    bash -eo pipefail -c "$(sed -n '/^  comment:/,$s/^          //p' "$source_root/ci/init/templates/github.yml.in" | sed '/^[A-Z_]*: /d')"
}
comments=repos/owner/name/issues/12/comments
begin "the workflow of init comments, and rewrites its own comment"
answer $comments ''
commented '### slower'
expect_asked "--method POST $comments --field body=@body.md"
expect_file "$scratch/gh/body.1" $'<!-- warpgauge -->\n### slower'
answer $comments $'https://api.github.com/repos/owner/name/issues/comments/5\nhttps://api.github.com/later'
commented '### faster'
expect_asked "--method PATCH https://api.github.com/repos/owner/name/issues/comments/5 --field"

begin "the workflow of init comments nothing where the gate left nothing"
commented ''
expect_not_asked --method

# --- nightly.sh

# night GATE SINCE CHANGES KIND: how the gate of everything, that since the anchors and the history's
# changes end, and on what: gpu or emulated.
night() {
  mkdir -p "$scratch/project/baselines/nvidia-h200"
  echo '  "anchors": {' >"$scratch/project/baselines/nvidia-h200/device.json"
  program "$scratch/project/build/ci/bin/suite_gpu" "[[ \$* == --warpgauge_device && $4 == gpu ]]"
  git -C "$scratch/project" init --quiet
  program "$scratch/project/ci/gate.sh" 'echo "gate: $*"' \
    'if [[ $* == --since-anchor ]]; then mkdir -p results/since-anchor' \
    '  echo "### since" >results/since-anchor/summary.md' "  exit $2; fi" \
    'echo "{}" >results/results.json' "exit $1"
  program "$scratch/project/build/ci/bin/warpgauge" 'echo "warpgauge: $*"' \
    '[[ $2 != changes ]] || exit '"$3"
}

begin "at night everything is timed, recorded and held against its anchors"
night 0 0 0 gpu
GITHUB_STEP_SUMMARY=$scratch/summary expect 0 "gate: --report" ci/pipeline/nightly.sh
for part in " --all" "history record results/results.json --history history.sqlite" \
  "history changes --history history.sqlite --fail-within 7" "gate: --since-anchor"; do
  [[ $output == *"$part"* ]] || complain "not '$part': $output"
done
expect_file "$scratch/summary" "### since"
HISTORY=postgresql://there/x FAIL_WITHIN=3 expect 0 \
  "history changes --history postgresql://there/x --fail-within 3" ci/pipeline/nightly.sh

begin "a night that begins a history says so"
night 0 0 0 gpu
GITHUB_ACTIONS=true expect 0 $'\n::warning title=A new history::There is no history here' ci/pipeline/nightly.sh
expect 0 $'\nThere is no history here' ci/pipeline/nightly.sh
HISTORY=postgresql://there/x expect 0 "" ci/pipeline/nightly.sh
[[ $output != *"no history"* ]] || complain "$output"
echo runs >"$scratch/project/history.sqlite"
expect 0 "" ci/pipeline/nightly.sh
[[ $output != *"no history"* ]] || complain "$output"

begin "a night ends as its gravest part, and goes on after each"
for ends in '1 0 0 1' '0 1 0 1' '0 0 1 1' '3 0 0 3' '3 1 0 1' '1 4 3 4' '0 64 0 4' '0 139 1 4'; do
  read -r all since changes status <<<"$ends"
  night "$all" "$since" "$changes" gpu
  expect "$status" "gate: --since-anchor" ci/pipeline/nightly.sh
done

begin "what has no clock is held against no anchor"
night 0 1 0 emulated
expect 0 "history changes" ci/pipeline/nightly.sh
[[ $output != *since-anchor* ]] || complain "$output"

begin "a gate without results leaves nothing to record, and the anchors are asked all the same"
night 0 0 0 gpu
program "$scratch/project/ci/gate.sh" 'echo "gate: $*"' '[[ $* == --since-anchor ]] || exit 4'
expect 4 "gate: --since-anchor" ci/pipeline/nightly.sh
[[ $output != *warpgauge:* ]] || complain "$output"

begin "without an anchor anywhere the night says so, and is not red for it"
night 0 3 0 gpu
for device in '{"sessions": {}}' ''; do
  echo "$device" >"$scratch/project/baselines/nvidia-h200/device.json"
  expect 0 "No benchmark has an anchor yet" ci/pipeline/nightly.sh
  [[ $output != *--since-anchor* ]] || complain "$output"
  rm -r "$scratch/project/baselines"
  expect 0 "No benchmark has an anchor yet" ci/pipeline/nightly.sh
  mkdir -p "$scratch/project/baselines/nvidia-h200"
done

# --- build.sh

begin "without nvcc nothing is built for a GPU"
program "$scratch/path/nvcc"
rm "$scratch/path/nvcc"
if ! command -v nvcc >/dev/null; then expect 4 "nvcc is not on the PATH" ci/pipeline/build.sh; fi

begin "a build for a GPU is for its architecture, and packed"
program "$scratch/path/nvcc"
program "$scratch/path/cmake" 'echo "$*" >>"'"$scratch"'/cmake.log"' 'mkdir -p build/ci/bin' \
  'touch build/ci/bin/{warpgauge,suite_emulated,suite_gpu,other}'
expect 0 "" ci/pipeline/build.sh
expect_file "$scratch/cmake.log" "-DWARPGAUGE_CUDA=ON -DWARPGAUGE_TESTS=OFF -DCMAKE_CUDA_ARCHITECTURES=90"
[[ $(tar -tf "$scratch/project/build.tar" | tr '\n' ' ') == 'bin/warpgauge bin/suite_emulated bin/suite_gpu ' ]] ||
  complain "$(tar -tf "$scratch/project/build.tar")"
GPU_ARCHITECTURES='80;90' expect 0 "" ci/pipeline/build.sh
expect_file "$scratch/cmake.log" "-DCMAKE_CUDA_ARCHITECTURES=80;90"

# --- fetch_reports.sh

begin "the reports that there are are fetched, each into a folder of its own"
answer repos/owner/name/actions/runs/7/artifacts $'build\nreport-emulated\nreport-gpu-too\n'
mkdir -p "$scratch/gh/report-emulated"
echo text >"$scratch/gh/report-emulated/summary.md"
expect 0 "" ci/pipeline/fetch_reports.sh 7 untrusted
expect_file "$scratch/project/untrusted/report-emulated/summary.md" text
expect_no_file "$scratch/project/untrusted/report-gpu"
expect 64 "is no number of a run" ci/pipeline/fetch_reports.sh '7; id' untrusted

# --- render.sh

# What a fork left of a gate, and a program of ours that is built of what is checked out here.
left() {
  answer repos/owner/name/actions/runs/7/artifacts $'report-emulated\n'
  mkdir -p "$scratch/gh/report-emulated"
  echo 12 >"$scratch/gh/report-emulated/pull_request"
  echo '{"verdict": 1}' >"$scratch/gh/report-emulated/verdict.json"
  echo 'their summary' >"$scratch/gh/report-emulated/summary.md"
  echo '{"name": "CodeQL"}' >"$scratch/gh/report-emulated/warpgauge.sarif"
  program "$scratch/ours" 'echo "$*" >>'"$scratch/ours.log" "[[ \$* != *$1* ]] || exit 4" 'echo "ours: $4" >"${@: -1}"'
  program "$scratch/path/cmake" 'echo "$*" >>'"$scratch/cmake.log" \
    'mkdir -p build/ci/bin; cp '"$scratch"'/ours build/ci/bin/warpgauge'
}
render() { expect "$1" "$2" env GITHUB_OUTPUT="$scratch/outputs" ci/pipeline/render.sh 7; }

begin "what is shown is made again from the verdict, and nothing else of a fork's report goes on"
left nothing
render 0 ""
expect_file "$scratch/project/rendered/report-emulated/summary.md" "ours: markdown"
expect_file "$scratch/project/rendered/report-emulated/warpgauge.sarif" "ours: sarif"
expect_file "$scratch/project/rendered/report-emulated/pull_request" 12
[[ $(ls "$scratch/project/rendered/report-emulated") == $'pull_request\nsummary.md\nwarpgauge.sarif' ]] ||
  complain "$(ls "$scratch/project/rendered/report-emulated")"
expect_file "$scratch/ours.log" "report untrusted/report-emulated/verdict.json --format sarif"
expect_file "$scratch/cmake.log" "--build --preset ci --target warpgauge"
expect_file "$scratch/outputs" "rendered=true"
expect_no_file "$scratch/project/rendered/report-gpu"

begin "a verdict that cannot be read is said to be one, and has no findings"
left "markdown"
render 0 ""
expect_file "$scratch/project/rendered/report-emulated/summary.md" "cannot read the verdict"
expect_no_file "$scratch/project/rendered/report-emulated/warpgauge.sarif"
left "sarif"
render 0 ""
expect_file "$scratch/project/rendered/report-emulated/summary.md" "ours: markdown"
expect_no_file "$scratch/project/rendered/report-emulated/warpgauge.sarif"

# A pull request's merge into main, which brings a baseline and a link out of the checkout.
would_merge() {
  rm -rf "$scratch/origin" "$scratch/project/.git"
  git init --quiet --initial-branch main "$scratch/origin"
  (
    cd "$scratch/origin"
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    if [[ ! ${1:-} ]]; then
      mkdir -p baselines/emulated
      echo '{"of": "main"}' >baselines/emulated/scan.json
      git add baselines
    fi
    git commit --quiet --allow-empty --message base
    git checkout --quiet -b change
    mkdir -p baselines/emulated
    echo '{"of": "the change"}' >baselines/emulated/scan.json
    ln -s /etc/passwd baselines/emulated/device.json
    git add baselines
    git commit --quiet --message change
    git checkout --quiet main
    git merge --quiet --no-ff --message merge change
    git update-ref refs/pull/12/merge HEAD
  )
  HEAD_SHA=$(git -C "$scratch/origin" rev-parse change)
  git -C "$scratch/project" init --quiet
  git -C "$scratch/project" remote add origin "$scratch/origin"
  base_sha=$(git -C "$scratch/origin" rev-parse change^)
  answer repos/owner/name main
  answer "repos/owner/name/compare/main...$base_sha" behind
  echo '{"time": 1}' >"$scratch/gh/report-emulated/results.json"
}
# unedited: what would be merged leaves the baselines as they are.
unedited() {
  local merge
  merge=$(git -C "$scratch/origin" -c user.name=a -c user.email=a@b commit-tree -p "$base_sha" -p "$HEAD_SHA" -m merge \
    "${1:-$base_sha^{tree\}}")
  git -C "$scratch/origin" update-ref refs/pull/12/merge "$merge"
}
# edited FILE: the merge edits this file alone.
edited() {
  local blob
  blob=$(echo edited | git -C "$scratch/origin" hash-object -w --stdin)
  export GIT_INDEX_FILE=$scratch/index
  git -C "$scratch/origin" read-tree "$base_sha"
  git -C "$scratch/origin" update-index --add --cacheinfo "100644,$blob,$1"
  unedited "$(git -C "$scratch/origin" write-tree)"
  unset GIT_INDEX_FILE
}
# judged_as KIND [COMMAND...]: what our own program says of results: on what they were measured.
judged_as() {
  local kind=$1
  shift
  program "$scratch/ours" 'echo "$*" >>'"$scratch/ours.log" \
    'if [[ $1 == compare ]]; then while [[ $# -gt 0 && $1 != --json ]]; do shift; done' \
    "  echo '{\"after\":{\"session\":{\"device\":{\"kind\":\"$kind\"}}}}' >\"\$2\"" "$@" \
    'else echo "ours: $4" >"${@: -1}"; fi'
}

begin "what was measured is judged again, with the baselines that would be merged, as plain files"
left "compare"
sed -i '2i [[ $1 != compare ]] || { echo "of a fork"; echo "of a fork" >\&2; }' "$scratch/ours"
would_merge
render 0 ""
[[ $output != *"of a fork"* ]] || complain "the log has what a fork wrote: $output"
expect_file "$scratch/ours.log" "compare judged/change/baselines untrusted/report-emulated/results.json"
expect_file "$scratch/project/rendered/report-emulated/judged" 4
expect_file "$scratch/project/judged/change/baselines/emulated/scan.json" '{"of": "the change"}'
[[ ! -L $scratch/project/judged/change/baselines/emulated/device.json ]] || complain "a link leads out"

begin "which code is the same is read from the default branch's baselines, too, by its policy"
left nothing
would_merge
judged_as emulated
render 0 ""
expect_file "$scratch/ours.log" "--identity-from judged/base/baselines --policy ci/policy.toml"
expect_file "$scratch/project/rendered/report-emulated/judged" 0
expect_file "$scratch/project/judged/base/baselines/emulated/scan.json" '{"of": "main"}'
judged_as emulated "  exit 1"
render 0 ""
expect_file "$scratch/project/rendered/report-emulated/judged" 1

begin "a default branch without baselines knows no code"
left nothing
would_merge nothing
judged_as emulated
render 0 ""
expect_file "$scratch/project/rendered/report-emulated/judged" 0
[[ ! $(ls "$scratch/project/judged/base/baselines") ]] || complain "$(ls "$scratch/project/judged/base/baselines")"

begin "what would be merged into what the default branch has not is not judged"
for answered in diverged ahead ''; do
  left nothing
  would_merge
  judged_as emulated
  answer "repos/owner/name/compare/main...$base_sha" "$answered"
  render 0 ""
  expect_file "$scratch/project/rendered/report-emulated/summary.md" "ours: markdown"
  expect_no_file "$scratch/project/rendered/report-emulated/judged"
done

begin "results of another kind of device than the gate's are not measured"
left nothing
would_merge
cp -r "$scratch/gh/report-emulated" "$scratch/gh/report-gpu"
answer repos/owner/name/actions/runs/7/artifacts $'report-emulated\nreport-gpu\n'
judged_as emulated
render 0 "report-gpu holds results of a device of the kind 'emulated': it counts as not measured"
expect_file "$scratch/project/rendered/report-emulated/judged" 0
expect_file "$scratch/project/rendered/report-gpu/judged" 4
judged_as gpu
render 0 "report-emulated holds results of a device of the kind 'gpu'"
expect_file "$scratch/project/rendered/report-emulated/judged" 4
expect_file "$scratch/project/rendered/report-gpu/judged" 0

begin "of a part that a GPU measured that part is judged, unless there are new baselines or it is the emulator's"
for case in gpu,gpu,1 gpu,emulated,0 gpu,gpu,0,baselines gpu,gpu,0,ci/pipeline/affected.sh gpu,gpu,1,ci/report/a.cpp; do
  IFS=, read -r kind gate is_part edits <<<"$case"
  begin "$what"
  left nothing
  would_merge
  case $edits in '') unedited ;; */*) edited "$edits" ;; esac
  answer repos/owner/name/actions/runs/7/artifacts $'report-emulated\nreport-gpu\n'
  cp -r "$scratch/gh/report-emulated" "$scratch/gh/report-gpu"
  echo '{"context":{"warpgauge":{"filter":"a/x y.*"}}}' >"$scratch/gh/report-$gate/results.json"
  judged_as "$kind"
  render 0 ""
  expect_file "$scratch/project/rendered/report-gpu/judged" 0
  is=0
  [[ $(<"$scratch/ours.log") != *"untrusted/report-$gate/results.json "*" --filter=a/x y.* --json"* ]] || is=1
  [[ $is == "$is_part" ]] || complain "$case: $(<"$scratch/ours.log")"
done

# jobs BUILD GPU: how those of the run ended.
jobs() {
  answer repos/owner/name/actions/runs/7/jobs "$(printf 'emulated success\nbuild %s\ngpu %s' "$1" "$2")"
}
begin "a GPU that no benchmark needed is said to be left out"
left nothing
would_merge
unedited
jobs success skipped
judged_as emulated
render 0 ""
expect_file "$scratch/project/rendered/report-gpu/judged" none
expect_file "$scratch/project/rendered/report-gpu/pull_request" 12
expect_file "$scratch/project/rendered/report-gpu/summary.md" "No GPU was asked for"
jq --exit-status '.runs[0].results == []' "$scratch/project/rendered/report-gpu/warpgauge.sarif" >/dev/null ||
  complain "findings of an earlier commit stay"
expect_asked "repos/owner/name/actions/runs/7/jobs"

begin "a GPU that was not asked for new baselines, or for another reason, is not said to be left out"
for case in success,skipped,baselines success,skipped,.github/workflows/gate.yml success,skipped,benchmarks/a.cu \
  skipped,skipped failure,skipped success,failure success,null success,skipped,moved; do
  IFS=, read -r built gpu why <<<"$case"
  begin "$what"
  left nothing
  would_merge
  case $why in baselines) ;; */*) edited "$why" ;; *) unedited ;; esac
  [[ $why != moved ]] || HEAD_SHA=$head_sha
  jobs "$built" "$gpu"
  judged_as emulated
  render 0 ""
  expect_file "$scratch/project/rendered/report-emulated/summary.md" "ours: markdown"
  expect_no_file "$scratch/project/rendered/report-gpu/judged"
done

begin "a pass of which no verdict tells is none"
left nothing
would_merge
judged_as emulated '  rm "$2"'
render 0 ""
expect_file "$scratch/project/rendered/report-emulated/judged" 4

begin "the results of a pull request that has moved on are not judged with its new baselines"
left nothing
would_merge
HEAD_SHA=$head_sha render 0 ""
expect_file "$scratch/project/rendered/report-emulated/summary.md" "ours: markdown"
expect_no_file "$scratch/project/rendered/report-emulated/judged"
echo '12 --upload-pack=touch' >"$scratch/gh/report-emulated/pull_request"
render 0 ""
expect_no_file "$scratch/project/rendered/report-emulated/judged"

begin "where there is no verdict nothing is built"
left nothing
rm "$scratch/gh/report-emulated/verdict.json"
ln -s /etc/passwd "$scratch/gh/report-emulated/verdict.json"
render 0 "report-emulated has no verdict"
expect_no_file "$scratch/cmake.log"
expect_no_file "$scratch/project/rendered/report-emulated/summary.md"

begin "a run that left nothing shows nothing"
answer repos/owner/name/actions/runs/7/artifacts ''
render 0 ""
expect_no_file "$scratch/project/rendered"
expect_no_file "$scratch/outputs"

# --- comment.sh

# A pull request, number 12, at the revision that was measured, and a report of the emulator.
report() {
  answer repos/owner/name/pulls/12 "$head_sha main main"
  answer repos/owner/name/issues/12/comments ''
  mkdir -p "$scratch/project/untrusted/report-emulated"
  echo 12 >"$scratch/project/untrusted/report-emulated/pull_request"
  printf '### Warpgauge: pass\n' >"$scratch/project/untrusted/report-emulated/summary.md"
}
comment() { expect "$1" "$2" env GITHUB_OUTPUT="$scratch/outputs" ci/pipeline/comment.sh untrusted; }

begin "the first report is a new comment"
report
comment 0 "Commented on pull request 12: emulated."
expect_asked "--method POST repos/owner/name/issues/12/comments"
expect_file "$scratch/gh/body.1" "<!-- warpgauge:emulated -->
**emulated** of $head_sha: [log]($RUN_URL). The gate and policy of the default branch say of these results: **nothing**. What follows rests on what the measured code says.

### Warpgauge: pass"
expect_asked "repos/owner/name/statuses/$head_sha --raw-field context=warpgauge emulated, judged by the default branch"
expect_asked "state=failure --raw-field description=not judged"
expect_file "$scratch/outputs" "number=12"
[[ $(<"$scratch/outputs") != *emulated=true* ]] || complain "SARIF where there is none"

begin "what the default branch's own gate says is the first line's and the commit's status"
for said in '0 success pass' '1 failure regressed' '3 failure no verdict' '4 failure not measured' \
  '0x failure not measured' '137 failure not measured' 'none success left out' 'nonesuch failure not measured'; do
  begin "$what"
  report
  read -r status state word <<<"$said"
  echo "$status" >"$scratch/project/untrusted/report-emulated/judged"
  comment 0 ""
  expect_file "$scratch/gh/body.1" "say of these results: **$word"
  expect_asked "state=$state --raw-field description=$word"
done

begin "what would be merged into another branch is not judged by the baselines that it has there"
report
answer repos/owner/name/pulls/12 "$head_sha lenient main"
echo 0 >"$scratch/project/untrusted/report-emulated/judged"
comment 0 ""
expect_asked "state=failure --raw-field description=not judged"

begin "a gate that names another pull request than the first one is not judged by the baselines of that"
report
for gate in emulated gpu; do
  mkdir -p "$scratch/project/untrusted/report-$gate"
  printf '### Warpgauge: pass\n' >"$scratch/project/untrusted/report-$gate/summary.md"
  echo 0 >"$scratch/project/untrusted/report-$gate/judged"
done
echo 13 >"$scratch/project/untrusted/report-gpu/pull_request"
comment 0 "Commented on pull request 12: gpu."
expect_file "$scratch/gh/body.1" "say of these results: **pass"
expect_file "$scratch/gh/body.2" "say of these results: **nothing"
expect_asked "context=warpgauge gpu, judged by the default branch --raw-field target_url=$RUN_URL --raw-field state=failure"

begin "the conclusion is GitHub's own"
report
CONCLUSION=failure comment 0 ""
expect_file "$scratch/gh/body.1" "**emulated** of $head_sha, run ended with failure: [log]($RUN_URL)."
CONCLUSION='success](https://elsewhere)' comment 64 "is no word of GitHub's"

begin "no text of the change's hides what is trusted, or calls someone"
report
printf '%s\n' '<!-- <details>' '&#64;team &#0064;team &#x40;team &#X0040;team &commat;team &#64team' \
  >"$scratch/project/untrusted/report-emulated/summary.md"
comment 0 "Commented"
[[ $(sed -n 2p "$scratch/gh/body.1") == "**emulated** of $head_sha: [log]($RUN_URL)."* ]] ||
  complain "$(cat "$scratch/gh/body.1")"
[[ $(tail -n +2 "$scratch/gh/body.1") != *'<!--'* ]] || complain "hides what follows"
! grep -qiE '&(#|commat)|@[a-z]' "$scratch/gh/body.1" || complain "calls someone: $(cat "$scratch/gh/body.1")"

begin "the next one rewrites it"
report
answer repos/owner/name/issues/12/comments $'345\n678\n'
comment 0 ""
expect_asked "--method PATCH repos/owner/name/issues/comments/345"
expect_not_asked "--method POST repos/owner/name/issues"
expect_asked 'startswith("<!-- warpgauge:emulated -->")'

begin "each gate has a comment of its own, and its findings are uploaded"
report
cp -r "$scratch/project/untrusted/report-emulated" "$scratch/project/untrusted/report-gpu"
echo '{}' >"$scratch/project/untrusted/report-gpu/warpgauge.sarif"
comment 0 "Commented on pull request 12: gpu."
expect_file "$scratch/gh/body.2" "<!-- warpgauge:gpu -->"
expect_file "$scratch/outputs" "gpu=true"
expect_file "$scratch/project/sarif/gpu/warpgauge.sarif" '{}'

begin "a number that is none is refused before anything is asked"
for number in '1 2/../../../user' '../12' '-1' '0' '12;id' '' '$(id)' '99999999999'; do
  report
  printf '%s' "$number" >"$scratch/project/untrusted/report-emulated/pull_request"
  comment 4 "names no pull request"
  expect_not_asked repos
done

begin "a pull request that is at another revision is not commented on"
report
answer repos/owner/name/pulls/12 ffffffffffffffffffffffffffffffffffffffff
comment 0 "is not at $head_sha"
expect_not_asked --method

begin "a link in the report is not followed"
report
ln -sf /etc/passwd "$scratch/project/untrusted/report-emulated/summary.md"
comment 0 "has no summary"
expect_not_asked --method
ln -sf /proc/self/environ "$scratch/project/untrusted/report-emulated/pull_request"
comment 0 "No gate left a report"

begin "a comment is cut to what GitHub takes, is UTF-8 and calls no one"
report
{
  printf '@team \xFF\x00 ü '
  head -c 200000 /dev/zero | tr '\0' '@'
} >"$scratch/project/untrusted/report-emulated/summary.md"
comment 0 "Commented"
(($(wc -m <"$scratch/gh/body.1") < 65536)) || complain "$(wc -m <"$scratch/gh/body.1") characters"
iconv -f UTF-8 -t UTF-8 "$scratch/gh/body.1" >/dev/null || complain "is no UTF-8"
! grep -q '@[a-z]' "$scratch/gh/body.1" || complain "calls someone"
expect_file "$scratch/gh/body.1" "[log]($RUN_URL)"

begin "a long comment is cut"
report
head -c 200000 /dev/zero | tr '\0' 'x' >"$scratch/project/untrusted/report-emulated/summary.md"
comment 0 "Commented"
(($(wc -m <"$scratch/gh/body.1") < 65536)) || complain "$(wc -m <"$scratch/gh/body.1") characters"

begin "what runs into the text of a comment is not executed"
report
printf '$(touch %s/executed) `touch %s/executed` ${{ github.token }}\n' "$scratch" "$scratch" \
  >"$scratch/project/untrusted/report-emulated/summary.md"
comment 0 "Commented"
expect_no_file "$scratch/executed"
expect_file "$scratch/gh/body.1" '$(touch '

begin "findings too large for code scanning are left out"
report
head -c 10000001 /dev/zero >"$scratch/project/untrusted/report-emulated/warpgauge.sarif"
comment 0 "Commented"
expect_no_file "$scratch/project/sarif"

begin "a run without reports comments nothing"
mkdir "$scratch/project/untrusted"
comment 0 "No gate left a report"
expect_not_asked repos

# --- check_owners.sh

owners() {
  export REVISION=$head_sha
  expect "$1" "$2" ci/pipeline/check_owners.sh
}
begin "owners whom GitHub does not know are warned of, in one line"
answer repos/owner/name/codeowners/errors $'4 Unknown owner\n5 Unknown owner\n'
owners 0 "::warning file=CODEOWNERS,line=4,title=Nobody guards baselines and policy::Unknown owner (line 4, 5). GitHub asks nobody"
[[ $output != *$'\n'* ]] || complain "more than a line: $output"
expect_asked "repos/owner/name/codeowners/errors?ref=$head_sha"

begin "owners whom GitHub knows are no reason to warn"
answer repos/owner/name/codeowners/errors ''
owners 0 "GitHub knows every owner"
[[ $output != *::warning* ]] || complain "$output"

begin "what GitHub does not say stops no gate"
owners 0 "CODEOWNERS is not checked"

begin "the words of a CODEOWNERS are no command to the runner"
answer repos/owner/name/codeowners/errors $'4 Unknown owner::error::x\n::error::y\n'
owners 0 "::Not as GitHub reads it. GitHub asks nobody"
[[ $output != *::error* ]] || complain "$output"

# --- approve.sh and push_baselines.sh

# A repository with a branch, and a clone of it at the measured revision.
branch() {
  export PULL_REQUEST=12
  git init --quiet --bare --initial-branch=main "$scratch/origin"
  git clone --quiet "$scratch/origin" "$scratch/project/change" 2>/dev/null
  (
    cd "$scratch/project/change"
    git config user.name Someone
    git config user.email someone@example.com
    mkdir -p baselines/emulated
    echo old >baselines/emulated/scan.json
    git add --all
    git commit --quiet --message base
    git push --quiet origin HEAD:refs/heads/feature 2>/dev/null
  )
}
measured() {
  answer repos/owner/name/actions/workflows/gate.yml/runs 7
  answer repos/owner/name/actions/runs/7/artifacts $'report-emulated\n'
  mkdir -p "$scratch/gh/report-emulated"
  echo '{}' >"$scratch/gh/report-emulated/results.json"
  program "$scratch/path/cmake" 'mkdir -p build/ci/bin' \
    'printf "%s\n" "#!/usr/bin/env bash" "if [[ \$1 == report ]]; then ! grep -q contradicts \$2; exit; fi" "printf \"<%s> \" \"\$@\" >>'"$scratch"'/approve.log" "while [[ \$1 != --baselines ]]; do shift; done; echo new >\"\$2/emulated/scan.json\"" >build/ci/bin/warpgauge' \
    'chmod +x build/ci/bin/warpgauge'
}

begin "what the gate of the revision measured becomes an edit of baselines, and nothing is executed"
branch
measured
program "$scratch/project/change/ci/scripts/setup.sh" "touch $scratch/executed"
expect 0 "" ci/pipeline/approve.sh change
expect_asked "gate.yml/runs?head_sha=$head_sha"
expect_file "$scratch/approve.log" "<approve> <untrusted/report-emulated/results.json> <--baselines> <$scratch/project/change/baselines> <--policy> <$scratch/project/change/ci/policy.toml> <--reason> <#12: $TITLE>"
expect_file "$scratch/project/baselines.patch" "+new"
[[ $(<"$scratch/project/baselines.patch") != *setup.sh* ]] || complain "more than baselines"
expect_no_file "$scratch/executed"
[[ $(git config --global user.name) == reviewer ]] || complain "not as who approves"

begin "a gate that has not ended is not approved"
branch
measured
for runs in '[]' '[{"id": 7, "status": "queued", "head_repository": {"full_name": "owner/name"}},
  {"id": 6, "status": "completed", "head_repository": {"full_name": "owner/name"}}]'; do
  answer repos/owner/name/actions/workflows/gate.yml/runs "{\"workflow_runs\": $runs}"
  expect 4 "no gate of $head_sha has ended" ci/pipeline/approve.sh change
done

begin "the gate of a fork at the same revision, into whatever branch, is not the one that is approved"
branch
measured
answer repos/owner/name/actions/workflows/gate.yml/runs '{"workflow_runs": [
  {"id": 9, "status": "completed", "head_repository": null},
  {"id": 8, "status": "completed", "head_repository": {"full_name": "fork/name"}},
  {"id": 7, "status": "completed", "head_repository": {"full_name": "owner/name"}}]}'
expect 0 "" ci/pipeline/approve.sh change
expect_asked "repos/owner/name/actions/runs/7/artifacts"

begin "baselines that say it already are not approved again"
branch
measured
echo new >"$scratch/project/change/baselines/emulated/scan.json"
git -C "$scratch/project/change" -c user.name=a -c user.email=a@example.com commit --quiet --all --message new
expect 3 "nothing to approve" ci/pipeline/approve.sh change

begin "a link in the change's baselines or to its policy is not followed"
for link in baselines/emulated/scan.json baselines/emulated/new.json baselines/emulated baselines/other baselines \
  ci/policy.toml ci; do
  rm -rf "$scratch/origin" "$scratch/project/change" "$scratch/elsewhere"
  branch
  measured
  mkdir -p "$scratch/elsewhere/emulated" "$scratch/project/change/${link%/*}"
  echo kept >"$scratch/elsewhere/scan.json"
  echo kept >"$scratch/elsewhere/emulated/scan.json"
  target=$scratch/elsewhere
  [[ $link != *.* ]] || target=$scratch/elsewhere/scan.json
  rm -rf "${scratch:?}/project/change/$link"
  ln -s "$target" "$scratch/project/change/$link"
  expect 4 "neither a file nor a folder where its baselines and policy belong: $link" ci/pipeline/approve.sh change
  expect_no_file "$scratch/approve.log"
  [[ $(cat "$scratch/elsewhere/scan.json" "$scratch/elsewhere/emulated/scan.json") == $'kept\nkept' ]] ||
    complain "followed $link"
done

# patch COMMAND: what it does to the clone, as baselines.patch, and undone.
patch() {
  (
    cd "$scratch/project/change"
    eval "$1"
    git add --all
    git diff --cached --binary >"$scratch/project/baselines.patch"
    git reset --quiet --hard
  )
}

begin "the edit is pushed to the branch, the gate started and the label taken off"
branch
patch 'echo new >baselines/emulated/scan.json; mkdir baselines/nvidia-h200; echo 1 >baselines/nvidia-h200/a_b.json'
expect 0 "" ci/pipeline/push_baselines.sh baselines.patch change
[[ $(git -C "$scratch/origin" show feature:baselines/emulated/scan.json) == new ]] || complain "not pushed"
[[ $(git -C "$scratch/origin" log -1 --format='%an %s' feature) == 'reviewer Approve what #12 measured' ]] ||
  complain "$(git -C "$scratch/origin" log -1 feature)"
expect_asked "workflow run gate.yml --repo owner/name --ref feature --raw-field pull_request=12 --raw-field base=main"
[[ $(<"$scratch/project/approved") == $(git -C "$scratch/origin" rev-parse feature) ]] ||
  complain "does not leave the revision: $(<"$scratch/project/approved")"
expect_asked "--method DELETE repos/owner/name/issues/12/labels/approve-baseline"

begin "what is of no pull request is pushed with its own message, and starts nothing"
branch
patch 'echo new >baselines/emulated/scan.json'
MESSAGE='The code of main' PULL_REQUEST='' expect 0 "" ci/pipeline/push_baselines.sh baselines.patch change
[[ $(git -C "$scratch/origin" log -1 --format='%an %s' feature) == 'reviewer The code of main' ]] ||
  complain "$(git -C "$scratch/origin" log -1 feature)"
expect_not_asked workflow
expect_not_asked labels
expect_no_file "$scratch/project/approved"

begin "an edit of anything else is refused"
for edit in 'echo x >README.md' 'mkdir -p .github/workflows; echo x >.github/workflows/a.yml' \
  'ln -s /etc/passwd baselines/emulated/b.json' 'echo x >baselines/emulated/run.sh' \
  'chmod +x baselines/emulated/scan.json' 'echo x >baselines/a.json' 'mkdir baselines/a; echo x >"baselines/a/b c.json"'; do
  rm -rf "$scratch/origin" "$scratch/project/change"
  branch
  patch "$edit"
  expect 4 "the patch touches what is no baseline" ci/pipeline/push_baselines.sh baselines.patch change
  [[ $(git -C "$scratch/origin" rev-list --count feature) == 1 ]] || complain "pushed: $edit"
done
expect_not_asked workflow

begin "a branch that has moved on is not pushed to"
branch
patch 'echo new >baselines/emulated/scan.json'
git clone --quiet --branch feature "$scratch/origin" "$scratch/other"
git -C "$scratch/other" -c user.name=a -c user.email=a@example.com commit --quiet --allow-empty --message more
git -C "$scratch/other" push --quiet origin feature
expect 1 "" ci/pipeline/push_baselines.sh baselines.patch change
expect_not_asked workflow
expect_no_file "$scratch/project/approved"

# merged COMMAND: what somebody else has done to the branch meanwhile.
merged() {
  git clone --quiet --branch feature "$scratch/origin" "$scratch/other"
  (
    cd "$scratch/other"
    eval "$1"
    git add --all
    git -c user.name=a -c user.email=a@example.com commit --quiet --message more
    git push --quiet origin feature
  )
}

begin "what is of no pull request is applied to where the branch is by then"
branch
patch 'echo new >baselines/emulated/scan.json'
merged 'echo more >README.md; echo more >baselines/emulated/sum.json'
MESSAGE='The code of main' PULL_REQUEST='' expect 0 "feature has moved on" ci/pipeline/push_baselines.sh baselines.patch change
[[ $(git -C "$scratch/origin" log --format=%s feature | tr '\n' ' ') == 'The code of main more base ' ]] ||
  complain "$(git -C "$scratch/origin" log feature)"
for file in README.md:more baselines/emulated/sum.json:more baselines/emulated/scan.json:new; do
  [[ $(git -C "$scratch/origin" show "feature:${file%:*}") == "${file#*:}" ]] || complain "not ${file}"
done

begin "a branch that was set back or deleted is not made anew"
branch
patch 'echo new >baselines/emulated/scan.json'
git -C "$scratch/origin" update-ref -d refs/heads/feature
expect 1 "" ci/pipeline/push_baselines.sh baselines.patch change
! git -C "$scratch/origin" rev-parse --verify --quiet feature || complain "pushed"

begin "what no longer fits the branch is not pushed"
branch
patch 'echo new >baselines/emulated/scan.json'
merged 'echo newer >baselines/emulated/scan.json'
MESSAGE='The code of main' PULL_REQUEST='' expect 4 "does not fit feature" ci/pipeline/push_baselines.sh baselines.patch change
[[ $(git -C "$scratch/origin" show feature:baselines/emulated/scan.json) == newer ]] || complain "pushed"

# --- approve_code.sh

# verdict GATE STATUS: what the gate of that device said.
verdict() {
  mkdir -p "$scratch/gh/report-$1"
  echo '{}' >"$scratch/gh/report-$1/results.json"
  echo '{"exit_status":'"$2"',"shortfalls":[{"exit_status":4}]}' >"$scratch/gh/report-$1/verdict.json"
}

begin "of a gate that passed the code alone becomes an edit of baselines"
branch
measured
verdict emulated 0
GITHUB_OUTPUT=$scratch/outputs expect 0 "" ci/pipeline/approve_code.sh 7 change
expect_file "$scratch/approve.log" "<approve> <untrusted/report-emulated/results.json> <--code-only> <--baselines>"
expect_file "$scratch/approve.log" "<--reason> <The code of ${head_sha:0:12}, whose gate passed>"
expect_file "$scratch/project/baselines.patch" "+new"
expect_file "$scratch/outputs" "patch=true"

begin "code that the baselines say already is no edit"
branch
measured
verdict emulated 0
echo new >"$scratch/project/change/baselines/emulated/scan.json"
git -C "$scratch/project/change" -c user.name=a -c user.email=a@example.com commit --quiet --all --message new
GITHUB_OUTPUT=$scratch/outputs expect 0 "say this already" ci/pipeline/approve_code.sh 7 change
expect_no_file "$scratch/outputs"

begin "of a night that is red, the code of the gate that passed becomes an edit"
branch
measured
answer repos/owner/name/actions/runs/7/artifacts $'report-emulated\nreport-gpu\n'
verdict emulated 1
verdict gpu 0
GITHUB_OUTPUT=$scratch/outputs expect 0 "report-emulated/results.json is left out" ci/pipeline/approve_code.sh 7 change
expect_file "$scratch/approve.log" "<approve> <untrusted/report-gpu/results.json> <--code-only>"
[[ $(<"$scratch/approve.log") != *report-emulated* ]] || complain "$(<"$scratch/approve.log")"
expect_file "$scratch/outputs" "patch=true"

begin "where no gate passed, or none says so, nothing is built or approved"
for said in '{"exit_status":3}' '{"shortfalls":[{"exit_status":0}]}' '{"exit_status":"0"}' '0' '' 'link'; do
  rm -rf "$scratch/origin" "$scratch/project/change"
  branch
  measured
  printf '%s' "$said" >"$scratch/gh/report-emulated/verdict.json"
  if [[ $said == link ]]; then
    echo '{"exit_status":0}' >"$scratch/elsewhere"
    ln -sf "$scratch/elsewhere" "$scratch/gh/report-emulated/verdict.json"
  fi
  GITHUB_OUTPUT=$scratch/outputs expect 0 "is left out: its gate did not pass" ci/pipeline/approve_code.sh 7 change
  [[ $output != *Building* ]] || complain "$output"
  expect_no_file "$scratch/outputs"
  expect_no_file "$scratch/approve.log"
done

begin "a verdict that the branch's own program does not read is not believed, whatever status it has"
branch
measured
answer repos/owner/name/actions/runs/7/artifacts $'report-emulated\nreport-gpu\n'
verdict emulated 0
verdict gpu 0
echo '{"exit_status":0,"contradicts":"itself"}' >"$scratch/gh/report-emulated/verdict.json"
GITHUB_OUTPUT=$scratch/outputs expect 0 "report-emulated/results.json is left out: its verdict cannot be read" \
  ci/pipeline/approve_code.sh 7 change
expect_file "$scratch/approve.log" "<approve> <untrusted/report-gpu/results.json> <--code-only>"
[[ $(<"$scratch/approve.log") != *report-emulated* ]] || complain "$(<"$scratch/approve.log")"

# --- wait_for_gate.sh

# An approval, run 8, that pushed the revision, and a gate of it, run 9, as far as this.
gate_runs=repos/owner/name/actions/workflows/gate.yml/runs
approval() {
  mkdir -p "$scratch/gh/approved"
  printf '%s\n' "$1" >"$scratch/gh/approved/approved"
  answer "$gate_runs" "$2"
  program "$scratch/path/sleep" 'echo "$*" >>"'"$scratch"'/sleep.log"'
}
wait_for_gate() { expect "$1" "$2" env GITHUB_OUTPUT="$scratch/outputs" ci/pipeline/wait_for_gate.sh "${3:-8}"; }

begin "the gate that an approval started is waited for, and named"
approval "$head_sha" ''
# Not there yet, queued, running, and then at its end.
program "$scratch/path/sleep" 'echo "$*" >>"'"$scratch"'/sleep.log"' \
  'state=("" "9 queued " "9 in_progress " "9 completed failure")' \
  'printf %s "${state[$(wc -l <"'"$scratch"'/sleep.log")]}" >"'"$scratch/gh/${gate_runs//\//_}"'"'
wait_for_gate 0 "The gate of $head_sha has ended"
expect_asked "run download 8 --repo owner/name --name approved"
expect_asked "$gate_runs?event=workflow_dispatch&head_sha=$head_sha"
expect_file "$scratch/outputs" $'run=9\nhead_sha='"$head_sha"$'\nurl=https://github.com/owner/name/actions/runs/9\nconclusion=failure'
expect_asked '\(.conclusion'
[[ $(wc -l <"$scratch/sleep.log") == 3 ]] || complain "waited: $(<"$scratch/sleep.log")"

begin "a gate that runs for long is waited for, however often GitHub fails to answer in between"
approval "$head_sha" '9 in_progress'
program "$scratch/path/sleep" 'echo "$*" >>"'"$scratch"'/sleep.log"; n=$(wc -l <"'"$scratch"'/sleep.log")' \
  'state="9 in_progress"; ((n % 3)) || state=; ((n < 60)) || state="9 completed"' \
  'printf %s "$state" >"'"$scratch/gh/${gate_runs//\//_}"'"'
wait_for_gate 0 "has ended"

begin "a gate that never starts is not waited for without end"
approval "$head_sha" ''
wait_for_gate 4 "no gate of $head_sha is to be found: close and reopen the pull request"
expect_no_file "$scratch/outputs"

begin "what is no revision is asked nothing about"
for revision in '' main "$head_sha; id" "${head_sha^^}" "$head_sha&event=push" '../../user'; do
  approval "$revision" '9 completed'
  wait_for_gate 4 "left what is no revision"
done
approval "$head_sha" '9 completed'
echo "$head_sha" >"$scratch/elsewhere"
ln -sf "$scratch/elsewhere" "$scratch/gh/approved/approved"
wait_for_gate 4 "left no revision"
expect_not_asked gate.yml
wait_for_gate 64 "is no number of a run" '8; id'

exit "$failed"
