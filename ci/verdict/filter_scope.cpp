// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/filter_scope.hpp"

#include <fmt/format.h>

#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {

using results::Results;

FilterScope::FilterScope(const Results& results) : results_(results) {
  if (results.is_baseline || !results.session || results.session->filter.empty()) return;
  try {
    filter_.emplace(results.session->filter);
  } catch (const Error& error) {
    refuse(error);
  }
}

void FilterScope::refuse(const Error& error) const {
  throw Error(kExitNotMeasured, fmt::format("{}: {}", results_.name, error.what()));
}

bool FilterScope::includes(const std::string& id) {
  if (!filter_) return true;
  try {
    if (filter_->matches(id)) return true;
  } catch (const Error& error) {
    refuse(error);
  }
  ++left_out_;
  return false;
}

std::string FilterScope::note(const Results& other) const {
  if (left_out_ == 0) return "";
  return fmt::format("{} was measured with --filter '{}': {} of {} {} compared", results_.name,
                     results_.session->filter, counted(left_out_, "benchmark"), other.name,
                     left_out_ == 1 ? "is not" : "are not");
}

std::vector<std::string> parts_of_the_suite(const Results& before, const Results& after) {
  std::vector<std::string> parts;
  for (const auto& [part, whole] : {std::pair(&before, &after), {&after, &before}}) {
    if (!part->session || part->session->filter.empty()) continue;
    FilterScope scope(*part);
    const auto measured = part->by_id();
    for (const results::BenchmarkResult& each : whole->benchmarks) {
      if (!measured.contains(each.id)) (void)scope.includes(each.id);
    }
    if (!scope.left_any_out()) continue;
    parts.push_back(fmt::format(
        "{} is a part of the suite, measured with --filter '{}', and {} has more; compare with "
        "that --filter as well, or measure all",
        part->name, part->session->filter, whole->name));
  }
  return parts;
}

}  // namespace warpgauge::ci
