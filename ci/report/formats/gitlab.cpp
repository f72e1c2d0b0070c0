// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/gitlab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "ci/report/findings.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

constexpr std::size_t kLongestCheckName = 255;

std::string file_of_baseline(const GateVerdict& verdict, const Finding& finding) {
  if (finding.benchmark.empty() && finding.rule == "comparison") return verdict.after;
  if (!verdict.before.empty() && !verdict.before.ends_with(".json")) {
    return fmt::format("{}/{}.json", verdict.before,
                       finding.benchmark.substr(0, finding.benchmark.find('/')));
  }
  return verdict.before.empty() ? verdict.after : verdict.before;
}

Json issue(const GateVerdict& verdict, const Finding& finding) {
  const FindingPlace place =
      finding.place ? *finding.place : FindingPlace{file_of_baseline(verdict, finding), 1, 0};
  return {{"description", shortened(finding.message, kLongestMessage)},
          {"check_name", "warpgauge/" + shortened(finding.rule, kLongestCheckName)},
          {"fingerprint", finding.fingerprint},
          {"severity", finding.level == Level::error ? "major" : "minor"},
          {"location", {{"path", one_line(place.file)}, {"lines", {{"begin", place.line}}}}}};
}

// In the place of those that are left out.
Json more(const GateVerdict& verdict, const Findings& all, std::size_t shown) {
  const bool grave = all.count(Level::error) > shown;
  const Finding finding{"more",
                        grave ? Level::error : Level::warning,
                        "",
                        fmt::format("{} left out here; verdict.json holds all",
                                    counted(all.count() - shown, "more finding")),
                        FindingPlace{one_line(verdict.after), 1, 0},
                        "warpgauge-more"};
  return issue(verdict, finding);
}

}  // namespace

std::string code_quality_report(const GateVerdict& verdict) {
  const Findings all = findings(verdict);
  const std::size_t shown = std::min(all.list.size(), kMostListed);
  Json issues = Json::array();
  for (std::size_t i = 0; i < shown; ++i) issues.push_back(issue(verdict, all.list[i]));
  if (all.count() > shown) issues.push_back(more(verdict, all, shown));
  return issues.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgauge::ci
