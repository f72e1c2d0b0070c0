#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the format of the source, and the shell scripts. Needs no build.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

mapfile -t sources < <(git ls-files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh')
clang-format-14 --dry-run --Werror "${sources[@]}"
git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck
