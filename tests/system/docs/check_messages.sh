#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_messages.sh SOURCE
#
# Each message that a heading of docs/reference/troubleshooting.md quotes stands in the sources, in one string,
# with anything where the page has "…"; and each has a cause and a remedy.
set -euo pipefail
cd "$1"

# A line of it has a whole string: the parts of one that is broken over lines are joined.
strings=$(mktemp)
trap 'rm -f "$strings"' EXIT
find ci profiling package CMakeLists.txt -type f \( -name '*.[ch]pp' -o -name '*.h' -o -name '*.sh' \
  -o -name '*.cmake' -o -name '*.in' -o -name CMakeLists.txt \) -print0 | sort -z | xargs -0 cat |
  sed -z -e 's/"[[:space:]]*\n[[:space:]]*"//g' -e 's/\\"/"/g' >"$strings"

failed=0
complain() {
  printf 'docs/reference/troubleshooting.md: %s: %s\n' "$1" "$2"
  failed=1
}

found=0
check_quote() {
  local quote=$1 text pattern
  text=${quote//…/}
  ((${#text} >= 12)) || complain "$quote" "says too little to be looked for"
  pattern='\Q'${quote//…/'\E.*?\Q'}'\E'
  grep -qP -- "$pattern" "$strings" || complain "$quote" "no string in the sources says so"
  found=$((found + 1))
}

heading=
body=
check_body() {
  [[ ! $heading || ($body == *'*Why.*'* && $body == *'*What to do.*'*) ]] ||
    complain "$heading" "has no cause, or no remedy"
}
while IFS= read -r line; do
  if [[ $line == '#'* ]]; then
    check_body
    heading=
    body=
  fi
  if [[ $line == '### '* ]]; then
    heading=$line
    before=$found
    rest=$line
    while [[ $rest =~ \`([^\`]+)\`(.*) ]]; do
      check_quote "${BASH_REMATCH[1]}"
      rest=${BASH_REMATCH[2]}
    done
    ((found > before)) || complain "$heading" "quotes no message"
  fi
  # Lines are wrapped, within "*What to do.*" too.
  body+="$line "
done <docs/reference/troubleshooting.md
check_body

printf '%d messages compared\n' "$found"
((found > 0)) || { echo "no message found: the test proves nothing"; exit 1; }
exit "$failed"
