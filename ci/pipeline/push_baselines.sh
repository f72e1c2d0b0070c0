#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Commits baselines.patch to a branch. Of a pull request, it has the gate run again: what GitHub's own
# token pushes starts none; and leaves the revision beside the patch, as `approved`, for who waits for
# that gate.
#
#   ci/pipeline/push_baselines.sh PATCH CHANGE
#
# PATCH is refused if it touches anything but files of baselines. CHANGE: a clone of the revision that
# it was made for, which may push. Of a pull request, a branch that has moved on since is not pushed to;
# with MESSAGE the patch is applied once more, to where the branch is by then.
# From the environment: HEAD_REF (the branch), APPROVER, and MESSAGE (the commit's), or of a pull request
# GH_TOKEN, REPOSITORY (owner/name), BASE_REF (what it is to be merged into), PULL_REQUEST (its number).
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 2)) || die "needs the patch and a clone" 64
patch=$(realpath "$1")
cd "$2"
: "${HEAD_REF:?}" "${APPROVER:?}"
if [[ ! ${MESSAGE:-} ]]; then
  : "${REPOSITORY:?}" "${BASE_REF:?}" "${PULL_REQUEST:?}"
fi

# commit_patch [OPTION of git apply...]: on what is checked out.
commit_patch() {
  git apply --index "$@" "$patch" || die "the patch does not fit $HEAD_REF: the next gate or night makes another"
  check_patch
  git -c "user.name=$APPROVER" -c "user.email=$APPROVER@users.noreply.github.com" \
    commit --quiet --message "${MESSAGE:-Approve what #${PULL_REQUEST:-} measured}"
}

check_patch() {
  # :mode mode object object status TAB path: plain files, written, changed or removed.
  local line baseline='^:(000000|100644) (000000|100644) [0-9a-f]+ [0-9a-f]+ [ADM]'$'\t''baselines/[a-z0-9-]+/[A-Za-z0-9_.-]+\.json$'
  git diff --cached --raw --no-renames >"$patch.files"
  while IFS= read -r line; do
    [[ $line =~ $baseline ]] ||
      die "the patch touches what is no baseline: ${line##*$'\t'}"
  done <"$patch.files"
  [[ -s $patch.files ]] || die "the patch changes nothing"
}

# push [OPTION of git push...]
push() {
  git push --quiet "$@" origin "HEAD:refs/heads/$HEAD_REF"
}

before=$(git rev-parse HEAD)
commit_patch
if [[ ! ${MESSAGE:-} ]]; then
  # Also not to one that was set back or deleted since.
  push "--force-with-lease=refs/heads/$HEAD_REF:$before"
elif ! push; then
  echo "$HEAD_REF has moved on: the patch is applied to where it is now."
  git fetch --quiet --depth 1 origin "$HEAD_REF"
  git checkout --quiet --detach FETCH_HEAD
  commit_patch --3way
  push
fi
[[ ! ${MESSAGE:-} ]] || exit 0
gh workflow run gate.yml --repo "$REPOSITORY" --ref "$HEAD_REF" \
  --raw-field "pull_request=$PULL_REQUEST" --raw-field "base=$BASE_REF" ||
  die "the baselines are pushed, but the gate of $HEAD_REF could not be started, as where its gate.yml is older than this: merge $BASE_REF into it and push, which starts one"
git rev-parse HEAD >"${patch%/*}/approved"
# Someone may have taken it off meanwhile.
gh api --silent --method DELETE "repos/$REPOSITORY/issues/$PULL_REQUEST/labels/approve-baseline" ||
  echo "the label approve-baseline could not be taken off: take it off by hand" >&2
