#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# turns_test.sh WARPGAUGE
#
# What passes because of a mistake in the script that `warpgauge init` writes: a copy of it that builds another suite, an
# executable of an earlier build, an edit of the script itself, an option that it does not know, a file that no commit has.
set -euo pipefail
export WARPGAUGE=$1
source "$(dirname "$0")/stand_in.sh"
export WARPGAUGE_PROCESSES=12
commit() {
  git add --all
  git commit -qm "$1"
}
mkdir include
echo >include/knob.hpp
echo 1 >data.txt
sed -i 's|^constexpr double kTime = 100, kNoise = 0;|#if __has_include("knob.hpp")\n#include "knob.hpp"\n#endif\n#ifndef TIME\n#define TIME 100\n#endif\nconstexpr double kTime = TIME, kNoise = 0;|' bench/sort.cpp
expect 0 "4 files written" "$WARPGAUGE" init --yes
git add --all
WARPGAUGE_PROCESSES=2 expect 3 "Commit your changes, new files too" bash ci/warpgauge.sh
commit first
# What is approved with a file that is in no commit is not that commit's: built without it, both sides would be slower.
sed -i '1i #if __has_include("fast.hpp")\n#include "fast.hpp"\n#endif' bench/sort.cpp
sed -i 's/#define TIME 100/#define TIME 130/' bench/sort.cpp
commit slow
echo '#define TIME 100' >bench/fast.hpp
expect 3 "Commit your changes, new files too (bench/fast.hpp), and measure again" bash ci/warpgauge.sh
expect 0 "wrote" bash -c "$(approve)"
rm bench/fast.hpp
expect 1 "what was approved last is no commit alone" bash ci/warpgauge.sh
rm -r baselines/google_benchmark
git reset -q --hard HEAD~
expect 3 "Approve them even if" bash ci/warpgauge.sh
expect 0 "wrote" bash -c "$(approve)"
commit approved
for value in true 1 false; do
  expect 64 "--check takes no value" bash ci/warpgauge.sh --check=$value
done
expect 64 "--build stands alone" bash ci/warpgauge.sh --check --build
expect 0 "pass: 1 same" bash ci/warpgauge.sh
expect 0 "Nothing was measured." bash ci/warpgauge.sh --check
[[ -e results/verdict.json ]] || { echo "to check the options it removed the last verdict"; exit 1; }
# The verdict of an earlier gate is none of a call that is refused.
expect 64 "it sees to --identity-from itself" bash ci/warpgauge.sh --identity-from x
[[ ! -e results/verdict.json ]] || { echo "the verdict of an earlier gate is still there"; exit 1; }
[[ -e results/results.json ]] || { echo "a refused call removes what can still be approved"; exit 1; }
WARPGAUGE_DEVICE=ü expect 64 "WARPGAUGE_DEVICE is 'ü'" bash ci/warpgauge.sh

# What it prints goes where the caller says, and not into itself.
SLOW_MACHINE=1 expect 0 "" bash -c 'bash ci/warpgauge.sh >log 2>&1'
grep -q 'Against the baseline' log || { cat log; echo "the log lacks its beginning"; exit 1; }
rm log
SLOW_MACHINE=1 expect 4 "" bash -c 'bash ci/warpgauge.sh 2>&-'
expect 0 "" git diff --exit-code
CMAKE_GENERATOR="Ninja Multi-Config" expect 0 "executable: build/warpgauge/bench/Release/sort_bench" bash ci/warpgauge.sh --build
rm -r build
# What another project brings is not removed, and not measured.
others=build/warpgauge/other-prefix/src/other/sort_bench
mkdir -p "${others%/*}"
install /dev/null "$others"
expect 0 "executable: build/warpgauge/bench/sort_bench" bash ci/warpgauge.sh --build
[[ -e $others ]] || { echo "it removed a source of ExternalProject"; exit 1; }

# What a runner's environment makes slower is no edit, and passes, but is said.
CXXFLAGS=-DTIME=130 expect 0 "pass: 1 same" bash ci/warpgauge.sh
for each in "slower than when it was approved: sort/8 +30" "What was approved is as slow now" "flags of CMake 'C++ -falign-functions=64 -O3 -DNDEBUG' → 'C++ -falign-functions=64 -DTIME=130 -O3 -DNDEBUG'"; do
  { [[ $output == *"$each"* ]] && grep -qF "$each" results/summary.md; } || { echo "it does not say: $each: $output"; exit 1; }
done
# What it names of this checkout is an edit, though: of the other side it is that side's.
echo '#define TIME 130' >include/knob.hpp
CPLUS_INCLUDE_PATH="$PWD/no such:$PWD/include" expect 1 "regressed: 1 regressed" bash ci/warpgauge.sh
git checkout -q .
echo 1.3 >data.txt
DATA=$PWD/data.txt expect 1 "regressed: 1 regressed" bash ci/warpgauge.sh
git checkout -q .
# What build exports is for the compiler alone.
sed -i '/^build() {/a\  export SLOW_MACHINE=1' ci/warpgauge.sh
expect 0 "pass: 1 same" bash ci/warpgauge.sh
[[ $output != *"slower than"* ]] || { echo "the benchmarks run with what build exports: $output"; exit 1; }
git checkout -q .
mv ci/policy.toml "$scratch"
expect 64 "there is no ci/policy.toml" sh ci/warpgauge.sh
expect 0 "Nothing was measured." sh ci/warpgauge.sh --check --policy "$scratch/policy.toml"
git checkout -q .
slower() { sed -i 's/#define TIME 100/#define TIME 130/' "bench/$1.cpp"; }
# The executable lies elsewhere than before, and its source is older than what was built of that, as after cp -p.
slower sort
touch --date=yesterday bench/sort.cpp
sed -i "1i set(CMAKE_RUNTIME_OUTPUT_DIRECTORY \${CMAKE_BINARY_DIR}/bin)" bench/CMakeLists.txt
expect 1 "regressed: 1 regressed" bash ci/warpgauge.sh
git checkout -q .
# Its flags are an edit of the script, also of one with another name, and so is its target.
sed -i 's/-DCMAKE_BUILD_TYPE=Release/& -DCMAKE_CXX_FLAGS=-DTIME=130/' ci/warpgauge.sh
git mv ci/warpgauge.sh ci/gate.sh
expect 1 "regressed: 1 regressed" bash ci/gate.sh
[[ $output != *"differs from the script of"* ]] || { echo "it takes the build for how it is run: $output"; exit 1; }
git reset -q --hard
sed -i '/^set -Eeuo/i export CXXFLAGS=-DTIME=130' ci/warpgauge.sh
expect 1 "regressed: 1 regressed" bash ci/warpgauge.sh
[[ $output == *"it runs both sides, and differs from the script of"* ]] || { echo "it does not say what it cannot measure: $output"; exit 1; }
git checkout -q .
sed -i 's/sort_bench/new_bench/' bench/CMakeLists.txt ci/warpgauge.sh
slower sort
expect 1 "regressed: 1 regressed" bash ci/warpgauge.sh
git checkout -q .

# A copy gates its own suite.
cp bench/sort.cpp bench/alpha.cpp
printf 'add_executable(alpha_bench alpha.cpp)\ntarget_link_libraries(alpha_bench PRIVATE benchmark::benchmark)\n' >>bench/CMakeLists.txt
# It asks git, which knows each side as its commit.
cat >>bench/CMakeLists.txt <<'CMAKE'
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE described
                COMMAND_ERROR_IS_FATAL ANY)
file(APPEND $ENV{DESCRIBED} ${described})
CMAKE
export DESCRIBED=$scratch/described
sed 's/^target=.*/target=alpha_bench/; s|^baselines=.*|baselines=baselines/alpha|' ci/warpgauge.sh >ci/alpha.sh
commit alpha
expect 3 "--baselines baselines/alpha " bash ci/alpha.sh
expect 0 "wrote" bash -c "$(approve)"
commit 'alpha approved'
slower alpha
GIT_DIR=$PWD/.git expect 1 "regressed: 1 regressed" bash ci/alpha.sh
[[ $output == *"In turns with what was approved"*"rm -r baselines/alpha/a-processor && WARPGAUGE_DEVICE=a\\ processor bash ci/alpha.sh"* ]] || { echo "turns did not decide: $output"; exit 1; }
[[ $(tail -n 1 "$DESCRIBED") == "$(git rev-parse --short HEAD~)" ]] || { cat "$DESCRIBED"; echo "git does not describe the other side"; exit 1; }
[[ ! -e .git/worktrees && ! $(git status --short -- ':!bench/alpha.cpp') ]] || { git status; echo "it left something in the repository"; exit 1; }
expect 0 "pass: 1 same" bash ci/warpgauge.sh
git checkout -q .

# What is not there any more cannot be removed alone, either.
sed -i 's|{"sort/8"}|{"sort/8", "merge/8"}|' bench/sort.cpp
commit 'one more'
rm -r baselines/google_benchmark
expect 3 "Approve them even if" bash ci/warpgauge.sh
expect 0 "wrote" bash -c "$(approve)"
commit 'one more approved'
sed -i 's|, "merge/8"||' bench/sort.cpp
expect 4 "Or approve all anew once it is committed" bash ci/warpgauge.sh
# Beside that, turns decide what is slower.
slower sort
expect 4 "In turns with what was approved" bash ci/warpgauge.sh
[[ $output == *"1 missing, 1 regressed of 2"*"If all of that is intended, approve all anew: rm -r "* ]] || { echo "what is missing hides what is slower: $output"; exit 1; }
grep -qF 'approve all anew: `rm -r ' results/summary.md || { echo "the summary lacks the next step"; exit 1; }
SLOW_MACHINE=1 expect 4 "slower than when it was approved" bash -c 'git checkout -q . && sed -i "s|, \"merge/8\"||" bench/sort.cpp && bash ci/warpgauge.sh'
# Nothing of it is left when the next one ends early.
sed -i '1i #error' bench/sort.cpp
expect 4 "sort_bench was not built" bash ci/warpgauge.sh --filter nothing
[[ ! -e results/verdict.json ]] || { echo "the verdict of an earlier gate is still there"; exit 1; }
git checkout -q .

# Which side failed.
sed -i 's/if (std::getenv("CRASH"))/if (kTime > 0)/' bench/sort.cpp
commit crashes
crashes=$(git rev-parse HEAD)
git revert --no-edit HEAD >/dev/null
expect 4 "sort_bench of $crashes ended with status 134 (SIGABRT)" bash ci/warpgauge.sh --against HEAD~
# At a terminal the line that says how far it is ends before that.
on_terminal() { script -qec "bash ci/warpgauge.sh" /dev/null; }
! command -v script >/dev/null || CRASH=1 expect 4 $'1 of 12\r' on_terminal
sed -i '1i #error' bench/sort.cpp
commit broken
git revert --no-edit HEAD >/dev/null
expect 4 "If that is what was approved, and it can be built and run no more, remove the folder of this device below baselines/google_benchmark" bash ci/warpgauge.sh --against HEAD~
git reset -q --hard HEAD~2
# Both sides would run the library that was written last.
cat >>bench/CMakeLists.txt <<'CMAKE'
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/times.cpp "void times() {}")
add_library(times SHARED ${CMAKE_CURRENT_BINARY_DIR}/times.cpp)
set_target_properties(times PROPERTIES LIBRARY_OUTPUT_DIRECTORY $ENV{LIBRARIES})
target_link_libraries(sort_bench PRIVATE -Wl,--no-as-needed times)
CMAKE
commit shared
export LIBRARIES=$scratch/libraries
expect 4 "wrote $LIBRARIES/libtimes.so, which this checkout's would use, too" bash ci/warpgauge.sh --against HEAD
