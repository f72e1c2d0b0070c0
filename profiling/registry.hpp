// SPDX-License-Identifier: Apache-2.0
// The benchmarks that a suite was linked with.
#pragma once

#include <string>
#include <vector>

#include "profiling/fixture.hpp"

namespace warpgauge {

struct BenchmarkInfo {
  std::string id;  // family/variant/size
  std::string family;
  std::string variant;
  Sizes size;
  detail::MakeFixture make;
};

// All benchmarks for a kind of device: families by name, variants in the order of their file,
// sizes in the order of SIZES. Throws std::logic_error for a family with variants but no sizes or
// sizes but no variants, and for an id that occurs twice.
[[nodiscard]] std::vector<BenchmarkInfo> benchmarks_for(results::DeviceKind kind);

// "StructAccess" → "struct_access".
[[nodiscard]] std::string snake_case(const std::string& upper_camel);

// Hands `info` to Google Benchmark: one iteration, which holds all samples of the process.
// `session` must outlive the run.
void register_benchmark(const BenchmarkInfo& info, const Session& session);

}  // namespace warpgauge
