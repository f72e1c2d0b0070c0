# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs that stand in for others in tests of scripts. Sourced by them.

# program FILE LINE...: an executable script of these lines.
program() {
  local file=$1
  shift
  mkdir -p "$(dirname "$file")"
  printf '%s\n' '#!/usr/bin/env bash' "$@" >"$file"
  chmod +x "$file"
}
