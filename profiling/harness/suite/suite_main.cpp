// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/backend.hpp"
#include "profiling/harness/suite/suite.hpp"

int main(int argc, char** argv) {
  const auto backend = warpgauge::make_backend();
  return warpgauge::run_suite(*backend, argc, argv);
}
