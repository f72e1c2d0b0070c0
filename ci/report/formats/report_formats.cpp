// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/report_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ci/report/formats/github.hpp"
#include "ci/report/formats/gitlab.hpp"
#include "ci/report/formats/html.hpp"
#include "ci/report/formats/junit.hpp"
#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/formats/sarif.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/verdict_json.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::array kFormats{
    ReportFormat{"terminal", "a table for people, as the gate prints it",
                 [](const GateVerdict& verdict) { return terminal_report(verdict); }},
    ReportFormat{"markdown", "a job's summary or a pull request's comment", markdown_report},
    ReportFormat{"sarif", "SARIF 2.1.0, for code scanning and editors", sarif_report},
    ReportFormat{"github", "GitHub workflow commands, which annotate lines", workflow_report},
    ReportFormat{"gitlab", "GitLab Code Quality", code_quality_report},
    ReportFormat{"junit", "JUnit XML, for pages of test results", junit_report},
    ReportFormat{"html", "one page with all of it and plots, which opens from disk",
                 [](const GateVerdict& verdict) { return html_report(to_json_text(verdict)); }},
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
