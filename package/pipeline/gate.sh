#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gates a suite, a program or what a script of the repository gates, with every report in results/, the summary and the
# annotations where the runner shows them. Ends with the gate's exit status.
#
#   gate.sh [options of `warpgauge gate`, or of the script]
#
# From the environment: one of
#   SUITE     the executable of a suite
#   COMMAND   a program that launches kernels, as a shell command
#   SCRIPT    a script that gates by itself, such as the ci/warpgauge.sh of `warpgauge init`
# and, where wanted, BASELINES, a folder; POLICY, a file; FILTER, a regular expression on ids; MERGE_BASE, a revision,
# to name edits of baselines and policy; PULL_REQUEST, a number, kept for whoever comments on it. A script has them in
# its environment, but for POLICY, which it names itself.
set -euo pipefail

die() {
  printf 'warpgauge: %s\n' "$*" >&2
  exit 64
}

given=0
for each in "${SUITE:-}" "${COMMAND:-}" "${SCRIPT:-}"; do [[ -z $each ]] || given=$((given + 1)); done
((given == 1)) || die "give one of suite, command and script, not $given of them"

results=results
mkdir -p "$results"
# Written below, of another gate: none of these may be taken for this one's.
rm -f "$results"/{warpgauge.sarif,annotations,code-quality.json,junit.xml,report.html}
begin=$(mktemp)
trap 'rm -f "$begin"' EXIT
size_of_summary() { if [[ -e ${GITHUB_STEP_SUMMARY:-} ]]; then stat --format=%s "$GITHUB_STEP_SUMMARY"; else echo 0; fi; }
shown=$(size_of_summary)

status=0
if [[ -n ${SCRIPT:-} ]]; then
  [[ -z ${POLICY:-} ]] || die "policy is not for a script, which gates by itself: name it there"
  [[ -z ${FILTER:-} || $FILTER == . ]] || grep -qw FILTER "$SCRIPT" ||
    echo "warpgauge: not only what is affected is gated: $SCRIPT does not name FILTER, which is in its environment" >&2
  if [[ -x $SCRIPT ]]; then "./${SCRIPT#./}" "$@" || status=$?; else bash "$SCRIPT" "$@" || status=$?; fi
else
  arguments=(--out "$results")
  [[ -z ${BASELINES:-} ]] || arguments+=(--baselines "$BASELINES")
  [[ -z ${POLICY:-} ]] || arguments+=(--policy "$POLICY")
  [[ -z ${FILTER:-} || $FILTER == . ]] || arguments+=(--filter "$FILTER")
  [[ -z ${MERGE_BASE:-} ]] || arguments+=("--merge-base=$MERGE_BASE")
  if [[ -n ${SUITE:-} ]]; then
    warpgauge gate --suite "$SUITE" "${arguments[@]}" "$@" || status=$?
  else
    warpgauge gate "${arguments[@]}" "$@" -- bash -c "$COMMAND" || status=$?
  fi
fi

# A gate that ended early leaves no verdict, and an earlier one's says nothing. A script may write reports itself.
is_new() { [[ $results/$1 -nt $begin ]]; }
if is_new verdict.json; then
  for report in sarif=warpgauge.sarif github=annotations gitlab=code-quality.json junit=junit.xml html=report.html; do
    file=$results/${report#*=}
    is_new "${report#*=}" || warpgauge report "$results/verdict.json" --format "${report%%=*}" --out "$file" ||
      echo "warpgauge: there is no ${report%%=*} report" >&2
  done
fi
# Unless the script has shown them.
if [[ $(size_of_summary) == "$shown" ]]; then
  if [[ ${GITHUB_ACTIONS:-} == true ]] && is_new annotations; then cat "$results/annotations"; fi
  if [[ -n ${GITHUB_STEP_SUMMARY:-} ]] && is_new summary.md; then cat "$results/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
fi
[[ -z ${PULL_REQUEST:-} ]] || printf '%s\n' "$PULL_REQUEST" >"$results/pull_request"
exit "$status"
