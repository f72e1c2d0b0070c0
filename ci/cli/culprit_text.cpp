// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/culprit_text.hpp"

#include <fmt/format.h>

#include <set>

#include "ci/report/annotations.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {

std::string culprit_text(const Culprit& culprit) {
  std::string text;
  if (culprit.shas.size() == 1) {
    text = fmt::format("the first commit that regressed: {}\n", culprit.description);
  } else {
    text = fmt::format(
        "the first commit that regressed is one of {}, of which the others could not "
        "be judged; the newest: {}\n",
        culprit.shas.size(), culprit.description);
    for (const std::string& sha : culprit.shas) text += fmt::format("  {:.12}\n", sha);
  }
  std::set<std::string> told;
  for (const Finding& finding : findings(culprit.verdict)) {
    if (finding.level != Level::error || !finding.place) continue;
    std::string line = fmt::format("  {}:{}: {} of {}\n", finding.place->file, finding.place->line,
                                   finding.rule, finding.benchmark);
    if (told.insert(line).second) text += one_line(line.substr(0, line.size() - 1)) + "\n";
  }
  return log_text(text);
}

}  // namespace warpgauge::ci
