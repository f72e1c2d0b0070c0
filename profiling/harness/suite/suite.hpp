// SPDX-License-Identifier: Apache-2.0
// A suite's command line: Google Benchmark's own, plus
//
//   --warpgauge_describe            print the suite's contents as JSON; needs no device
//   --warpgauge_device              print the device as JSON; exit status 4 without a device
//   --warpgauge_pass=time|counters|lines  what this process observes
//   --warpgauge_sizes=gate|large|emulated  which sizes to run, see SizeSet; default: gate
//   --warpgauge_counters=NAME[,NAME…]  count these too, by the vendor's names; with
//                                   --warpgauge_device: check that they exist
//   --warpgauge_profile             run each benchmark once, for ncu or nsys; measure nothing
//   --warpgauge_hot                 time with the caches as the last launch left them
//   --warpgauge_launches            launch once, without the checks for cheats, and record how, on
//                                   what input and what that counts, without lines (the emulator)
//   --warpgauge_more_samples        in the time pass, sample each benchmark for longer
//   --warpgauge_select=FILE         run only the benchmarks in FILE, one id per line
//   --warpgauge_record=FILE         write what was observed to FILE, see journal.hpp
#pragma once

#include "profiling/harness/backend.hpp"

namespace warpgauge {

// Exit status: 0, 1 (a benchmark failed and nothing is recorded), 4 (no device), 64 (usage),
// 70 (see kExitAfterError).
[[nodiscard]] int run_suite(Backend& backend, int argc, char** argv);

}  // namespace warpgauge
