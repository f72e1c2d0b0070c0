#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the source itself: format, static analysis, shell scripts. Needs the build folder of
# ci/test.sh, for its compile commands.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

mapfile -t sources < <(git ls-files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh')
clang-format-14 --dry-run --Werror "${sources[@]}"
shellcheck ci/*.sh tests/*/*.sh .ci/run

# The emulator's kernel objects are built with options that clang does not know.
mapfile -t analysed < <(git ls-files 'ci/*.cpp' 'profiling/*.cpp')
printf '%s\n' "${analysed[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p "$build"
