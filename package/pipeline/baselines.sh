#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Puts the baselines of a pipeline in place where they are not in the checkout, and prints their folder. What is not
# as it was pinned is refused: a gate by other baselines than were reviewed says nothing.
#
#   baselines=$(baselines.sh)
#
# From the environment: BASELINES, their folder (default: baselines).
#   BASELINES_REVISION  the commit of another branch or repository that has them, as all 40 digits
#   BASELINES_REMOTE    where git fetches it from (default: origin)
#   BASELINES_SHA256    instead: the sum of the folder, which may lie anywhere, as `baselines.sh --sum FOLDER` prints it
set -euo pipefail

die() {
  printf 'warpgauge: %s\n' "$*" >&2
  exit 4
}

# Of all files with their names, in an order that no locale changes. What a link leads to is in no sum.
sum_of() {
  local odd
  odd=$(cd "$1" && find . ! -type f ! -type d -print -quit)
  [[ ! $odd ]] || die "$1 has what is neither a file nor a folder, which no sum pins: $(printf %q "$odd")"
  (cd "$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 --no-run-if-empty sha256sum) | sha256sum | cut -d ' ' -f 1
}

if [[ ${1:-} == --sum ]]; then
  [[ -d ${2:-} ]] || die "--sum: there is no folder ${2:-}"
  sum_of "$2"
  exit
fi

folder=${BASELINES:-baselines}
[[ ! ${BASELINES_REVISION:-} || ! ${BASELINES_SHA256:-} ]] ||
  die "both BASELINES_REVISION and BASELINES_SHA256 are given: keep the one that pins these baselines"
if [[ -n ${BASELINES_REVISION:-} ]]; then
  [[ $BASELINES_REVISION =~ ^[0-9a-f]{40}$ ]] ||
    die "BASELINES_REVISION '$BASELINES_REVISION' is no commit: give all 40 digits, since a branch moves"
  git cat-file -e "$BASELINES_REVISION^{commit}" 2>/dev/null ||
    git fetch --quiet --depth=1 "${BASELINES_REMOTE:-origin}" "$BASELINES_REVISION" >&2 ||
    die "git has no commit $BASELINES_REVISION, and ${BASELINES_REMOTE:-origin} does not give it"
  [[ $(git ls-tree "$BASELINES_REVISION" -- "$folder") ]] || die "commit $BASELINES_REVISION has no $folder"
  place=$(mktemp -d)
  git archive "$BASELINES_REVISION" -- "$folder" | tar -x -C "$place"
  echo "$place/$folder"
  exit
fi
if [[ -n ${BASELINES_SHA256:-} ]]; then
  [[ -d $folder ]] || die "there is no folder $folder"
  sum=$(sum_of "$folder")
  [[ $sum == "$BASELINES_SHA256" ]] || die "$folder has the sum $sum, and BASELINES_SHA256 is $BASELINES_SHA256: review what changed, then give its sum"
fi
echo "$folder"
