// SPDX-License-Identifier: Apache-2.0
// A suite's command line: Google Benchmark's own, plus
//
//   --warpgauge_describe            what is in the suite, as JSON; needs no device
//   --warpgauge_device              the device, as JSON; exit status 4 when there is none
//   --warpgauge_pass=time|counters|lines  what this process observes
//   --warpgauge_sizes=gate|large|emulated  which sizes, see SizeSet; default: gate
//   --warpgauge_counters=NAME[,NAME…]  counts these too, by the device's own names; with
//                                   --warpgauge_device: checks them
//   --warpgauge_profile             runs each benchmark once, for ncu or nsys; measures nothing
//   --warpgauge_hot                 times with the caches as the last launch left them
//   --warpgauge_select=FILE         run only the benchmarks that FILE names, one id a line
//   --warpgauge_record=FILE         write what was observed to FILE, see journal.hpp
#pragma once

#include "profiling/harness/backend.hpp"

namespace warpgauge {

// Exit status: 0, 1 (a benchmark failed and nothing is recorded), 4 (no device), 64 (usage),
// 70 (see kExitAfterError).
[[nodiscard]] int run_suite(Backend& backend, int argc, char** argv);

}  // namespace warpgauge
