#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# survey.sh [OPTION...] hecbench|samples FOLDER OUTPUT
# survey.sh page FOLDER
# survey.sh --nvcc PROGRAM pack FOLDER
#
# Builds public CUDA programs unchanged for the emulator, runs them, and prints a table by class.
#   hecbench   FOLDER is HeCBench's src: each *-cuda with a Makefile, by that Makefile
#   samples    FOLDER is cuda-samples: each folder of chapters 0 to 6, all its sources and Common
#   pack       writes warpgauge-nvcc and all that it takes to FOLDER, for a machine that has bash, make
#              and g++ 12 or later, and nothing else of Warpgauge's
#   page       prints docs/reference/public-programs.md, from hecbench.tsv and samples.tsv (each the
#              programs.tsv of a survey), judged.tsv and about.md in FOLDER, and from races.tsv (of
#              races.py), races_judged.tsv and races_about.md there
# OUTPUT gets programs.tsv (a line a program), table.txt, and the logs.
#
#   --nvcc PROGRAM   warpgauge-nvcc (else from PATH)
#   -j N             programs at once (1)
#   --run            run them, too
#   --seconds N      at most, for each run (60); a build gets ten times that
#   --small          run those that took longer once more, with smaller numbers as arguments
#   --only REGEX     the programs whose names match
#   --again          those that OUTPUT has a line of already, too
set -euo pipefail

nvcc=warpgauge-nvcc
jobs=1
run=no
seconds=60
small=no
only=.
again=no

usage() {
  sed -n '3,24p' "${BASH_SOURCE[0]}" | cut -c3- >&2
  exit 64
}

# --- what a log says ------------------------------------------------------------------------------

# The class of a build that failed, and the reason: what its log blames first.
why_not_built() {
  local log=$1 line
  line=$(grep -m1 -E 'fatal error: .*: No such file|: the emulator has no |warpgauge-nvcc: |error: |undefined reference|No rule to make target|make: .*No such file' "$log" | cut -c1-200 || true)
  case $line in
    *'the emulator has no textures'* | *'the emulator has no driver'* | *'the emulator has no memory'* | *'the emulator has no graph'* | *'the emulator has no conditional'*)
      line=${line#*the emulator has no } && echo "refused${tab}${line%% (*}" ;;
    *'the emulator has no '*) line=${line#*the emulator has no } && echo "library${tab}${line%% (*}" ;;
    *'the option -stdpar'* | *'the option -Minfo'*) echo "another compiler${tab}nvc++" ;;
    *cudaPushCallConfiguration*) echo "library${tab}PyTorch" ;;
    *'undefined reference'*MPI_*) echo "library${tab}mpi.h" ;;
    *"No rule to make target 'main.o'"*) echo "missing data${tab}a header that main.o needs" ;;
    *'No such file'* | *'No rule to make'*)
      case $line in
        *gdal* | *torch* | *cublas* | *cusparse* | *cufft* | *curand* | *cusolver* | *cudnn* | *nccl* | *npp* | *nvjpeg* | *mpi* | *gsl* | *boost* | *cutlass* | *nvrtc* | *nvml* | *nvtx* | *zlib* | *nvshmem* | *oneapi* | *Eigen* | *FreeImage* | *cudla* | *cuda/std* | *cuda/* | *nvToolsExt*)
          echo "library${tab}$(grep -oE "[^ :'<>]+(\.h|\.hpp|\.cuh|/[a-z_]+): No such|'[^']+'" <<<"$line" | head -1 | sed 's/: No such//')" ;;
        *'No rule to make'* | *.dat* | *data*.h:*) echo "missing data${tab}${line#*No rule to make target }" ;;
        *) echo "fails${tab}$line" ;;
      esac ;;
    '')
      if grep -q "No module named 'torch'" "$log"; then
        echo "library${tab}PyTorch"
      elif grep -q "Couldn't find CUDA library root" "$log"; then
        echo "another compiler${tab}CMake's own CUDA"
      elif line=$(grep -m1 -oE "can.t cd to .*|[^ ]*: No such file or directory" "$log"); then
        echo "missing data${tab}$line"
      else
        echo "fails${tab}$(grep -vE 'Leaving directory' "$log" | tail -n1 | cut -c1-200)"
      fi ;;
    *) echo "fails${tab}$line" ;;
  esac
}

# What a run says of itself: its exit status, output and the emulator's report.
how_it_ran() {
  local status=$1 log=$2 report=$3 class errors=0
  [ -f "$report" ] && errors=$(grep -cE '^  [0-9]+ errors?, reported above' "$report" || true)
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    class=time-out
  elif grep -qiE 'cannot (be )?open|could ?n.t open|(unable|failed) to (open|read|load|find)|error opening|no such (file|folder)|(could not|cannot) (stat|find|read)|(not opened|open fails|not found)|invalid infile|filesystem::exists|. != (NULL|nullptr).' "$log"; then
    class='missing data'
  elif grep -qE '\bFAIL(ED|URE)?\b|[Mm]ismatch|[Tt]est failed|[Vv]erification failed|results? (is|are) (wrong|incorrect)|\breturned ERROR|\b[Cc]ompare (not ok|NOT OK|ERROR)' "$log"; then
    class='verified FAIL'
  elif [ "$status" = 2 ] && grep -qE '\b[Ww]aiving\b|^No two or more GPUs|^No CUDA devices support' "$log"; then  # EXIT_WAIVED of the samples
    class=waived
  elif grep -qiE '\bpass(ed)?\b|\bsuccess(ful(ly)?)?\b|test ok|results? (is|are|match)|\bcorrect\b|\breturned ok\b|\bcompare ok\b' "$log"; then
    class='verified pass'
  elif [ "$status" = 0 ] || [ "$status" = 4 ]; then
    class='no self-check'
  else
    class="exit $status"
  fi
  printf '%s\t%s\n' "$class" "$errors"
}

# --- one program ----------------------------------------------------------------------------------

# Writes its line: name, class of the build, reason, class of the run and kernels with errors; the last
# two once more for the run with smaller arguments.
tell() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >"$output/lines/$1"
  printf '%-40s %-12s %s %s %s\n' "$1" "$2" "$3" "$4" "$6" | cut -c1-160 >&2
}

tell_not_built() { tell "$1" "${2%%"$tab"*}" "${2#*"$tab"}" '' 0 '' 0; }

# run_program NAME FOLDER COMMAND...: the class of the run and its errors, and of one with smaller
# arguments.
run_program() {
  local name=$1 folder=$2 first
  shift 2
  if [ "$run" = no ]; then
    echo "not run${tab}0${tab}${tab}0"
    return
  fi
  first=$(run_once "$name" "$folder" "$@")
  printf '%s\t' "$first"
  if [ "$small" = yes ] && [[ $first == time-out* ]]; then
    mapfile -t command < <(smaller "$folder" "$@")
    run_once "$name.small" "$folder" "${command[@]}"
  else
    printf '\t0\n'
  fi
}

run_once() {
  local name=$1 folder=$2 status=0
  shift 2
  (cd "$folder" && WARPGAUGE_REPORT=$output/logs/$name.report \
    timeout -k 5 "$seconds" stdbuf -oL "$@" >"$output/logs/$name.run" 2>&1 </dev/null) || status=$?
  [ "$status" = 2 ] && grep -qE 'Error 4$' "$output/logs/$name.run" && status=4
  how_it_ran "$status" "$output/logs/$name.run" "$output/logs/$name.report"
}

# The first program that `make run` starts, a word a line: its last number, which is most often that
# of the repeats, is 1, those before are 512 at most.
smaller() {
  local folder=$1 line
  shift
  line=$("$@" -n -C "$folder" 2>/dev/null | grep -v '^#' | grep -m1 -E '(^| )\./' | sed 's/.*&& *//; s/ *[;>|].*//' || true)
  awk '{
    last = 0
    for (i = 2; i <= NF; ++i) if ($i ~ /^[0-9]+$/) last = i
    for (i = 1; i <= NF; ++i) {
      if (i > 1 && $i ~ /^[0-9]+$/) $i = i == last && NF > 2 ? 1 : ($i > 512 ? 512 : $i)
      if (i == last && NF == 2) $i = 1
      print $i
    }
  }' <<<"$line"
}

# The folder is copied, since a build writes to it; what lies beside it is linked.
hecbench_program() {
  local name=$1 built how makefile
  local copy=$output/src/$name.copy log=$output/logs/$name.build
  rm -rf "$copy"
  cp -r "$folder/$name" "$copy"
  makefile=$(find "$copy" -maxdepth 3 -name Makefile | awk '{print length, $0}' | sort -n | head -n1 | cut -d' ' -f2-)
  if [ -z "$makefile" ]; then
    tell_not_built "$name" "fails${tab}has no Makefile"
    rm -rf "$copy"
    return
  fi
  local from=${makefile%/*}
  make -s -C "$from" clean >/dev/null 2>&1 || true
  if timeout -k 5 $((seconds * 10)) make -C "$from" CC="$nvcc" NVCC="$nvcc" >"$log" 2>&1 </dev/null; then
    IFS= read -r how < <(run_program "$name" "$from" make -s run CC="$nvcc" NVCC="$nvcc")
    IFS=$tab read -r -a how <<<"${how//$tab$tab/$tab $tab}"
    tell "$name" compiles '' "${how[@]}"
  else
    built=$(why_not_built "$log")
    tell_not_built "$name" "$built"
  fi
  [ "$keep" = yes ] || rm -rf "$copy"
}

sample_program() {
  local name=$1 from sources=() built how more=()
  from=$folder/Samples/${name/__/\/}
  local to=$output/programs/$name log=$output/logs/$name.build
  mapfile -t sources < <(find "$from" "$from/src" -maxdepth 1 \( -name '*.cu' -o -name '*.cpp' -o -name '*.c' \) 2>/dev/null | sort)
  if grep -qE 'include .*(GL/|GLES|helper_gl|rendercheck|vulkan|Vulkan|EGL|d3d|D3D|nvsci|nvmedia|X11)' -r "$from" --include='*.cu' --include='*.cpp' --include='*.h' --include='*.cuh'; then
    tell_not_built "$name" "graphics$tab"
    return
  fi
  if [ ${#sources[@]} = 0 ]; then
    tell_not_built "$name" "fails${tab}has no source of CUDA"
    return
  fi
  grep -qs helper_multiprocess.h "${sources[@]}" && more+=("$folder/Common/helper_multiprocess.cpp")
  grep -qs multithreading.h "${sources[@]}" && [ ! -e "$from/multithreading.cpp" ] && more+=("$folder/Common/multithreading.cpp")
  if timeout -k 5 $((seconds * 10)) "$nvcc" -std=c++17 -O3 -I"$folder/Common" -I"$from" -I"$from/inc" -I"$folder/Common/UtilNPP" \
    -Xcompiler -fopenmp \
    -o "$to" "${sources[@]}" "${more[@]}" -lpthread >"$log" 2>&1 </dev/null; then
    IFS= read -r how < <(run_program "$name" "$from" "$to")
    IFS=$tab read -r -a how <<<"${how//$tab$tab/$tab $tab}"
    tell "$name" compiles '' "${how[@]}"
  else
    built=$(why_not_built "$log")
    tell_not_built "$name" "$built"
  fi
  rm -f "$to"
}

# --- all of them ----------------------------------------------------------------------------------

names() {
  if [ "$kind" = hecbench ]; then
    (cd "$folder" && printf '%s\n' *-cuda)
  else
    (cd "$folder/Samples" && printf '%s\n' [0-6]_*/*/ | sed 's|/$||; s|/|__|')
  fi | grep -E "$only" | while read -r name; do
    [ "$again" = no ] && [ -f "$output/lines/$name" ] || echo "$name"
  done
}

prepare() {
  mkdir -p "$output"/{lines,logs,programs,src}
  [ "$kind" = hecbench ] || return 0
  local entry
  for entry in "$folder"/*; do
    [ -e "$output/src/${entry##*/}" ] || ln -s "$entry" "$output/src/"
  done
  for entry in "$folder"/../*; do
    [ -e "$output/${entry##*/}" ] || ln -s "$(realpath "$entry")" "$output/${entry##*/}"
  done
}

table() {
  local all
  all=$(wc -l <"$output/programs.tsv")
  echo "$kind: $all programs"
  echo
  echo 'built'
  cut -f2 "$output/programs.tsv" | sort | uniq -c | sort -rn
  echo
  echo 'why not'
  awk -F'\t' '$2 != "compiles" {print $2 ": " $3}' "$output/programs.tsv" |
    sed -E 's/^(fails): .*error: /\1: /' | sort | uniq -c | sort -rn
  [ "$run" = yes ] || return 0
  echo
  echo 'ran'
  awk -F'\t' '$2 == "compiles" {print $4}' "$output/programs.tsv" | sort | uniq -c | sort -rn
  echo
  echo 'programs in which the emulator reported errors'
  awk -F'\t' '$2 == "compiles" && $5 > 0 {print $4}' "$output/programs.tsv" | sort | uniq -c | sort -rn
}

# --- the page -------------------------------------------------------------------------------------

# rows: "class<tab>what" on each line of the input, counted, as a Markdown table.
rows() {
  printf '| %s | programs |\n|---|---|\n' "$1"
  sort | uniq -c | sort -k1,1nr -k2 | sed -E 's/^ *([0-9]+) (.*)/| \2 | \1 |/'
  echo
}

section() {
  local title=$1 programs=$2
  awk -F'\t' -v title="$title" '
    { ++all; ++built[$2] }
    $2 == "compiles" { way = $6 ~ /[a-z]/ ? $6 : $4; sub(/^exit .*/, "exit", way); ++ran[way] }
    END {
      n = all - built["graphics"]
      printf "## %s\n\n%d programs", title, all
      if (built["graphics"]) printf ", %d of them with graphics", built["graphics"]
      printf ". Of the %s %d, %d compile unchanged (%.0f %%); of the %d that need no library, %.0f %%.\n", \
        built["graphics"] ? "other" : "", n, built["compiles"], 100 * built["compiles"] / n, \
        n - built["library"], 100 * built["compiles"] / (n - built["library"])
      verified = ran["verified pass"] + ran["verified FAIL"]
      if (verified) printf "Of %d that ran to their end and check themselves, %d pass.\n", verified, ran["verified pass"]
      printf "\n"
    }' "$programs" | sed 's/the  /the /'
  cut -f2 "$programs" | rows 'built'
  awk -F'\t' '$2 != "compiles" && $2 != "graphics" {
      reason = $3; sub(/^.*error: /, "", reason); gsub(/[|]/, "", reason); print $2 ": " substr(reason, 1, 90)
    }' "$programs" | rows 'why not'
  awk -F'\t' '$2 == "compiles" && $4 != "not run" {
      way = $6 ~ /[a-z]/ ? $6 : $4
      if (way ~ /^exit/) way = ($6 ~ /[a-z]/ ? $7 : $5) > 0 ? "ends by an error of the emulator" : "exit other than 0"
      print way ($6 ~ /[a-z]/ ? " (smaller arguments)" : "")
    }' "$programs" | rows 'ran'
}

page() {
  local folder=$1
  sed '/^<!--/d' "$folder/about.md"
  echo
  [ ! -f "$folder/hecbench.tsv" ] || section HeCBench "$folder/hecbench.tsv"
  [ ! -f "$folder/samples.tsv" ] || section cuda-samples "$folder/samples.tsv"
  awk -F'\t' '
    NR > 1 { ++count[$4]; ++all; line[NR] = "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " |" }
    END {
      printf "## Errors that the emulator reports in them\n\nOf %d kernels or lines, judged one by one: %d are mistakes, ", all, count["mistake"]
      printf "%d break a rule of CUDA without harm, %d are limits of the emulator, %d are false.\n\n", count["by the letter"], count["limit"], count["false"]
      print "| program | line | reported | judged | why |\n|---|---|---|---|---|"
      for (i = 2; i <= NR; ++i) print line[i]
    }' "$folder/judged.tsv"
  [ -f "$folder/races.tsv" ] || return 0
  echo
  cat "$folder/races_about.md"
  echo
  "$(dirname "${BASH_SOURCE[0]}")/races.py" section "$folder/races.tsv" "$folder/races_judged.tsv"
}

survey() {
  [ -x "$(command -v "$nvcc")" ] || { echo "survey.sh: no $nvcc; name it by --nvcc" >&2; exit 64; }
  nvcc=$(realpath "$(command -v "$nvcc")")
  folder=$(realpath "$1")
  mkdir -p "$2"
  output=$(realpath "$2")
  prepare
  # For Makefiles that call nvcc by this name, whatever they are given.
  mkdir -p "$output/path"
  ln -sf "$nvcc" "$output/path/nvcc"
  export PATH="$output/path:$PATH"
  local cores
  cores=$(($(nproc) / jobs))
  names | xargs -r -P "$jobs" --process-slot-var=SURVEY_SLOT -I{} "${BASH_SOURCE[0]}" --nvcc "$nvcc" \
    --run-is "$run" --small-is "$small" --seconds "$seconds" --cores "$((cores > 0 ? cores : 1))" \
    one "$kind" "$folder" "$output" {}
  cat "$output"/lines/* | sort >"$output/programs.tsv"
  table | tee "$output/table.txt"
}

# warpgauge-nvcc with its headers, its libraries, and the shared ones that it and its programs load.
pack() {
  local to=$1 program configuration line library
  program=$(realpath "$(command -v "$nvcc")")
  configuration=${program%/*}/warpgauge-nvcc.conf
  mkdir -p "$to/lib"
  to=$(realpath "$to")
  cp "$program" "$to/"
  : >"$to/warpgauge-nvcc.conf"
  while read -r line; do
    line=${line//\$ORIGIN/${program%/*}}
    case $line in
      'include '*) cp -r "${line#* }" "$to/include" && echo "include \$ORIGIN/include" ;;
      'options '*) cp "${line#* }" "$to/" && echo "options \$ORIGIN/${line##*/}" ;;
      'library /'*) cp "${line#* }" "$to/lib/" && echo "library \$ORIGIN/lib/${line##*/}" ;;
      'library -lpthread' | 'library -ldl') echo "$line" ;;
      'library -l'*)
        library=$(g++ -print-file-name="lib${line#*-l}.so")
        cp -L "$library" "$to/lib/" && echo "library \$ORIGIN/lib/${library##*/}" ;;
      *) echo "$line" ;;
    esac
  done <"$configuration" >>"$to/warpgauge-nvcc.conf"
  echo "library -Wl,-rpath,\$ORIGIN/lib -Wl,--allow-shlib-undefined" | tr ' ' '\n' | sed '1d; s/^/library /' >>"$to/warpgauge-nvcc.conf"
  carry_libraries "$to"
}

# By the names that they are loaded by, with what they load in turn; not the C and C++ libraries.
carry_libraries() {
  local to=$1 library
  for library in "$to"/lib/*.so; do
    ldd "$library" | awk '/=> \// {print $3}'
    readlink -f "$(g++ -print-file-name="${library##*/}")" >/dev/null
    cp -L "$library" "$to/lib/$(objdump -p "$library" | awk '/SONAME/ {print $2}')"
  done | sort -u | grep -vE '/(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|ld-linux)[.-]' |
    while read -r library; do cp -L "$library" "$to/lib/"; done
}

tab=$'\t'
keep=${KEEP_COPIES:-no}
while [ $# -gt 0 ]; do
  case $1 in
    --nvcc) nvcc=$2 && shift 2 ;;
    -j) jobs=$2 && shift 2 ;;
    -j*) jobs=${1#-j} && shift ;;
    --run) run=yes && shift ;;
    --seconds) seconds=$2 && shift 2 ;;
    --only) only=$2 && shift 2 ;;
    --again) again=yes && shift ;;
    --small) small=yes && shift ;;
    --run-is) run=$2 && shift 2 ;;
    --small-is) small=$2 && shift 2 ;;
    --cores) cores=$2 && shift 2 ;;
    one) # for the survey itself: one program
      [ $# = 5 ] || usage
      folder=$3
      output=$4
      # A program has as many cores as each other at once, and shows as many to OpenMP.
      taskset -pc "$((SURVEY_SLOT * cores))-$(((SURVEY_SLOT + 1) * cores - 1))" $$ >/dev/null 2>&1 || true
      if [ "$2" = hecbench ]; then hecbench_program "$5"; else sample_program "$5"; fi
      exit ;;
    hecbench | samples)
      kind=$1
      [ $# = 3 ] || usage
      survey "$2" "$3"
      exit ;;
    page)
      [ $# = 2 ] || usage
      page "$2"
      exit ;;
    pack)
      [ $# = 2 ] || usage
      pack "$2"
      exit ;;
    *) usage ;;
  esac
done
usage
