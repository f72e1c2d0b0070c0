#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a change is not held up for: everything is timed, on a GPU also held against the anchors of its
# benchmarks, and kept in the history, whose changes for the worse fail. Each of these is done whatever the
# others end with, but a gate that left no results leaves nothing to record. Ends with the gravest exit
# status: 4, 1, 3, 0.
#
#   ci/pipeline/nightly.sh
#
# From the environment: HISTORY, a file or a postgresql:// address (default: history.sqlite);
# FAIL_WITHIN, how many of the newest runs may hold nothing that got worse (default: 7).
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"
cd "$root"
refuse_tracked

history=${HISTORY:-history.sqlite}
gravest=0
# add COMMAND...: runs it, and takes its exit status in. The address of a history may hold a password.
add() {
  local status=0 each shown=
  for each; do
    [[ $each != "$history" ]] || each=HISTORY
    shown+=" $each"
  done
  printf '\n==%s\n' "$shown"
  "$@" || status=$?
  case $status in 0 | 1 | 3) ;; *) status=4 ;; esac
  for each in 4 1 3; do
    if ((status == each || gravest == each)); then
      gravest=$each
      break
    fi
  done
}

add ci/pipeline/gate.sh --all
if [[ -e results/results.json ]]; then
  # A cache forgets what nobody asked for in a week.
  [[ $history == *://* || -e $history ]] ||
    printf '%sThere is no history here, so this night begins one: until it has six nights nothing can show that anything got worse. If there was one, restore it from an earlier night.\n' \
      "${GITHUB_ACTIONS:+::warning title=A new history::}"
  add "$build/bin/warpgauge" history record results/results.json --history "$history"
  add "$build/bin/warpgauge" history changes --history "$history" --fail-within "${FAIL_WITHIN:-7}"
fi
# The emulator has no clock.
if "$build/bin/suite_gpu" --warpgauge_device >/dev/null 2>&1; then
  if grep -qs '"anchors":' baselines/*/device.json; then
    add ci/gate.sh --since-anchor
    if [[ -n ${GITHUB_STEP_SUMMARY:-} && -e results/since-anchor/summary.md ]]; then
      cat results/since-anchor/summary.md >>"$GITHUB_STEP_SUMMARY"
    fi
  else
    printf '\nNo benchmark has an anchor yet, so what many small changes lose is not seen: set anchors with warpgauge approve --anchor\n'
  fi
fi
exit "$gravest"
