// SPDX-License-Identifier: Apache-2.0
// What the emulator counted beside what a GPU counted, as Markdown tables.
#pragma once

#include <string>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

struct AgreementOptions {
  // How the tables were printed, told below them; empty: untold.
  std::string command;
};

// Shared-memory requests and wavefronts of loads and stores, of every benchmark that both have: a
// heading a family, a row a benchmark. One number where both agree, else both and, from the
// emulated results, what nvcc made of the lines concerned. Below: what uses no shared memory, what
// only one of the two has, how many agree.
//
// Throws Error when the first is not of the emulator, the second is not of a GPU, or they share no
// benchmark.
[[nodiscard]] std::string agreement_tables(const results::Results& emulated,
                                           const results::Results& hardware,
                                           const AgreementOptions& options);

}  // namespace warpgauge::ci
