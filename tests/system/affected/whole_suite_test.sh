#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# whole_suite_test.sh PROGRAMS
#
# `warpgauge affected` of the whole suite and another that does the same: nothing is affected. Says how long
# that took, which docs/explain/same-code.md has of one machine; how long it takes decides nothing.
set -euo pipefail
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Not the same, byte for byte, so that it runs as well.
{ cat suite_emulated && echo; } >"$scratch/suite_before"
chmod +x "$scratch/suite_before"
TIMEFORMAT='took %R s, and %U s of processors'
time ./warpgauge affected --before suite_machine_code --after suite_machine_code --suite-before "$scratch/suite_before" \
  --suite suite_emulated >"$scratch/said"
said=$(<"$scratch/said")
echo "$said"
[[ $said =~ ^'0 of '[1-9][0-9]{2,}' benchmarks may be affected.'$'\n''0 of '[1-9][0-9]{2,}' kernels changed.' ]]
