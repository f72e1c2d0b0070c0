// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/github.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "ci/report/findings.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestTitle = 200;
constexpr std::size_t kLongestFile = 1'000;

// The runner decodes these. Line ends do not occur, because every message is one line.
std::string escaped(std::string_view text, std::string_view special) {
  std::string safe;
  for (const char character : text) {
    if (special.find(character) != special.npos) {
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    } else {
      safe += character;
    }
  }
  return safe;
}

std::string of_message(std::string_view text) {
  return escaped(one_line(shortened(text, kLongestMessage)), "%\r\n");
}

std::string of_property(std::string_view text, std::size_t longest) {
  return escaped(one_line(shortened(text, longest)), "%\r\n:,");
}

std::string command(const char* name, const Finding& finding) {
  std::string properties;
  if (finding.place) {
    properties = fmt::format("file={},line={},", of_property(finding.place->file, kLongestFile),
                             finding.place->line);
    if (finding.place->column > 0) properties += fmt::format("col={},", finding.place->column);
  }
  return fmt::format("::{} {}title={}::{}\n", name, properties,
                     of_property("Warpgauge: " + finding.rule, kLongestTitle),
                     of_message(finding.message));
}

}  // namespace

std::string workflow_report(const GateVerdict& verdict) {
  std::string report;
  const Findings all = findings(verdict);
  for (const auto& [level, name] :
       {std::pair(Level::error, "error"), std::pair(Level::warning, "warning")}) {
    std::vector<const Finding*> of_level;
    for (const Finding& finding : all.list) {
      if (finding.level == level) of_level.push_back(&finding);
    }
    const std::size_t count = all.count(level);
    const bool too_many = count > kMostAnnotations;
    const std::size_t shown = too_many ? kMostAnnotations - 1 : of_level.size();
    for (std::size_t i = 0; i < shown; ++i) report += command(name, *of_level[i]);
    if (too_many) {
      report += fmt::format(
          "::{} title=Warpgauge::{} not annotated here: GitHub shows {} of a "
          "step. The job's summary has more, verdict.json all.\n",
          name, counted(count - shown, "more finding"), kMostAnnotations);
    }
  }
  return report;
}

}  // namespace warpgauge::ci
