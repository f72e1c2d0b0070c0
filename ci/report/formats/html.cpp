// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/html.hpp"

#include "ci/report/page_template.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

// index.html's placeholder for the verdict.
constexpr std::string_view kPlace = "WARPGAUGE_VERDICT_JSON";

}  // namespace

std::string json_within_script(std::string_view json) {
  constexpr std::string_view kLineSeparator = "\u2028";
  constexpr std::string_view kParagraphSeparator = "\u2029";
  std::string safe;
  safe.reserve(json.size() + json.size() / 16);
  while (!json.empty()) {
    // In JSON, these characters occur within strings only, where an escape means the same.
    if (json.front() == '<') {
      safe += "\\u003c";
    } else if (json.starts_with(kLineSeparator)) {
      safe += "\\u2028";
      json.remove_prefix(kLineSeparator.size() - 1);
    } else if (json.starts_with(kParagraphSeparator)) {
      safe += "\\u2029";
      json.remove_prefix(kParagraphSeparator.size() - 1);
    } else {
      safe += json.front();
    }
    json.remove_prefix(1);
  }
  return safe;
}

bool has_html_page() { return !page_template().empty(); }

std::string html_report(std::string_view json) {
  const std::string_view page = page_template();
  if (page.empty()) {
    throw Error(kExitNotMeasured,
                "this warpgauge was built without the HTML page, which npm makes: install npm and "
                "Node.js 18 or later (ci/scripts/setup.sh page does), configure with "
                "-DWARPGAUGE_PAGE=ON and "
                "build again; or take --format markdown");
  }
  const std::size_t place = page.find(kPlace);
  if (place == std::string_view::npos) {
    throw Error(kExitNotMeasured,
                "the HTML page that this warpgauge was built with has no place for a verdict; "
                "remove the folder ci/report/page of the build folder and build again");
  }
  std::string report(page.substr(0, place));
  report += json_within_script(json);
  report += page.substr(place + kPlace.size());
  return report;
}

}  // namespace warpgauge::ci
