// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/html.hpp"

#include <algorithm>
#include <cstddef>

#include "ci/report/page/page_template.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// index.html's placeholder for the verdict.
constexpr std::string_view kPlace = "WARPGAUGE_VERDICT_JSON";

}  // namespace

std::string json_within_script(std::string_view json) {
  const auto is_plain = [](unsigned char character) {
    return character >= ' ' && character < 0x7F && character != '<';
  };
  std::string safe;
  safe.reserve(json.size() + json.size() / 16);
  while (!json.empty()) {
    const auto end = std::find_if_not(json.begin(), json.end(), is_plain);
    safe.append(json.begin(), end);
    json.remove_prefix(static_cast<std::size_t>(end - json.begin()));
    // In JSON, what follows occurs within strings only, but for ends of lines between tokens. A
    // browser shows "\u202e" and the like as it shows the characters themselves.
    const auto next = std::find_if(json.begin(), json.end(), is_plain);
    for (const char character : one_line({json.begin(), next})) {
      safe += character == '<' ? std::string("\\u003c") : std::string(1, character);
    }
    json.remove_prefix(static_cast<std::size_t>(next - json.begin()));
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
