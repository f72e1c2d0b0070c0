// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/report_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ci/report/formats/github.hpp"
#include "ci/report/formats/gitlab.hpp"
#include "ci/report/formats/html.hpp"
#include "ci/report/formats/junit.hpp"
#include "ci/report/formats/listed.hpp"
#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/formats/sarif.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/report/page/page_data.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

// Fewer where they are too large to be read: a page that does not open says nothing.
std::string page_json(const GateVerdict& verdict, const ReportLinks& links) {
  std::size_t most = std::min(kMostListed, std::max<std::size_t>(verdict.benchmarks.size(), 1));
  for (;; most /= 2) {
    try {
      if (verdict.benchmarks.size() <= most) return page_data(verdict, links);
      GateVerdict part = verdict;
      part.benchmarks.clear();
      for (const BenchmarkVerdict* each : listed(verdict, most)) part.benchmarks.push_back(*each);
      part.notes.insert(part.notes.begin(),
                        fmt::format("this page has {} of {} benchmarks, and counts no others; "
                                    "verdict.json holds all",
                                    most, verdict.benchmarks.size()));
      return page_data(part, links);
    } catch (const Error&) {
      if (most <= 1) throw;
    }
  }
}

// Of a format that points nowhere.
template <std::string (*Render)(const GateVerdict&)>
std::string without_links(const GateVerdict& verdict, const ReportLinks& /*links*/) {
  return Render(verdict);
}

std::string plain_terminal(const GateVerdict& verdict) { return terminal_report(verdict); }
std::string html_page(const GateVerdict& verdict, const ReportLinks& links) {
  return html_report(page_json(verdict, links));
}

constexpr std::array kFormats{
    ReportFormat{"terminal", "one block per benchmark, as the gate prints it",
                 without_links<plain_terminal>},
    ReportFormat{"markdown", "for a job's summary or a comment on a pull request", markdown_report},
    ReportFormat{"sarif", "SARIF 2.1.0, for code scanning and editors",
                 without_links<sarif_report>},
    ReportFormat{"github", "GitHub workflow commands, which annotate lines",
                 without_links<workflow_report>},
    ReportFormat{"gitlab", "GitLab Code Quality", without_links<code_quality_report>},
    ReportFormat{"junit", "JUnit XML, for pages that show test results",
                 without_links<junit_report>},
    ReportFormat{"html", "one page with everything and plots, which opens from disk", html_page},
};

}  // namespace

std::span<const ReportFormat> report_formats() { return kFormats; }

const ReportFormat& report_format(std::string_view name) {
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(),
                                         [&](const auto& each) { return each.name == name; });
  if (found != kFormats.end()) {
    // Fail before the measurement.
    if (name == "html" && !has_html_page()) (void)html_report({});
    return *found;
  }
  std::string known;
  for (const ReportFormat& format : kFormats) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.name);
  }
  throw Error(kExitUsage, fmt::format("there is no report '{}'; there are {}", name, known));
}

}  // namespace warpgauge::ci
