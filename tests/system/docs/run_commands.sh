#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_commands.sh SOURCE PROGRAMS FOLDER PAGE...
#
# Runs each line of each ```sh block of the pages, in order, in FOLDER/source, a copy of the source in
# which build/ci/bin is PROGRAMS. A line must end with 0, or with the status that a trailing
# comment names: `command  # exit 3: …`. `cd` holds for the rest of its page. The set-up commands are
# not run from here, but by CI itself, and this checks that they are.
#
# What the lines compile of Warpgauge takes a minute. So what CMake built, when all went well, is kept
# for the next time, in which each `cmake -B` gets its own as it were configured for the first time, but
# with the object files; nothing else of an earlier run is there.
set -euo pipefail
source_root=$1
programs=$2
folder=$3
shift 3

scratch=$folder/source
kept=$folder/kept
[[ ! ${ALL_FRESH:-} ]] || rm -rf "$folder"
mkdir -p "$scratch" "$kept"

# The files of the source as they are, each written only when it differs: what was compiled of it is
# then as new. The same source is the same revision.
[[ -d $scratch/.git ]] || git init -q "$scratch"
cd "$source_root"
rm -f "$folder/index"
git ls-files -z --cached --others --exclude-standard |
  GIT_DIR=$scratch/.git GIT_WORK_TREE=$source_root GIT_INDEX_FILE=$folder/index git update-index -z --add --remove --stdin
tree=$(GIT_DIR=$scratch/.git GIT_INDEX_FILE=$folder/index git write-tree)
cd "$scratch"
commit=$(GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' \
  git -c user.name=Someone -c user.email=someone@example.com commit-tree "$tree" -m "the source")
git update-ref HEAD "$commit"
git read-tree --reset -u HEAD
git clean -ffdxq  # what an earlier run left
[[ -z $(git status --porcelain) ]] || { git status; exit 1; }
mkdir -p build/ci
ln -s "$programs" build/ci/bin

# As a first configuration finds it.
restore() {
  local name=${1#build/}
  [[ -d $kept/$name && ! -e $1 ]] || return 0
  mv "$kept/$name" "$1"
  rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles"
}

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
    if [[ $command =~ ^cmake\ .*-B\ (build/[a-z_]+) ]]; then restore "${BASH_REMATCH[1]}"; fi
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
rm -rf "$kept"
mkdir "$kept"
if ((!failed)); then
  for cache in "$scratch"/build/*/CMakeCache.txt; do
    [[ ! -e $cache ]] || mv "${cache%/*}" "$kept"
  done
fi
exit "$failed"
