// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/approved_build.hpp"

#include <fmt/format.h>

#include "ci/support/text.hpp"
#include "ci/verdict/identity/code_identity.hpp"

namespace warpgauge::ci {

using results::BenchmarkResult;

std::string why_not_approved(const BenchmarkResult* approved, const BenchmarkResult* built,
                             const Policy& policy, const std::string& with) {
  const CodeIdentity code = approved == nullptr || built == nullptr
                                ? CodeIdentity()
                                : code_identity(*approved, *built, policy);
  std::string other;
  if (code.machine_code.is == Identity::different) {
    other = "other machine code of " + some_of(code.machine_code.different_kernels, 1);
  } else if (code.launches.is == Identity::different) {
    other = "launched differently: " + code.launches.difference;
  } else if (code.input == Identity::different) {
    other = "other input";
  }
  if (!other.empty()) {
    return fmt::format("{} is no build of what was approved: {}", with, other);
  }
  if (code.machine_code.is == Identity::same) return {};
  return fmt::format(
      "whether {} is a build of what was approved is not known: the machine code of one of them is "
      "not",
      with);
}

}  // namespace warpgauge::ci
