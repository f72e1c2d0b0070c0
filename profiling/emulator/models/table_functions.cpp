// SPDX-License-Identifier: Apache-2.0
// Functions of mathematics that read a table on a GPU.
#include <cmath>

#include "profiling/emulator/include/warpgauge_emulator/abi.h"
#include "profiling/emulator/include/warpgauge_emulator/math/special_functions.h"

namespace {

// As nvcc 13 has it: eight coefficients for each half of the quarters of a turn. Nobody reads them
// here.
alignas(128) double coefficients[16] = {};

// Three loads, from the row of the quarter that the angle lies in.
void read_coefficients(double quarter, warpgauge_emulator::CallSite site) {
  if (!warpgauge_emulator::runs_kernel()) return;
  const bool odd = std::fmod(std::nearbyint(quarter), 2.0) != 0;  // NaN, too
  for (int i = 0; i < 6; i += 2) {
    warpgauge_emulator::record_access(&coefficients[(odd ? 8 : 0) + i], 2 * sizeof(double),
                                      warpgauge_emulator::AccessKind::table_load, site);
  }
}

}  // namespace

extern "C" {

double warpgauge_emulator_sin(double x) {
  read_coefficients(x * M_2_PI, WARPGAUGE_CALL_SITE);
  return std::sin(x);
}
double warpgauge_emulator_cos(double x) {
  read_coefficients(x * M_2_PI + 1, WARPGAUGE_CALL_SITE);
  return std::cos(x);
}
double warpgauge_emulator_sinpi(double x) {
  read_coefficients(x * 2, WARPGAUGE_CALL_SITE);
  return warpgauge_emulator::sine_of_pi(x, 0);
}
double warpgauge_emulator_cospi(double x) {
  read_coefficients(x * 2 + 1, WARPGAUGE_CALL_SITE);
  return warpgauge_emulator::sine_of_pi(x, 1);
}

}  // extern "C"
