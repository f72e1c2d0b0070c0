#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_tests_test.sh SOURCE
#
# A test that passed is left out only as long as nothing changes that its outcome can depend on. With a
# project whose programs are scripts: each says that it ran.
# shellcheck disable=SC2016  # the programs expand what stands in single quotes
set -euo pipefail
source_root=$1
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch/home GIT_CONFIG_NOSYSTEM=1 PATH=$scratch/path:$PATH
unset VALUE SSH_TTY
failed=0

# shellcheck source=tests/helpers/programs.sh
source "$source_root/tests/helpers/programs.sh"

project=$scratch/project
mkdir -p "$project/ci/scripts" "$project/docs" "$HOME" "$scratch/path"
cd "$project"
cp "$source_root"/ci/scripts/{run_tests,common}.sh ci/scripts
printf '/build/\n' >.gitignore
cat >CMakePresets.json <<'END'
{"version": 6,
 "configurePresets": [{"name": "ci", "generator": "Ninja", "binaryDir": "${sourceDir}/build/ci"}],
 "testPresets": [{"name": "ci", "configurePreset": "ci", "execution": {"noTestsAction": "error"}}]}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(programs LANGUAGES NONE)
enable_testing()
foreach(name room.one room.two system helper)
  add_custom_command(OUTPUT bin/${name} DEPENDS ${name}.cpp VERBATIM
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/${name}.cpp bin/${name})
  add_custom_target(${name}_program ALL DEPENDS bin/${name})
  if(NOT name STREQUAL helper)
    add_test(NAME ${name} COMMAND ${PROJECT_BINARY_DIR}/bin/${name})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endforeach()
set_tests_properties(room.one room.two PROPERTIES LABELS reads_data)
set_tests_properties(room.two PROPERTIES ENVIRONMENT "VALUE=$ENV{VALUE}")
END
program "$scratch/path/python3" "exit 1"  # pyenv's takes a second
git init --quiet
git config user.name name
git config user.email email

complain() {
  failed=1
  printf '%s: %s\n' "$what" "$1"
}

configure() { cmake --preset ci "$@" >"$scratch/log" 2>&1 || complain "$(<"$scratch/log")"; }

# ran STATUS TESTS [OPTION...]: how the tests end, and which of them run.
ran() {
  local status=$1 expected=$2 got=0 names
  shift 2
  cmake --build build/ci >"$scratch/log" 2>&1 || complain "$(<"$scratch/log")"
  : >"$scratch/ran"
  output=$(ci/scripts/run_tests.sh ci "$@" 2>&1 </dev/null) || got=$?
  names=$(sort "$scratch/ran" | paste -sd ' ')
  ((got == 0)) || got=1
  [[ $got == "$status" && $names == "$expected" ]] ||
    complain "ends with $got instead of $status, or ran '$names' instead of '$expected': $output"
}
says() { [[ $output == *"$1"* ]] || complain "does not say '$1': $output"; }

# begin WHAT: with three tests that have passed.
begin() {
  what=$1
  rm -rf build data new
  local name
  for name in room.one room.two system helper; do
    program "$name.cpp" "echo $name >>'$scratch/ran'"
  done
  printf 'page\n' >docs/page.md
  printf 'data\n' >data
  git add --all
  git commit --quiet --allow-empty --message state
  configure
  ran 0 "room.one room.two system"
}

begin "what passed is not run again, and the script says so"
ran 0 ""
says '3 of 3 tests passed before with the same programs and files; to run them again: ci/test.sh --again'
ran 0 "room.one room.two system" --again

what="another program is run again, as are tests of all files"
echo '# changed' >>room.one.cpp
ran 0 "room.one system"
says '1 of 3 tests passed before'

what="another helper is another program of all"
echo '# changed' >>helper.cpp
ran 0 "room.one room.two system"

what="what is again as it was is known"
sed -i '$d' room.one.cpp helper.cpp
ran 0 ""

what="another file is read, also one that git does not know yet, and so are its permissions"
echo changed >>data
ran 0 "room.one room.two system"
touch new
ran 0 "room.one room.two system"
chmod +x new
ran 0 "room.one room.two system"
rm data
ran 0 "room.one room.two system"

what="documentation and the revision are not data"
echo changed >>docs/page.md
ran 0 "system"
git commit --quiet --allow-empty --message another
ran 0 "system"

what="another environment counts, of the test or of all, but not another terminal"
VALUE=1 configure
ran 0 "room.two"
VALUE=2 ran 0 "room.one room.two system"
SSH_TTY=/dev/pts/7 ran 0 ""

what="another option of the build counts"
configure -DOPTION=1
ran 0 "room.one room.two system"

what="another program of the machine counts"
program "$scratch/path/tool"
ran 0 "room.one room.two system"

begin "what failed or was skipped is never remembered, and what passed beside it is"
echo 'exit 1' >>room.one.cpp
echo 'exit 77' >>system.cpp
ran 1 "room.one system"
ran 1 "room.one system"
says '1 of 3 tests passed before'

begin "what changed while it ran is not remembered"
echo "echo changed >>'$project/data'" >>room.one.cpp
ran 0 "room.one system"
ran 0 "room.one room.two system"
ran 0 "room.one room.two system"

begin "where git knows no files nothing is remembered"
mv .git "$scratch/git"
ran 0 "room.one room.two system"
ran 0 "room.one room.two system"
mv "$scratch/git" .git

what="a preset that there is not"
if ci/scripts/run_tests.sh another >/dev/null 2>&1; then complain "is tested"; fi

exit "$failed"
