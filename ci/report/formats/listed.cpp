// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/listed.hpp"

#include <algorithm>

#include "ci/support/errors.hpp"
#include "ci/verdict/exit_status.hpp"

namespace warpgauge::ci {

std::vector<const BenchmarkVerdict*> listed(const GateVerdict& verdict, std::size_t most) {
  std::vector<const BenchmarkVerdict*> benchmarks;
  benchmarks.reserve(verdict.benchmarks.size());
  for (const BenchmarkVerdict& each : verdict.benchmarks) benchmarks.push_back(&each);
  if (benchmarks.size() <= most) return benchmarks;
  // Whoever wrote the verdict may have had another order.
  std::stable_partition(benchmarks.begin(), benchmarks.end(), [](const BenchmarkVerdict* each) {
    return exit_status(each->verdict) != kExitPass;
  });
  benchmarks.resize(most);
  return benchmarks;
}

}  // namespace warpgauge::ci
