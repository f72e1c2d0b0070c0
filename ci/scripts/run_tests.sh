#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a preset that is built.
#
#   ci/scripts/run_tests.sh PRESET [--again]
#
# --again: also those that passed before with the same programs and files.
#
# What passed is remembered in the build's folder `passed`, and not run again until anything changes that
# the outcome can depend on: see keys.
set -euo pipefail
source "$(dirname "$0")/common.sh"
this=$(realpath "$0")
cd "$root"

command -v jq >/dev/null || die "needs jq: ci/scripts/setup.sh test installs it"
preset=${1:-}
again=${2:-}
[[ $* == "$preset" || $* == "$preset --again" ]] || die "takes a preset of tests and --again, not '$*'" 64
folder=$(jq --raw-output --arg preset "$preset" \
  '.testPresets[] | select(.name == $preset) | .configurePreset' CMakePresets.json)
[[ $folder ]] || die "CMakePresets.json has no test preset '$preset'" 64
folder=$root/build/$folder

# existing: of the names that come in, those of files, with a NUL after each.
existing() {
  local file
  while IFS= read -r -d '' file; do
    [[ ! -f $file ]] || printf '%s\0' "$file"
  done
}

# hashes: "HASH  FILE" of the names that come in, sorted.
hashes() {
  xargs -0 -r -P "$(nproc)" -n 16 sha256sum -- | sort
}

# machine: what outcomes depend on beside the checkout and its build. Of programs and libraries, too large to be
# read each time, their sizes and times.
machine() {
  local places packages
  IFS=: read -r -a places <<<"$PATH"
  mapfile -t packages < <(
    python3 -c 'import site; print(*site.getsitepackages(), site.getusersitepackages(), sep="\n")' 2>/dev/null
  )
  sha256sum "$this" /var/lib/dpkg/status || return
  {
    find -L "${places[@]}" /etc/ld.so.cache -maxdepth 1 -type f -printf '%p %s %T@\n'
    find -H /usr/local /usr/local/cuda "${packages[@]}" -name __pycache__ -prune -o -type f -printf '%p %s %T@\n'
  } 2>/dev/null | sort || true
  uname -srvm
  grep -m 1 '^model name' /proc/cpuinfo || true
  nproc
  id
  ulimit -a
  locale -a
  git config --list || true
  printf '%s\n' /dev/nvidia*
  cat /proc/driver/nvidia/version 2>/dev/null || true
  nvidia-smi -L 2>/dev/null || true
  nvcc --version 2>/dev/null || true
  # Without what differs from one terminal to the next.
  env -0 | sort -z |
    grep -zvE '^(_|OLDPWD|PWD|SHLVL|SSH_[A-Z_]*|STY|TMUX|TMUX_PANE|WINDOW|WINDOWID|XDG_SESSION_ID)=' | tr '\0' '\n'
}

# checkout [PATTERN]: the files that are tracked or could be, without those that fit it.
checkout() {
  git ls-files -z --cached --others --exclude-standard 2>/dev/null | sort -zu |
    grep -zvE -e "${1:-^\$}" >"$scratch/names" || return
  existing <"$scratch/names" | hashes || return
  # How they may be used, and where links lead.
  xargs -0 -r stat -c '%A %N' -- <"$scratch/names" 2>/dev/null || true
}

# made: the files that tests can find in the build: all in bin, what is linked, and what commands make.
made() {
  {
    find "$folder/bin" -type f 2>/dev/null || return
    printf '%s\n' "$folder/CMakeCache.txt"
    ninja -C "$folder" -t targets all |
      sed -nE '/CMakeFiles/d; s,: (CUSTOM_COMMAND|[A-Z]+_(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)_LINKER__.*)$,,p' |
      sed "\\,^/,!s,^,$folder/," || return
  } | sort -u | tr '\n' '\0' | existing | hashes
}

# keys: "KEY NAME" of each test, where the key is of all that its outcome can depend on: its command and
# properties, the machine, the checkout, and what the build made.
#
# A test with the label reads_data reads of the checkout neither C++ nor documentation, and asks git nothing
# about it; and it starts no other test's program.
keys() {
  local machine all data name input
  machine=$(machine | sha256sum) || return
  all=$({ checkout && git rev-parse HEAD && git for-each-ref && git status --porcelain; } | sha256sum) || return
  data=$(checkout '\.[ch]pp$|^docs/.*\.(md|png)$|^[^/]*\.md$' | sha256sum) || return
  made >"$scratch/made" || return
  ctest --preset "$preset" --show-only=json-v1 |
    jq --raw-output --rawfile made "$scratch/made" --arg machine "$machine" --arg all "$all" --arg data "$data" '
      ($made | rtrimstr("\n") | split("\n") | map({hash: .[:64], file: .[66:]})) as $made |
      [.tests[].command[0]?] as $programs |
      .tests[] | (del(.backtrace) | tojson) as $test |
      any(.properties[] | select(.name == "LABELS").value[]; . == "reads_data") as $reads_data |
      [.name, ({$test, $machine, checkout: (if $reads_data then $data else $all end),
        made: [$made[] | select(($reads_data | not) or (.file | IN($programs[]) | not) or
                                (.file as $file | $test | contains($file)))]} | tojson)] | join("\t")' \
      >"$scratch/inputs" || return
  while IFS=$'\t' read -r name input; do
    printf '%s %s\n' "$(sha256sum <<<"$input" | cut -c 1-64)" "$name"
  done <"$scratch/inputs"
}

# Nothing is remembered where a key cannot be made.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=$folder/passed
mkdir -p "$passed"
find "$passed" -type f -mtime +60 -delete
declare -A key=()
while read -r value name; do key[$name]=$value; done < <(keys)
known=() except=()
for name in "${!key[@]}"; do
  [[ ! $again && -e $passed/${key[$name]} ]] || continue
  touch "$passed/${key[$name]}"
  known+=("$name")
done
if ((${#known[@]})); then
  printf '%d of %d tests passed before with the same programs and files; to run them again: ci/test.sh --again\n' \
    "${#known[@]}" "${#key[@]}"
  ((${#known[@]} < ${#key[@]})) || exit 0
  except=(-E "^($(printf '%s\n' "${known[@]}" | sed 's/[^A-Za-z0-9_-]/\\&/g' | paste -sd '|'))\$")
fi

# One more than processors: in a fourth of the time a test waits.
status=0
ctest --preset "$preset" --parallel "$(($(nproc) + 1))" --no-label-summary --output-junit "$scratch/junit.xml" "${except[@]}" ||
  status=$?
[[ -e $scratch/junit.xml ]] || exit "$status"
# A test whose key is another now ran with either, which is not known. CTest's "run" is of what passed: what
# is left out is "notrun".
sed -nE 's/^\s*<testcase name="([^"]*)" .* status="run">$/\1/p' "$scratch/junit.xml" >"$scratch/passed"
while read -r value name; do
  [[ ${key[$name]:-} != "$value" ]] || ! grep -qxF -e "$name" "$scratch/passed" || : >"$passed/$value"
done < <(keys)
exit "$status"
