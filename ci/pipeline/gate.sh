#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gate as a pipeline runs it: every report into results/, the summary and the annotations where
# the runner shows them. Ends with the gate's exit status.
#
#   ci/pipeline/gate.sh [build.tar] [options of `warpgauge gate`]
#
# Results of an earlier gate go to build/earlier-results first, reports without results to
# build/unfinished-results, and what is of no gate to build/kept-results-…, which nothing removes. So whatever
# is in results/ afterwards is of this gate, and nothing is lost where it ends early.
# build.tar: of ci/pipeline/build.sh, to measure what was built elsewhere. Then nothing is installed here.
# From the environment: MERGE_BASE, a revision, names edits of baselines and policy since its merge
# base; FILTER, a regular expression on ids, has only those benchmarks gated; PULL_REQUEST, a number, is kept for whoever
# comments on it.
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"
cd "$root"

trust_checkout
refuse_tracked

results=results
# is_of_gate NAME: whether a gate made what has this name in results/: what each makes, and other reports that
# it has in its own list.
is_of_gate() {
  case $1 in
  results.json | verdict.json | summary.md | against.json | in_turns.json | floors.toml | since-anchor | earlier | .reports) ;;
  warpgauge.sarif | annotations | code-quality.json | junit.xml | report.html | pull_request | *.unfinished-*) ;;
  *) grep -qsxF -e "$1" "$results/.reports" ;;
  esac
}

# Where a history lay once.
if [[ -e $results/history.sqlite && ! -e history.sqlite ]]; then mv "$results"/history.sqlite* .; fi
mkdir -p "$results" build
kept=
ours=()
while IFS= read -r -d '' file; do
  if is_of_gate "${file##*/}"; then
    ours+=("$file")
  else
    [[ $kept ]] || kept=$(mktemp -d build/kept-results-XXXXXX)
    mv "$file" "$kept"
    printf '%q is of no gate: it is in %s now.\n' "$file" "$kept"
  fi
done < <(find "$results/" -mindepth 1 -maxdepth 1 ! -name 'history.sqlite*' -print0)
# Reports of a gate that left no results do not take the place of a whole one's.
earlier=build/earlier-results
[[ -e $results/results.json ]] || earlier=build/unfinished-results
if ((${#ours[@]})); then
  rm -rf "$earlier"
  mkdir "$earlier"
  mv "${ours[@]}" "$earlier"
fi

prebuilt=()
if [[ ${1:-} == *.tar ]]; then
  rm -rf build/packed
  mkdir -p build/packed
  tar -xf "$1" -C build/packed
  prebuilt=(--prebuilt build/packed)
  shift
else
  # One of the reports is a page of HTML, which what was packed has in it.
  ci/scripts/setup.sh page
fi

arguments=()
for report in sarif=warpgauge.sarif github=annotations gitlab=code-quality.json junit=junit.xml \
  html=report.html; do
  arguments+=(--report "${report%%=*}=$results/${report#*=}")
done
[[ -z ${MERGE_BASE:-} ]] || arguments+=("--merge-base=$MERGE_BASE")
[[ -z ${FILTER:-} || $FILTER == . ]] || arguments+=("--filter=$FILTER")

status=0
ci/gate.sh "${prebuilt[@]}" "${arguments[@]}" "$@" || status=$?
# A gate that ended early has none of these.
if [[ ${GITHUB_ACTIONS:-} == true && -e $results/annotations ]]; then
  cat "$results/annotations"
fi
if [[ -n ${GITHUB_STEP_SUMMARY:-} && -e $results/summary.md ]]; then
  cat "$results/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
[[ -z ${PULL_REQUEST:-} ]] || printf '%s\n' "$PULL_REQUEST" >"$results/pull_request"
exit "$status"
