# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# How a command ends, and what it says. Sourced by tests.

# expect STATUS TEXT COMMAND...: TEXT among other things; output: all that it says.
expect() {
  local status=$1 text=$2 got=0
  shift 2
  output=$("$@" 2>&1 </dev/null) || got=$?
  [[ $got == "$status" && $output == *"$text"* ]] ||
    { printf '%s\n  ended with %d instead of %d, or does not say "%s":\n%s\n' "$*" "$got" "$status" "$text" "$output"; exit 1; }
}
