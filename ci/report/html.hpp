// SPDX-License-Identifier: Apache-2.0
// The verdict, or the trends of a history, as one HTML file that opens from disk and needs no
// network. The page itself is in ci/report/page/; here its data are put into it.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::ci {

// Whether this program was built with the page; npm makes it.
[[nodiscard]] bool has_html_page();

// The page with the JSON of a verdict, or of trends, in it, whatever its texts hold.
//
// Throws Error (not measured) when this program was built without the page: what to do about it.
[[nodiscard]] std::string html_report(std::string_view json);

// The JSON, its meaning unchanged, so that nothing in it ends or opens a script element.
[[nodiscard]] std::string json_within_script(std::string_view json);

}  // namespace warpgauge::ci
