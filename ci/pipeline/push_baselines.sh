#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Commits baselines.patch to the branch of a pull request, and has its gate run again: what GitHub's
# own token pushes starts none. Leaves the revision beside the patch, as `approved`, for who waits for
# that gate.
#
#   ci/pipeline/push_baselines.sh PATCH CHANGE
#
# PATCH is refused if it touches anything but files of baselines. CHANGE: a clone of the revision that
# it was made for, which may push. A branch that has moved on since is not pushed to.
# From the environment: GH_TOKEN, REPOSITORY (owner/name), HEAD_REF (the branch), BASE_REF (what it is
# to be merged into), PULL_REQUEST (its number), APPROVER.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 2)) || die "needs the patch and a clone" 64
patch=$(realpath "$1")
cd "$2"
: "${REPOSITORY:?}" "${HEAD_REF:?}" "${BASE_REF:?}" "${PULL_REQUEST:?}" "${APPROVER:?}"

git apply --index "$patch"
# :mode mode object object status TAB path: plain files, written, changed or removed.
git diff --cached --raw --no-renames >"$patch.files"
baseline='^:(000000|100644) (000000|100644) [0-9a-f]+ [0-9a-f]+ [ADM]'$'\t''baselines/[a-z0-9-]+/[A-Za-z0-9_.-]+\.json$'
while IFS= read -r line; do
  [[ $line =~ $baseline ]] ||
    die "the patch touches what is no baseline: ${line##*$'\t'}"
done <"$patch.files"
[[ -s $patch.files ]] || die "the patch changes nothing"

git -c "user.name=$APPROVER" -c "user.email=$APPROVER@users.noreply.github.com" \
  commit --quiet --message "Approve what #$PULL_REQUEST measured"
git push --quiet origin "HEAD:refs/heads/$HEAD_REF"
gh workflow run gate.yml --repo "$REPOSITORY" --ref "$HEAD_REF" \
  --raw-field "pull_request=$PULL_REQUEST" --raw-field "base=$BASE_REF" ||
  die "the baselines are pushed, but the gate of $HEAD_REF could not be started, as where its gate.yml is older than this: merge $BASE_REF into it and push, which starts one"
git rev-parse HEAD >"${patch%/*}/approved"
# Someone may have taken it off meanwhile.
gh api --silent --method DELETE "repos/$REPOSITORY/issues/$PULL_REQUEST/labels/approve-baseline" ||
  echo "the label approve-baseline could not be taken off: take it off by hand" >&2
