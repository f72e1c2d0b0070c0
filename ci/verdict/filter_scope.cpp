// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/filter_scope.hpp"

#include <fmt/format.h>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {

using results::Results;

FilterScope::FilterScope(const Results& results) : results_(results) {
  if (results.is_baseline || !results.session || results.session->filter.empty()) return;
  try {
    filter_.emplace(results.session->filter);
  } catch (const Error& error) {
    throw Error(kExitNotMeasured, fmt::format("{}: {}", results.name, error.what()));
  }
}

bool FilterScope::includes(const std::string& id) {
  if (!filter_ || filter_->matches(id)) return true;
  ++left_out_;
  return false;
}

std::string FilterScope::note(const Results& other) const {
  if (left_out_ == 0) return "";
  return fmt::format("{} was measured with --filter '{}': {} of {} {} compared", results_.name,
                     results_.session->filter, counted(left_out_, "benchmark"), other.name,
                     left_out_ == 1 ? "is not" : "are not");
}

}  // namespace warpgauge::ci
