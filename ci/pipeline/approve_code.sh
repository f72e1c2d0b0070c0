#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# After a run on the default branch: takes machine code, launches, input and counters of what passed into
# the baselines, and leaves the edit as baselines.patch; neither times nor anchors move. Runs the default
# branch's own code; what is in CHANGE and in the results is data.
#
#   ci/pipeline/approve_code.sh RUN CHANGE
#
# RUN: of gate.yml or nightly.yml. A night may be red for its anchors, its history or the other device: of
# each gate its own verdict counts. CHANGE: a clone of the revision that was measured.
# From the environment: GH_TOKEN, REPOSITORY (owner/name), HEAD_SHA. To GITHUB_OUTPUT: patch=true where
# there is anything to commit.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"
source "$(dirname "$0")/approving.sh"

(($# == 2)) || die "needs the number of a run and a clone of the revision that it measured" 64
run=$1
change=$(cd "$2" && pwd)
: "${REPOSITORY:?}" "${HEAD_SHA:?}"
cd "$root"

command -v jq >/dev/null || die "jq is not on the PATH: it is needed to read verdicts"
fetch_results "$run"
# limited COMMAND...: on files that may be made to take all that there is.
limited() (
  ulimit -v 2000000
  timeout 60 "$@"
)

# says_passed VERDICT: whether that is what stands there, true or not.
says_passed() {
  is_file "$1" && [[ $(limited jq .exit_status "$1") == 0 ]]
}

# is_sound VERDICT: whether the branch's own program reads it, which refuses one that contradicts itself.
is_sound() {
  limited "${build:?source common.sh first}/bin/warpgauge" report "$1" >/dev/null
}

passed=()
for each in "${results[@]}"; do
  verdict=${each%/*}/verdict.json
  if ! says_passed "$verdict"; then
    echo "$each is left out: its gate did not pass."
    continue
  fi
  ((${#passed[@]})) || build_warpgauge
  if is_sound "$verdict"; then
    passed+=("$each")
  else
    echo "$each is left out: its verdict cannot be read."
  fi
done
results=("${passed[@]}")
((${#results[@]})) || exit 0
approve_results "$change" "github-actions[bot]" "The code of ${HEAD_SHA:0:12}, whose gate passed" --code-only
if [[ -s baselines.patch ]]; then
  printf 'patch=true\n' >>"${GITHUB_OUTPUT:-/dev/null}"
else
  echo "The baselines say this already."
fi
