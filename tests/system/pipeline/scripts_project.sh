# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the pipelines' scripts: a project with the scripts, and what a case expects. source_root is set
# before, and each test ends with $failed.
# shellcheck shell=bash disable=SC2016  # the programs expand what stands in single quotes
# shellcheck disable=SC2034,SC2154  # used and set by those who source this

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
original_path=$PATH
# What the machine has that this runs on must not matter.
unset MERGE_BASE FILTER PULL_REQUEST GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_OUTPUT GPU_ARCHITECTURES
export HOME=$scratch/home
export GIT_CONFIG_NOSYSTEM=1
failed=0
head_sha=0123456789abcdef0123456789abcdef01234567

# shellcheck source=tests/helpers/programs.sh
source "$source_root/tests/helpers/programs.sh"

# A project with the scripts, a gh and nothing else; cases change what they are about.
begin() {
  what=$1
  rm -rf "${scratch:?}/"*
  mkdir -p "$scratch/project/ci" "$HOME" "$scratch/gh"
  export PATH="$scratch/path:$original_path"
  cp -r "$source_root"/ci/{scripts,pipeline} "$scratch/project/ci"
  program "$scratch/project/ci/scripts/setup.sh"
  export GH_TOKEN=token REPOSITORY=owner/name HEAD_SHA=$head_sha RUN_URL=https://github.com/owner/name/actions/runs/7
  export MESSAGE='' PULL_REQUEST='' APPROVER=reviewer TITLE='A "title"; $(touch /tmp/never)' HEAD_REF=feature BASE_REF=main
  # api PATH: the file of that path, without what follows ?. What it is asked is in gh.log; of a
  # comment, the body in gh/body.N as well.
  program "$scratch/path/gh" 'log='"$scratch"'/gh.log; answers='"$scratch"'/gh' \
    'echo "$*" >>"$log"' \
    'for argument; do case $argument in' \
    'body=@*) cp "${argument#body=@}" "$answers/body.$(grep -c body=@ "$log")" ;;' \
    'repos/*) path=${argument%%\?*} ;; esac; done' \
    'case "$1 $2" in' \
    '"run download") while (($# > 1)); do case $1 in --name) name=$2 ;; --dir) dir=$2 ;; esac; shift; done' \
    '  mkdir -p "$dir"; cp -r "$answers/$name/." "$dir" ;;' \
    '"workflow run") ;;' \
    '*) [[ $* != *--method* ]] || exit 0' \
    '  file=$answers/${path//\//_}; [[ $(head -c 1 "$file") == "{" ]] || exec cat "$file"' \
    '  while [[ $1 != --jq ]]; do shift; done; exec jq --raw-output "$2" "$file" ;;' \
    'esac'
}

# answer PATH TEXT: what gh answers for an address of the API: JSON, or what --jq makes of it.
answer() {
  printf '%s' "$2" >"$scratch/gh/${1//\//_}"
}

complain() {
  failed=1
  printf '%s: %s\n' "$what" "$1"
}

# expect STATUS TEXT COMMAND...: how it ends, and what it says among other things.
expect() {
  local status=$1 text=$2 got=0
  shift 2
  output=$(cd "$scratch/project" && "$@" 2>&1 </dev/null) || got=$?
  [[ $got == "$status" && $output == *"$text"* ]] ||
    complain "ended with $got instead of $status, or does not say '$text': $output"
}

# expect_file FILE TEXT: what it holds among other things.
expect_file() {
  [[ -e $1 && $(<"$1") == *"$2"* ]] || complain "${1#"$scratch/"} does not hold '$2': $(cat "$1" 2>&1)"
}

expect_no_file() {
  [[ ! -e $1 ]] || complain "there is ${1#"$scratch/"}: $(cat "$1")"
}

expect_asked() { expect_file "$scratch/gh.log" "$1"; }
expect_not_asked() {
  [[ ! -e $scratch/gh.log || $(<"$scratch/gh.log") != *"$1"* ]] || complain "asked: $(<"$scratch/gh.log")"
}
