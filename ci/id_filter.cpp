// SPDX-License-Identifier: Apache-2.0
#include "ci/id_filter.hpp"

#include <fmt/format.h>

#include "ci/errors.hpp"

namespace warpgauge::ci {
namespace {

std::regex compiled(const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error&) {
    throw Error(
        kExitUsage,
        fmt::format("--filter '{}' is no regular expression; see warpgauge --help", pattern));
  }
}

}  // namespace

IdFilter::IdFilter(const std::string& pattern) : pattern_(compiled(pattern)) {}

bool IdFilter::matches(const std::string& id) const {
  return std::regex_search(id, pattern_);
}

}  // namespace warpgauge::ci
