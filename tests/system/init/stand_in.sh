#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sourced. Makes the repository "$scratch/a project", whose program writes what Google Benchmark would, and goes there.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
export WARPGAUGE_DEVICE="a processor"
mkdir "$scratch/my tools"
ln -s "$WARPGAUGE" "$scratch/my tools/warpgauge"
export WARPGAUGE="$scratch/my tools/warpgauge"

source "${BASH_SOURCE[0]%/*}/../../helpers/expect.sh"

# A program that writes what Google Benchmark would, with times of its own making.
mkdir -p "$scratch/a project/bench"
cd "$scratch/a project"
git init -q
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES CXX)
add_subdirectory(bench)
CMAKE
cat >bench/CMakeLists.txt <<'CMAKE'
add_library(benchmark_stand_in INTERFACE)
add_library(benchmark::benchmark ALIAS benchmark_stand_in)
add_executable(sort_bench sort.cpp)
target_link_libraries(sort_bench PRIVATE benchmark::benchmark)
CMAKE
cat >bench/sort.cpp <<'CPP'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
constexpr double kTime = 100, kNoise = 0;
constexpr const char* kNames[] = {"sort/8"};
int main(int argc, char** argv) {
  const char* out = nullptr;
  bool lists = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--benchmark_out=", 16) == 0) out = argv[i] + 16;
    lists = lists || std::strcmp(argv[i], "--benchmark_list_tests=true") == 0;
  }
  if (lists) {
    for (const char* name : kNames) std::puts(name);
    return 0;
  }
  if (std::getenv("CRASH")) std::abort();
  std::FILE* file = out ? std::fopen(out, "w") : nullptr;
  if (!file) return 1;
  const int digit = out[std::strlen(out) - 6] - '0';
  double data = 1;
  if (const char* path = std::getenv("DATA")) {
    std::FILE* read = std::fopen(path, "r");
    if (!read || std::fscanf(read, "%lf", &data) != 1) return 3;
    std::fclose(read);
  }
  const double machine = (std::getenv("SLOW_MACHINE") ? 1.3 : 1) * data;
  const double time = machine * (kTime - (digit == 2 ? kNoise : 0) + 0.01 * digit);
  char date[40] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%FT%T+00:00", std::gmtime(&now));
  std::fprintf(file, R"({"context": {"date": "%s", "num_cpus": 1, "executable": "%s"}, "benchmarks": [)", date, out);
  const char* comma = "";
  for (const char* name : kNames) {
    std::fprintf(file, R"(%s
    {"name": "%s", "run_name": "%s", "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
     "threads": 1, "iterations": 9, "real_time": %.3f, "cpu_time": %.3f, "time_unit": "ns"})",
                 comma, name, name, time, time);
    comma = ",";
  }
  std::fputs("]}", file);
  return std::fclose(file);
}
CPP
# What the last gate printed that approves. Only of the first time it knows the reason.
approve() { sed -n "s/'…'/'again'/; s/^Nothing is approved yet for .* Approve these: //p" <<<"$output"; }
