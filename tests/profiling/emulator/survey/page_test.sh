#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# page_test.sh SOURCE
#
# docs/reference/public-programs.md is what the survey prints of its results.
set -euo pipefail
cd "$1"
diff docs/reference/public-programs.md \
  <(tests/profiling/emulator/survey/survey.sh page tests/profiling/emulator/survey/results) || {
  echo 'docs/reference/public-programs.md is out of date: survey.sh page tests/profiling/emulator/survey/results'
  exit 1
}
