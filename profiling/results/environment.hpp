// SPDX-License-Identifier: Apache-2.0
// What differs between the circumstances of two measurements, and what may be judged all the same.
// Knows no figures.
#pragma once

#include <string>
#include <vector>

#include "profiling/results/results.hpp"

namespace warpgauge::results {

struct Difference {
  std::string what;  // "driver"
  std::string before;
  std::string after;
  bool moves_clocks = false;  // without any change of a kernel
};

// Of all devices that it was measured on, as in "GPU-1, GPU-2".
[[nodiscard]] std::string uuids_of(const Session& session);

// "hot" or "cold": whether a GPU's caches were emptied before what was timed. Empty: not known, or
// nothing to ask, as with another program or without a clock.
[[nodiscard]] std::string caches_of(const Session& session);

// One timed hot and the other cold: not to be compared as time.
[[nodiscard]] bool hot_and_cold(const Session& before, const Session& after);

// Of the program that measured, driver, CUDA, host compiler, build type, version of Warpgauge,
// device UUID, and, where both sides tell them, whether caches were hot or cold and the device's
// settings: clocks for applications, power limit, ECC.
[[nodiscard]] std::vector<Difference> differences(const Session& before, const Session& after);

// "driver '580.1' → '590.1', device UUID 'GPU-a' → 'GPU-b'"; "nothing that was recorded" for none.
[[nodiscard]] std::string listed(const std::vector<Difference>& differences);

// Why the two cannot be compared at all: they are of different devices, or of different parts of
// one. Empty: they can.
[[nodiscard]] std::string different_devices(const Session& before, const Session& after);

struct Comparability {
  // Why no verdict may rest on the clock: another driver, CUDA or setting, or caches that are hot
  // on one side only, change times without any change of the kernel. Empty: it may; for an emulated
  // device, which has no clock, always.
  std::string no_verdict_on_time;
  std::vector<std::string> notes;  // one a difference, but for the UUID
};

// Exact counters are gated whatever differs, since a compiler's change is a change, too.
[[nodiscard]] Comparability comparability(const Session& before, const Session& after);

// So that no verdict may rest on the clock.
[[nodiscard]] bool environments_differ(const Session& before, const Session& after);

}  // namespace warpgauge::results
