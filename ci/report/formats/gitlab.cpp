// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/gitlab.hpp"

#include <fmt/format.h>

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

}  // namespace

std::string code_quality_report(const GateVerdict& verdict) {
  Json issues = Json::array();
  for (const Finding& finding : findings(verdict)) issues.push_back(issue(verdict, finding));
  return issues.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgauge::ci
