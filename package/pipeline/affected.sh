#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says whether a change needs a GPU: prints what --filter of the gate takes, or nothing where no benchmark can be
# affected. Where that cannot be said, all are.
#
#   affected.sh
#
# From the environment: AFFECTED, a shell command that prints what `warpgauge affected --as-filter` does, after
# building both sides. In GitHub's steps the outputs `gpu` (true or false) and `filter` are set, too. GATE, for GitLab: a
# file of the project with the jobs that need a GPU; warpgauge-affected.yml becomes a child pipeline that has them, with the
# variable FILTER, or that only says that nothing is affected.
set -euo pipefail

# From outside of itself a filter is a regular expression of one line.
if filter=$(bash -eo pipefail -c "${AFFECTED:?is not set: a command that prints a filter}"); then
  [[ $filter != *$'\n'* ]] || filter=.
else
  echo "warpgauge: what is affected cannot be said, so everything is gated: '$AFFECTED' failed" >&2
  filter=.
fi
gpu=true
[[ $filter ]] || gpu=false
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  printf 'gpu=%s\nfilter=%s\n' "$gpu" "$filter" >>"$GITHUB_OUTPUT"
fi
if [[ -n ${GATE:-} && $gpu == true ]]; then
  # In single quotes YAML takes all as it is, but for these. GitLab takes a $ in it for a variable's unless it is told
  # not to.
  printf "include:\n  - local: '%s'\nvariables:\n  FILTER:\n    value: '%s'\n    expand: false\n" \
    "$GATE" "${filter//\'/\'\'}" >warpgauge-affected.yml
elif [[ -n ${GATE:-} ]]; then
  printf 'nothing-affected:\n  script: ["echo no benchmark is affected"]\n' >warpgauge-affected.yml
fi
[[ $gpu == true ]] || echo "warpgauge: no benchmark is affected: no GPU is needed" >&2
printf '%s\n' "$filter"
