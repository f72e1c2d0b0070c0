// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/suite/built_source.hpp"

#include <string>
#include <string_view>

// Weak, because only warpgauge_add_benchmark() links a definition (source_revision.cpp.in).
extern "C" const char warpgauge_source_revision[] __attribute__((weak));

namespace warpgauge {

results::Source built_source() {
  constexpr std::string_view kModified = "-modified";
  const char* const text = warpgauge_source_revision;
  if (text == nullptr) return {};
  std::string_view revision = text;
  const bool modified = revision.ends_with(kModified);
  if (modified) revision.remove_suffix(kModified.size());
  return {std::string(revision), modified};
}

}  // namespace warpgauge
