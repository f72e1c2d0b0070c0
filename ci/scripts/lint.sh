#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the format of the source, and the shell scripts, also those that git does not know yet. Needs no build.
set -euo pipefail
source "$(dirname "$0")/common.sh"
cd "$root"

# files PATTERN...: what there is, with a NUL after each name.
files() {
  local file
  git ls-files --cached --others --exclude-standard -z "$@" | while IFS= read -r -d '' file; do
    [[ ! -e $file ]] || printf '%s\0' "$file"
  done
}

files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh' | xargs -0 clang-format-14 --dry-run --Werror
files '*.sh' .ci/run | xargs -0 shellcheck
