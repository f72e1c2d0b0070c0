// SPDX-License-Identifier: Apache-2.0
// A build of what was approved, made elsewhere. What a stored baseline leaves open is measured in
// turns with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ci/gate/gate.hpp"
#include "ci/measure/interleaved.hpp"
#include "ci/measure/measurement.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {

struct PrebuiltOptions {
  std::filesystem::path build;        // see run_of_build()
  std::optional<std::uint64_t> seed;  // of the order of processes; absent: another each time
  std::filesystem::path out;          // results file of this side, in turns
  std::filesystem::path out_before;   // … of what was approved
};

class Prebuilt {
 public:
  // run: of this side. Throws what run_of_build() does.
  Prebuilt(PrebuiltOptions options, const RunOptions& run);

  // On the device that `holder` has. Throws what Interleaved throws.
  [[nodiscard]] TurnTaking begin(const Measurement& holder);

  // Adds both results files, and says how they were measured. Does nothing if nothing was measured.
  [[nodiscard]] std::string keep(results::NewFiles& files) const;

 private:
  PrebuiltOptions options_;
  RunOptions after_;
  RunOptions before_;
  std::string name_;
  std::uint64_t seed_ = 0;
  std::unique_ptr<Interleaved> suites_;  // once it has begun
};

}  // namespace warpgauge::ci
