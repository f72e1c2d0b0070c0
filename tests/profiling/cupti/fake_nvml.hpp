// SPDX-License-Identifier: Apache-2.0
// What the library fake_nvml answers; a test that has loaded it sets that by fake_nvml_answers().
#pragma once

#include <map>
#include <string>

namespace warpgauge {

struct FakeNvml {
  std::map<std::string, int> results;  // error codes by the name of the call; absent: success
  unsigned sm_clock_mhz = 1980;
  unsigned memory_clock_mhz = 3201;
  unsigned power_mw = 412'345;
  unsigned power_limit_mw = 700'000;
  unsigned temperature_c = 41;
  unsigned long long reasons = 0;
  unsigned ecc = 1;
  unsigned mig = 0;
  unsigned persistence = 1;
  std::map<unsigned, std::string> processes;   // on the device: by number, the program's path
  std::map<unsigned, unsigned> gpu_instances;  // of processes; absent: 0
  std::string asked_for;                       // bus id of the last device
  int users = 0;                               // started and not shut down
};

using FakeNvmlAnswers = FakeNvml* (*)();

}  // namespace warpgauge
