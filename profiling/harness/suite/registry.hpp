// SPDX-License-Identifier: Apache-2.0
// The benchmarks linked into a suite.
#pragma once

#include <string>
#include <vector>

#include "profiling/harness/fixture.hpp"

namespace warpgauge {

struct BenchmarkInfo {
  std::string id;      // family/variant/size
  std::string family;  // with its case, if it has one: reduction_float
  std::string variant;
  Sizes size;
  detail::MakeFixture make;
};

struct VariantInfo {
  std::string family;  // with its case, if it has one: reduction_float
  std::string variant;
  SuiteSizes sizes;
  detail::MakeFixture make;
};

// All variants, in the order of benchmarks_for. Throws std::logic_error for a family with variants
// but no SIZES or SIZES but no variants, and for a variant that occurs twice.
[[nodiscard]] std::vector<VariantInfo> all_variants();

// Which of a family's sizes to run: the gate's, those far larger than a GPU's caches, or those of
// the emulator's gate, so that a GPU's counts can be compared with the emulator's.
enum class SizeSet { gate, large, emulated };

// All benchmarks for a kind of device: families by name, variants in the order of their file, sizes
// in the order of SIZES. Throws std::logic_error like all_variants, and for a family without a size
// for the gate on this kind of device.
[[nodiscard]] std::vector<BenchmarkInfo> benchmarks_for(results::DeviceKind kind,
                                                        SizeSet set = SizeSet::gate);

// "StructAccess" → "struct_access".
[[nodiscard]] std::string snake_case(const std::string& upper_camel);

// Registers `info` with Google Benchmark: one iteration, which holds all samples of the process.
// `session` must outlive the run.
void register_benchmark(const BenchmarkInfo& info, const Session& session);

}  // namespace warpgauge
