// SPDX-License-Identifier: Apache-2.0
// Runs a command with the injection library and with driver_count.cpp in it, and prints how many
// launches each saw, as a row of a table:
//
//   against_driver NAME COMMAND...
//
// Ends with 1 where fewer than 99.99 % were recorded, or more than were launched, or where the
// command failed.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <string>

#include "tests/helpers/process.hpp"
#include "tests/profiling/cupti/inject/counted_program.hpp"

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fputs("usage: against_driver NAME COMMAND...\n", stderr);
    return 64;
  }
  std::string command;
  for (int i = 2; i < argc; ++i) command += warpgauge::quoted(argv[i]) + " ";
  const warpgauge::launches::CountedProgram counted = warpgauge::launches::count_program(command);
  const double share = counted.share_recorded();
  fmt::print("| {} | {} | {} | {} | {} | {:.4f} % |\n", argv[1], counted.driver.launches,
             counted.driver.graph_launches, counted.driver.graph_kernels, counted.recorded,
             100 * share);
  if (counted.driver.unknown_graphs > 0) {
    fmt::print(stderr, "{}: {} launches of graphs that were not seen before\n", argv[1],
               counted.driver.unknown_graphs);
  }
  if (counted.status != 0) {
    fmt::print(stderr, "{}: exit status {}: {}\n", argv[1], counted.status, counted.output);
    return 1;
  }
  constexpr double kAsked = 0.9999;
  return share >= kAsked && share <= 1 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "against_driver: {}\n", error.what());
  return 70;
}
