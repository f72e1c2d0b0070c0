#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes again what the gates of a run report, from their verdicts alone, by the default branch's own
# program: rendered/report-emulated and rendered/report-gpu, each with summary.md and
# warpgauge.sarif. What the gates left may be the work of anyone; nothing else of it is handed on but
# the number of the pull request, which comment.sh checks.
#
#   ci/pipeline/render.sh RUN
#
# From the environment: GH_TOKEN, REPOSITORY (owner/name). To GITHUB_OUTPUT: rendered=true where there
# is anything to show.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"

(($# == 1)) || die "needs the number of a run" 64
cd "$root"
ci/pipeline/fetch_reports.sh "$1" untrusted

# report FORMAT FILE: of a verdict, which may be made to take all that there is.
report() (
  ulimit -v 2000000
  timeout 60 "${build:?source common.sh first}/bin/warpgauge" report "$verdict" --format "$1" --out "$2"
)

rm -rf rendered
built=
for gate in emulated gpu; do
  verdict=untrusted/report-$gate/verdict.json
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
  if ! report markdown "$shown/summary.md"; then
    echo "This branch's warpgauge cannot read the verdict that the gate left; the gate's own job has it." >"$shown/summary.md"
  elif ! report sarif "$shown/warpgauge.sarif"; then
    rm -f "$shown/warpgauge.sarif"
  fi
done
[[ ! -d rendered ]] || printf 'rendered=true\n' >>"${GITHUB_OUTPUT:-/dev/null}"
