#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches what the gates of a run of gate.yml reported: FOLDER/report-emulated and FOLDER/report-gpu,
# those that there are. What is in them may be the work of anyone.
#
#   ci/pipeline/fetch_reports.sh RUN FOLDER
#
# From the environment: GH_TOKEN, REPOSITORY (owner/name).
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 2)) || die "needs the number of a run and a folder" 64
run=$1 folder=$2
[[ $run =~ ^[0-9]+$ ]] || die "'$run' is no number of a run" 64
: "${REPOSITORY:?}"

rm -rf "$folder"
mkdir -p "$folder"
there=$(gh api --paginate "repos/$REPOSITORY/actions/runs/$run/artifacts?per_page=100" --jq '.artifacts[].name')
for gate in emulated gpu; do
  ! grep -qx "report-$gate" <<<"$there" ||
    gh run download "$run" --repo "$REPOSITORY" --name "report-$gate" --dir "$folder/report-$gate"
done
