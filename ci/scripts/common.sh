# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: where the project is, and how they speak.
# shellcheck shell=bash

unset CDPATH  # cd would print, and look elsewhere first
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034  # used by those who source this
build=$root/build/ci

die() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit "${2:-4}"
}

# show_progress LOG: writes the newest [n/m] of ninja over itself, each second. Ctrl-C does not reach what runs in the
# background, so it ends when this script has.
show_progress() {
  local progress
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    progress=$(tail -c 10000 "$1" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1) || continue
    printf '\r\e[K%s' "$progress"
  done
}

# step TEXT HINT COMMAND...: says what it does and where its output goes, on a terminal also how far ninja is; shows
# the output only when the command fails, then ends with HINT.
step() {
  local text=$1 hint=$2 log start watcher='' status=0
  shift 2
  mkdir -p "$root/build"
  log=$root/build/${text//[^A-Za-z0-9]/_}.log
  printf '%-58s log: %s' "$text …" "${log#"$root/"}"
  : >"$log"
  if [[ -t 1 ]]; then
    printf '\n'
    show_progress "$log" &
    watcher=$!
  fi
  start=$SECONDS
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [[ $watcher ]]; then
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    printf '\r\e[K'
  fi
  if ((status == 0)); then
    printf ' %4d s\n' $((SECONDS - start))
    return
  fi
  printf ' failed\n'
  tail -n 60 "$log" >&2
  die "'$text' failed (exit $status); the whole output is in ${log#"$root/"}. $hint"
}

# trust_checkout: in a container the checkout belongs to another user, whom git does not trust unasked. It does for as
# long as the script runs.
trust_checkout() {
  ! git -C "$root" rev-parse --git-dir >/dev/null 2>&1 || return 0
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$root
}

# edits_gating BEFORE AFTER: whether a revision edits what a gate on a GPU rests on beside the kernels, or is held to.
# No build and no emulator shows what such an edit does there, so such a change is gated in full.
edits_gating() {
  ! git diff --quiet "$1" "$2" -- baselines benchmarks ci ':!ci/report' profiling package/pipeline templates \
    .github .gitlab-ci.yml action.yml CMakeLists.txt CMakePresets.json
}

# refuse_tracked: ends with 4 where git tracks what only this machine may write. A change could bring a
# build's cache, which runs what it says, or a file beside the history, which SQLite plays back into it.
refuse_tracked() {
  local tracked
  trust_checkout
  tracked=$(git -C "$root" ls-files 'history.sqlite*' build results 2>/dev/null) ||
    [[ ! -e $root/.git ]] || die "git does not say which files it tracks here"
  [[ ! $tracked ]] ||
    die "git tracks ${tracked%%$'\n'*}, which only a build or a pipeline may write: take build/, results/ and history.sqlite* out of the repository"
}

# is_file PATH: whether it is one, in a folder that is one. A link could lead anywhere on this machine.
is_file() {
  [[ -f $1 && ! -L $1 && ! -L ${1%/*} ]]
}

# build_warpgauge: the program alone, of what is checked out here, in $build.
build_warpgauge() {
  ci/scripts/setup.sh
  configure ci -DWARPGAUGE_TESTS=OFF -DWARPGAUGE_PAGE=OFF
  step "Building warpgauge" "Fix the error above." cmake --build --preset ci --target warpgauge
}

# configure PRESET [OPTION...]: with what this machine has by now. A configuration of the days before
# there was an nvcc or npm remembers that there is none.
configure() {
  local preset=$1 options=("${@:2}")
  refuse_tracked
  ! command -v nvcc >/dev/null || [[ $preset != ci && $preset != release ]] || options=(-DWARPGAUGE_CUDA=ON "${options[@]}")
  ! command -v npm >/dev/null || options=(-DWARPGAUGE_PAGE=ON "${options[@]}")
  step "Configuring $preset" "If packages are missing, run ci/scripts/setup.sh." \
    cmake --preset "$preset" "${options[@]}"
}
