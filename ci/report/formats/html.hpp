// SPDX-License-Identifier: Apache-2.0
// The verdict, or the trends of a history, as one HTML file that opens from disk and needs no
// network. Inserts the data into the page, whose source is in ci/report/page/.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::ci {

// Whether this program was built with the page, which needs npm.
[[nodiscard]] bool has_html_page();

// The page with the JSON of a verdict or of trends, safe for hostile texts.
//
// Throws Error (not measured), with the remedy, when this program was built without the page.
[[nodiscard]] std::string html_report(std::string_view json);

// The JSON with < escaped, so that nothing in it ends or opens a script element, and with what
// one_line() replaces, which would turn or hide what the page shows, replaced.
[[nodiscard]] std::string json_within_script(std::string_view json);

}  // namespace warpgauge::ci
