#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Approves what the gates of a pull request measured: fetches their results, makes them the baseline,
# and leaves the edit as baselines.patch. Runs code of the branch that is merged into only; what is in
# CHANGE and in the results is data.
#
#   ci/pipeline/approve.sh CHANGE
#
# CHANGE: a clone of the pull request's revision.
# From the environment: GH_TOKEN, REPOSITORY (owner/name), HEAD_SHA, PULL_REQUEST (its number),
# TITLE (its title) and APPROVER (who approves).
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"
source "$(dirname "$0")/approving.sh"

(($# == 1)) || die "needs a clone of the pull request's revision" 64
change=$(cd "$1" && pwd)
: "${REPOSITORY:?}" "${HEAD_SHA:?}" "${PULL_REQUEST:?}" "${APPROVER:?}"
cd "$root"

# Anyone may open a pull request at the same revision, from a fork and into another branch, whose gate then
# measures what would be merged there.
run=$(gh api "repos/$REPOSITORY/actions/workflows/gate.yml/runs?head_sha=$HEAD_SHA&per_page=100" \
  --jq 'first(.workflow_runs[] | select(.head_repository.full_name == env.REPOSITORY)) |
    select(.status == "completed") | .id')
[[ $run =~ ^[0-9]+$ ]] || die "no gate of $HEAD_SHA has ended: approve when it has"
fetch_results "$run"
((${#results[@]})) || die "run $run left no results to approve"
approve_results "$change" "$APPROVER" "#$PULL_REQUEST: ${TITLE:-no title}"
[[ -s baselines.patch ]] || die "nothing to approve: the baselines say this already" 3
