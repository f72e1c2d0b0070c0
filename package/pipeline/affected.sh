#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says whether a change needs a GPU: prints what --filter of the gate takes, or nothing where no benchmark can be
# affected. Where that cannot be said, all are.
#
#   affected.sh
#
# From the environment: AFFECTED, a shell command that prints what `warpgauge affected --as-filter` does, after
# building both sides. In GitHub's steps the outputs `gpu` (true or false) and `filter` are set, too.
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
[[ $gpu == true ]] || echo "warpgauge: no benchmark is affected: no GPU is needed" >&2
printf '%s\n' "$filter"
