// SPDX-License-Identifier: Apache-2.0
// What a report may be given beside the verdict: addresses that one in Markdown points at, of
// source lines and of places in the page, and what the page shows more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

struct ReportLinks {
  std::string source;  // as in "https://github.com/owner/name/blob"; empty: no links
  std::string page;    // of the HTML report; empty: no links
  // For the page: the trends of a history (ci/history/trends_page.hpp), and the variants that the
  // others of their family are held against.
  std::string trends = {};
  std::vector<std::string> references = {};
};

// Whether it is http or https, and has no character that would end it in Markdown.
[[nodiscard]] bool is_linkable(std::string_view url);

// At the revision that was measured. Empty where the revision or the line is not known, or the file
// is not among the sources.
[[nodiscard]] std::string source_link(const ReportLinks& links, const GateVerdict& verdict,
                                      const results::SourceLine& line);

// The benchmark's view in the page. Empty without a page.
[[nodiscard]] std::string page_link(const ReportLinks& links, const std::string& id);

}  // namespace warpgauge::ci
