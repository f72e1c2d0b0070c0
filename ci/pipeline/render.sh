#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes again what the gates of a run report, from their verdicts alone, by the default branch's own
# program: rendered/report-emulated and rendered/report-gpu, each with summary.md and
# warpgauge.sarif. Judges their results again, too, by that program, the default branch's policy and the
# baselines of the change; code is the same only if it is by the default branch's baselines, too. `judged`
# beside the others is the exit status, 4 where the results are of another kind of device than the gate, and
# `none` where the run asked for no GPU because its build said that no benchmark is affected.
# What the gates left may be the work of anyone; nothing else of it is handed on but the number of the pull
# request, which comment.sh checks.
#
#   ci/pipeline/render.sh RUN
#
# From the environment: GH_TOKEN, REPOSITORY (owner/name), HEAD_SHA, which the run is of. To
# GITHUB_OUTPUT: rendered=true where there is anything to show.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 1)) || die "needs the number of a run" 64
: "${REPOSITORY:?}" "${HEAD_SHA:?}"
cd "$root"
command -v jq >/dev/null || die "jq is not on the PATH: it is needed to read verdicts"
ci/pipeline/fetch_reports.sh "$1" untrusted

# limited COMMAND...: on files that may be made to take all that there is.
limited() (
  ulimit -v 2000000
  timeout 60 "$@"
)

# ours ARGUMENT...: the default branch's program.
ours() {
  limited "${build:?source common.sh first}/bin/warpgauge" "$@"
}

# baselines_at REVISION FOLDER: as plain files. A link among them is a file here, too, and no JSON.
baselines_at() {
  mkdir -p "$2"
  GIT_INDEX_FILE=$PWD/$2/index git -c core.symlinks=false --work-tree="$2" checkout --quiet "$1" -- baselines
}

# baselines_of NUMBER: in judged/change those that the pull request would merge, if it is at HEAD_SHA, and
# in judged/base those of what it is merged into, which has to be of the default branch.
baselines_of() {
  local number base default
  number=$(head -c 20 "$1" | tr -d '\0\n')
  [[ $number =~ ^[1-9][0-9]{0,8}$ ]] || return
  rm -rf judged
  git -c credential.helper='!gh auth git-credential' fetch --quiet --depth 2 origin "refs/pull/$number/merge" &&
    [[ $(git rev-parse --verify --quiet 'FETCH_HEAD^2') == "$HEAD_SHA" ]] &&
    base=$(git rev-parse --verify --quiet 'FETCH_HEAD^1') || return
  # Whoever may make branches may have made one with baselines that suit, for as long as this takes.
  default=$(gh api "repos/$REPOSITORY" --jq .default_branch) &&
    [[ $(gh api "repos/$REPOSITORY/compare/$default...$base" --jq .status) =~ ^(identical|behind)$ ]] || return
  # Without any there, no code is known to be the same.
  mkdir -p judged/base/baselines
  [[ ! $(git ls-tree "$base" baselines) ]] || baselines_at "$base" judged/base || return
  baselines_at FETCH_HEAD judged/change
}

# is_in_full: whether all has to be gated, since the merge that baselines_of fetched edits what gates. The run asked
# itself, by its own scripts.
is_in_full() {
  edits_gating FETCH_HEAD^1 FETCH_HEAD
}

# is_left_out RUN: whether the run built for a GPU and then asked for none.
is_left_out() {
  local jobs
  jobs=$(gh api "repos/$REPOSITORY/actions/runs/$1/jobs?per_page=100" --jq '.jobs[] | "\(.name) \(.conclusion)"') &&
    grep -qx 'build success' <<<"$jobs" && grep -qx 'gpu skipped' <<<"$jobs"
}

# judge GATE RESULTS: sets `status` to what the default branch's gate says of them.
judge() {
  local kind filter='' said=judged/verdict.json part=()
  rm -f "$said"
  status=0
  # On a GPU only what is affected is measured.
  if [[ $1 == gpu ]] && ! is_in_full; then
    filter=$(limited jq --raw-output '.context.warpgauge.filter // empty' "$2" 2>/dev/null) || filter=
    [[ ! $filter ]] || part=("--filter=$filter")
  fi
  ours compare judged/change/baselines "$2" --identity-from judged/base/baselines --policy ci/policy.toml \
    "${part[@]}" --json "$said" --quiet >/dev/null 2>&1 || status=$?
  if ! is_file "$said"; then
    ((status)) || status=4
    return
  fi
  kind=$(limited jq --raw-output '.after.session.device.kind' "$said" 2>/dev/null) || kind=
  [[ $kind != "$1" ]] || return 0
  echo "report-$1 holds results of a device of the kind '${kind//[^a-z_]/}': it counts as not measured."
  status=4
}

rm -rf rendered
built=
for gate in emulated gpu; do
  verdict=untrusted/report-$gate/verdict.json
  measured=untrusted/report-$gate/results.json
  number=untrusted/report-$gate/pull_request
  shown=rendered/report-$gate
  is_file "$number" || continue
  mkdir -p "$shown"
  head -c 20 "$number" >"$shown/pull_request"
  if ! is_file "$verdict"; then
    echo "report-$gate has no verdict: its job's log says why."
    continue
  fi
  [[ $built ]] || build_warpgauge
  built=1
  if ! ours report "$verdict" --format markdown --out "$shown/summary.md"; then
    echo "This branch's warpgauge cannot read the verdict that the gate left; the gate's own job has it." >"$shown/summary.md"
  elif ! ours report "$verdict" --format sarif --out "$shown/warpgauge.sarif"; then
    rm -f "$shown/warpgauge.sarif"
  fi
  if is_file "$measured" && baselines_of "$number"; then
    judge "$gate" "$measured"
    printf '%s\n' "$status" >"$shown/judged"
  fi
done
number=rendered/report-emulated/pull_request
if [[ ! -d rendered/report-gpu ]] && is_file "$number" && is_left_out "$1" && baselines_of "$number" && ! is_in_full; then
  mkdir rendered/report-gpu
  cp "$number" rendered/report-gpu
  echo none >rendered/report-gpu/judged
  echo "No GPU was asked for: by the change's own build no benchmark is affected." >rendered/report-gpu/summary.md
  # Without findings, so that those of an earlier commit end.
  echo '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Warpgauge"}}, "results": []}]}' \
    >rendered/report-gpu/warpgauge.sarif
fi
[[ ! -d rendered ]] || printf 'rendered=true\n' >>"${GITHUB_OUTPUT:-/dev/null}"
