#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# whole_suite_test.sh PROGRAMS
#
# `warpgauge affected` of the whole suite and a build of the same: nothing is affected. Says how long that
# took, which docs/explain/same-code.md has of one machine; how long it takes decides nothing.
set -euo pipefail
cd "$1"
TIMEFORMAT='took %R s, of which %U s of processors'
time ./warpgauge affected --before suite_machine_code --after suite_machine_code --suite-before suite_emulated \
  --suite suite_emulated >"${TMPDIR:-/tmp}/affected.$$"
said=$(<"${TMPDIR:-/tmp}/affected.$$")
rm "${TMPDIR:-/tmp}/affected.$$"
echo "$said"
[[ $said =~ ^'0 of '[1-9][0-9]{2,}' benchmarks may be affected.'$'\n''0 of '[1-9][0-9]{2,}' kernels changed.' ]]
