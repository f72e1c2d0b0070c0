#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Waits until the gate has ended that an approval started, and says which run that is: GitHub tells no
# workflow of it, because its own token started it.
#
#   ci/pipeline/wait_for_gate.sh RUN
#
# RUN: of approve.yml, which left the revision that it pushed as its artifact `approved`.
# From the environment: GH_TOKEN, REPOSITORY (owner/name). To GITHUB_OUTPUT: run, head_sha, url
# and conclusion, GitHub's word for how it ended. How long it waits is limited by the job that it is a step of.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 1)) || die "needs the number of a run of approve.yml" 64
run=$1
[[ $run =~ ^[0-9]+$ ]] || die "'$run' is no number of a run" 64
: "${REPOSITORY:?}"
# A minute each: how often GitHub may fail to name the gate, as it does until the gate is queued.
most_unanswered=10

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
gh run download "$run" --repo "$REPOSITORY" --name approved --dir "$scratch"
[[ -f $scratch/approved && ! -L $scratch/approved ]] || die "run $run left no revision"
head_sha=$(head -c 41 "$scratch/approved" | tr -d '\0\n')
[[ $head_sha =~ ^[0-9a-f]{40}$ ]] || die "run $run left what is no revision"

runs="repos/$REPOSITORY/actions/workflows/gate.yml/runs?event=workflow_dispatch&head_sha=$head_sha&per_page=1"
unanswered=0
while true; do
  if found=$(gh api "$runs" --jq '.workflow_runs[] | "\(.id) \(.status) \(.conclusion // "")"') &&
    [[ $found =~ ^([0-9]+)\ ([a-z_]+)\ ?([a-z_]*)$ ]]; then
    unanswered=0
    [[ ${BASH_REMATCH[2]} != completed ]] || break
  else
    ((++unanswered < most_unanswered)) ||
      die "no gate of $head_sha is to be found: close and reopen the pull request to start one"
  fi
  sleep 60
done
gate=${BASH_REMATCH[1]} conclusion=${BASH_REMATCH[3]}
url=${GITHUB_SERVER_URL:-https://github.com}/$REPOSITORY/actions/runs/$gate
echo "The gate of $head_sha has ended: $url"
printf 'run=%s\nhead_sha=%s\nurl=%s\nconclusion=%s\n' "$gate" "$head_sha" "$url" "$conclusion" >>"${GITHUB_OUTPUT:-/dev/null}"
