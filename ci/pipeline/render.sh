#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes again what the gates of a run report, from their verdicts alone, by the default branch's own
# program: rendered/report-emulated and rendered/report-gpu, each with summary.md and
# warpgauge.sarif. Judges their results again, too, by that program, the default branch's policy and the
# baselines of the change: `judged` beside the others is the exit status. What the gates left may be the
# work of anyone; nothing else of it is handed on but the number of the pull request, which comment.sh
# checks.
#
#   ci/pipeline/render.sh RUN
#
# From the environment: GH_TOKEN, REPOSITORY (owner/name), HEAD_SHA, which the run is of. To
# GITHUB_OUTPUT: rendered=true where there is anything to show.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 1)) || die "needs the number of a run" 64
: "${HEAD_SHA:?}"
cd "$root"
ci/pipeline/fetch_reports.sh "$1" untrusted

# ours ARGUMENT...: the default branch's program, on files that may be made to take all that there is.
ours() (
  ulimit -v 2000000
  timeout 60 "${build:?source common.sh first}/bin/warpgauge" "$@"
)

# baselines_of NUMBER: those that the pull request would merge, as plain files in judged/baselines, if it
# is at HEAD_SHA. A link among them is a file here, too, and no JSON.
baselines_of() {
  local number
  number=$(head -c 20 "$1" | tr -d '\0\n')
  [[ $number =~ ^[1-9][0-9]{0,8}$ ]] || return
  rm -rf judged
  mkdir judged
  git -c credential.helper='!gh auth git-credential' fetch --quiet --depth 2 origin "refs/pull/$number/merge" &&
    [[ $(git rev-parse --verify --quiet 'FETCH_HEAD^2') == "$HEAD_SHA" ]] &&
    GIT_INDEX_FILE=$PWD/judged/index git -c core.symlinks=false --work-tree=judged \
      checkout --quiet FETCH_HEAD -- baselines
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
    status=0
    ours compare judged/baselines "$measured" --policy ci/policy.toml --quiet >/dev/null 2>&1 || status=$?
    printf '%s\n' "$status" >"$shown/judged"
  fi
done
[[ ! -d rendered ]] || printf 'rendered=true\n' >>"${GITHUB_OUTPUT:-/dev/null}"
