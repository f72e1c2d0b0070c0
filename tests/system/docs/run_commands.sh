#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_commands.sh SOURCE PROGRAMS PAGE...
#
# Runs each line of each ```sh block of the pages, in order, in a copy of the source in which
# build/ci/bin is PROGRAMS. A line must end with 0, or with the status that a trailing
# comment names: `command  # exit 3: …`. `cd` holds for the rest of its page. The set-up commands are
# not run from here, but by CI itself, and this checks that they are.
set -euo pipefail
source_root=$1
programs=$2
shift 2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$source_root"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$scratch"
mkdir -p "$scratch/build/ci"
ln -s "$programs" "$scratch/build/ci/bin"
cd "$scratch"
git init -q .
git add --all
git -c user.name=Someone -c user.email=someone@example.com commit -q -m "the source"

ran=0
failed=0
for page; do
  cd "$scratch"
  [[ -e $page ]] || { echo "there is no $page"; exit 1; }
  while IFS= read -r line; do
    [[ -n $line && $line != '#'* ]] || continue
    expected=0
    [[ $line =~ '# exit '([0-9]+) ]] && expected=${BASH_REMATCH[1]}
    command=${line%%  #*}
    case $command in
      "cd "*)
        cd "${command#cd }"
        continue
        ;;
      ci/scripts/setup.sh)
        grep -qx " *$command" ci/gate.sh || { echo "$page: $command is not run by ci/gate.sh"; failed=1; }
        continue
        ;;
      ci/gate.sh | ci/test.sh)
        grep -qx "$command" .ci/run || { echo "$page: $command is not run by .ci/run"; failed=1; }
        # What follows may read what the gate wrote.
        [[ $command != ci/gate.sh ]] || command="ci/gate.sh --prebuilt build/ci"
        [[ $command != ci/test.sh ]] || continue
        ;;
    esac
    status=0
    output=$(bash -c "$command" 2>&1 </dev/null) || status=$?
    ran=$((ran + 1))
    if ((status != expected)); then
      failed=1
      printf '%s: %s\n  ended with %d instead of %d:\n%s\n' "$page" "$command" "$status" "$expected" "$output"
    fi
  done < <(awk '/^```/ { inside = ($0 == "```sh") && !inside; next } inside' "$scratch/$page")
done
printf '%d commands run\n' "$ran"
((ran > 0)) || { echo "no command found: the test proves nothing"; exit 1; }
exit "$failed"
