// SPDX-License-Identifier: Apache-2.0
// Puts the JSON on standard input into the page as it is; with --verdict, reads it as a verdict and
// makes of it what `warpgauge report --format html` does, with what is named behind:
//   fill_page --verdict [TRENDS.json [REFERENCE...]] < verdict.json > report.html
#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "ci/report/formats/html.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/report/links.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace {

using namespace warpgauge;

std::string page_of(const std::string& text, std::span<char*> rest) {
  ci::ReportLinks links;
  if (!rest.empty() && *rest.front() != '\0') {
    links.trends = results::read_file(rest.front(), results::kVerdictLimit);
  }
  for (const char* each : rest.subspan(std::min<std::size_t>(rest.size(), 1))) {
    links.references.emplace_back(each);
  }
  return ci::report_format("html").render(ci::verdict_from_json_text(text, "stdin"), links);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::span all(arguments, static_cast<std::size_t>(count));
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    const bool is_verdict = count > 1 && std::string_view(all[1]) == "--verdict";
    std::cout << (is_verdict ? page_of(text, all.subspan(2)) : warpgauge::ci::html_report(text));
  } catch (const std::exception& error) {
    std::cerr << "fill_page: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
