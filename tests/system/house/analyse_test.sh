#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# analyse_test.sh SOURCE
#
# Static analysis leaves out what it found clean, and only that: whatever a finding can come from, a
# changed header, check, option or tool, has the file analysed again. With the real clang-tidy, and a
# cmake that only writes the compile commands.
# shellcheck disable=SC2016  # the programs expand what stands in single quotes
set -euo pipefail
source_root=$1
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch/home GIT_CONFIG_NOSYSTEM=1 PATH=$scratch/path:$PATH
unset CPATH CPLUS_INCLUDE_PATH
if ! clang_tidy=$(command -v clang-tidy-14); then
  printf 'Not tested: there is no clang-tidy-14; ci/scripts/setup.sh test installs it\n'
  exit 77
fi
failed=0

# shellcheck source=tests/helpers/programs.sh
source "$source_root/tests/helpers/programs.sh"

project=$scratch/project
part=$project/ci/part
mkdir -p "$project/ci/scripts" "$part" "$project/later" "$HOME"
cp "$source_root"/ci/scripts/{analyse,common}.sh "$project/ci/scripts"
program "$scratch/path/cmake" '[[ $1 != --build ]] || exit 0' \
  'mkdir -p build/analysis' \
  'for file in ci/part/{one,two}.cpp; do printf "%s{\"directory\": \"$PWD/build/analysis\", \"file\": \"$PWD/$file\", \"command\": \"c++ $OPTIONS -I$PWD/ci -I$PWD/later -o ${file##*/}.o -c $PWD/$file\"}" "${separator:-[}"; separator=,; done >build/analysis/compile_commands.json' \
  'printf "]\n" >>build/analysis/compile_commands.json'
export OPTIONS=-DUSED

checks() { printf "Checks: '-*,%s'\nWarningsAsErrors: '*'\nHeaderFilterRegex: '.*'\n" "$1" >"$project/.clang-tidy"; }
# begin WHAT: with the clean sources that the first case makes known.
begin() {
  what=$1
  checks modernize-use-using
  rm -f "$scratch/path"/clang-* "$project"/ci/*.hpp "${part:?}"/{*,.clang-tidy} "$project/later"/*
  printf '#include "part/one.hpp"\nint one() { return kOne; }\n' >"$part/one.cpp"
  printf 'inline constexpr int kOne = 1;\n' >"$part/one.hpp"
  printf '#ifndef USED\ntypedef int Two;\n#endif\nint two() { return 2; }\n' >"$part/two.cpp"
}
complain() {
  failed=1
  printf '%s: %s\n' "$what" "$1"
}
# analysed STATUS REMEMBERED TEXT: how the analysis ends, of how many files it says that they are known
# to be clean, and what it says among other things.
analysed() {
  local got=0 remembered=0
  output=$(cd "$project" && ci/scripts/analyse.sh 2>&1 </dev/null) || got=$?
  ((got == 0)) || got=1
  [[ ! $output =~ ([0-9]+)' of 2 files are as when they were found clean' ]] || remembered=${BASH_REMATCH[1]}
  [[ $got == "$1" && $remembered == "$2" && $output == *"$3"* ]] ||
    complain "ends with $got instead of $1, remembers $remembered instead of $2, or does not say '$3': $output"
}
finding() { analysed 1 "$1" "modernize-use-using"; }

begin "what was found clean is not analysed again"
git -C "$project" init --quiet
git -C "$project" add ci
analysed 0 0 ""
analysed 0 2 ""

begin "a finding is never remembered, and not that of a file beside it"
printf 'typedef int One;\n' >>"$part/one.cpp"
finding 1
finding 1

begin "a source that does not compile is never remembered"
printf 'int x = y;\n' >>"$part/one.cpp"
analysed 1 1 "one.cpp"
analysed 1 1 "one.cpp"

begin "where a header is gone, nothing is known"
rm "$part/one.hpp"
analysed 1 0 "one.hpp"

begin "a header's finding is found"
printf 'typedef int One;\n' >>"$part/one.hpp"
finding 1

begin "what is again as it was is known"
analysed 0 2 ""

begin "a header that now stands before another of its name is found"
mv "$part/one.hpp" "$project/later/found.hpp"
sed -i 's,part/one,found,' "$part/one.cpp"
analysed 0 1 ""
printf 'inline constexpr int kOne = 1;\ntypedef int One;\n' >"$project/ci/found.hpp"
finding 1

begin "a finding that was allowed by a comment is found without it"
printf 'typedef int One;  // NOLINT\n' >>"$part/one.cpp"
analysed 0 1 ""
sed -i 's,  // NOLINT,,' "$part/one.cpp"
finding 1

begin "another check, of a folder or of all, is asked of its files"
printf 'typedef int One;\n' >>"$part/one.cpp"
checks readability-else-after-return
analysed 0 0 ""
printf "InheritParentConfig: true\nChecks: modernize-use-using\n" >"$part/.clang-tidy"
finding 0

begin "other compile options are other code"
OPTIONS=-DUNUSED finding 0

begin "another clang-tidy is asked again"
program "$scratch/path/clang-tidy-14" "exec $clang_tidy \"\$@\""
analysed 0 0 ""

begin "a clang-tidy that ends badly and says nothing, or says something and ends well, found nothing clean"
program "$scratch/path/clang-tidy-14" "[[ \$* != *--quiet*one.cpp ]] || exit 1; exec $clang_tidy \"\$@\""
analysed 1 0 ""
analysed 1 1 ""
program "$scratch/path/clang-tidy-14" "[[ \$* != *--quiet*one.cpp ]] || echo odd; exec $clang_tidy \"\$@\""
analysed 0 0 odd
analysed 0 1 odd

begin "what was edited while it was analysed is not known to be clean"
program "$scratch/path/clang-tidy-14" "$clang_tidy \"\$@\" || exit" \
  '[[ $* != *--quiet*one.cpp ]] || echo "// edited" >>"'"$part/one.cpp"'"'
analysed 0 0 ""
analysed 0 1 ""
sed -i '$d' "$part/one.cpp"
analysed 0 1 ""

begin "without the tool that knows the headers all is analysed"
program "$scratch/path/clang-scan-deps-14" 'exit 1'
analysed 0 0 ""

exit "$failed"
