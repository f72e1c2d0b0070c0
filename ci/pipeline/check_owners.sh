#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Warns where GitHub knows no owner that CODEOWNERS names: it then asks nobody for an agreement, and
# says so to nobody. Never fails: that says nothing of what is measured.
#
#   ci/pipeline/check_owners.sh
#
# From the environment: GH_TOKEN, REPOSITORY (owner/name), and REVISION, of whose CODEOWNERS.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"
: "${REPOSITORY:?}" "${REVISION:?}"

# What is wrong is in GitHub's own words; the file's, which may be anyone's, are left out.
if ! errors=$(gh api "repos/$REPOSITORY/codeowners/errors?ref=$REVISION" \
  --jq '.errors[] | "\(.line) \(.kind)"'); then
  echo "CODEOWNERS is not checked: GitHub does not say what is wrong with it."
  exit
fi
if [[ ! $errors ]]; then
  echo "GitHub knows every owner in CODEOWNERS."
  exit
fi
first=1 lines='' kind='Not as GitHub reads it'
while IFS= read -r error; do
  [[ $error =~ ^([0-9]+)\ ([A-Za-z ]+)$ ]] || continue
  [[ $lines ]] || { first=${BASH_REMATCH[1]} kind=${BASH_REMATCH[2]}; }
  lines+=${lines:+, }${BASH_REMATCH[1]}
done <<<"$errors"
printf '::warning file=CODEOWNERS,line=%s,title=Nobody guards baselines and policy::%s%s. %s\n' \
  "$first" "$kind" "${lines:+ (line $lines)}" \
  "GitHub asks nobody for an agreement there: put your own owners in, see docs/guide/pipelines.md"
