// SPDX-License-Identifier: Apache-2.0
// verdict.json: what is accepted is written and read again as the same, and every report shows it.
#include "ci/verdict/verdict.hpp"

#include "ci/report/formats/html.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/json/record_json.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

std::string written_again(const std::string& text) {
  try {
    return to_json_text(ci::verdict_from_json_text(text, "again"));
  } catch (const results::FormatError& error) {
    found(std::string("refuses what it wrote itself: ") + error.what());
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  const ci::GateVerdict verdict = ci::verdict_from_json_text(text, "verdict.json");
  const std::string written = to_json_text(verdict);
  if (written_again(written) != written) found("is not the same when it is written again");
  for (const ci::ReportFormat& format : ci::report_formats()) {
    if (format.name != "html" || ci::has_html_page()) (void)format.render(verdict);
  }
  (void)ci::terminal_report(verdict, {.colour = true});
}
