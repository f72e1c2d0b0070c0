#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_excerpts.sh SOURCE
#
# The C++ that docs/guide/getting-started.md shows stands in docs/examples/kernels, line for line, and so
# does its first block of CMake.
set -euo pipefail
cd "$1/docs"
example=$(cat examples/kernels/CMakeLists.txt examples/kernels/benchmarks/*.cu)

compared=0
block=
language=
of_cmake=0
while IFS= read -r line; do
  case $line in
    '```cpp' | '```cmake') language=${line#'```'} block= ;;
    '```')
      [[ $language != cmake ]] || of_cmake=$((of_cmake + 1))
      if [[ $language && ($language == cpp || $of_cmake == 1) ]]; then
        [[ $example == *"$block"* ]] || { printf 'not in the example:\n%s' "$block"; exit 1; }
        compared=$((compared + 1))
      fi
      language=
      ;;
    *) block+=$line$'\n' ;;
  esac
done <guide/getting-started.md
printf '%d excerpts compared\n' "$compared"
((compared >= 4))
