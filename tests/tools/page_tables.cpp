// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/page_tables.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

struct Line {
  std::size_t begin;
  std::size_t end;  // behind its \n
};

struct Markers {
  std::string begin;
  std::string end;
};

// The one line that is the marker.
Line marker_line(std::string_view page, std::string_view marker, const Markers& both,
                 const std::string& name) {
  std::optional<Line> found;
  for (std::size_t begin = 0; begin < page.size();) {
    const std::size_t newline = page.find('\n', begin);
    const std::size_t end = newline == page.npos ? page.size() : newline + 1;
    std::string_view line = page.substr(begin, end - begin);
    line.remove_suffix(line.size() - (line.find_last_not_of(" \t\r\n") + 1));
    if (line == marker) {
      if (found) {
        throw Error(kExitNotMeasured,
                    fmt::format("{}: has the line '{}' more than once; leave one", name, marker));
      }
      found = Line{begin, end};
    }
    begin = end;
  }
  if (!found) {
    throw Error(kExitNotMeasured,
                fmt::format("{}: has no line '{}'; add '{}' and '{}', each on a line of its own, "
                            "where the tables belong",
                            name, marker, both.begin, both.end));
  }
  return *found;
}

}  // namespace

std::string with_block(std::string_view page, std::string_view block, std::string_view text,
                       const std::string& name) {
  const Markers markers{fmt::format("<!-- {}: begin -->", block),
                        fmt::format("<!-- {}: end -->", block)};
  const Line begin = marker_line(page, markers.begin, markers, name);
  const Line end = marker_line(page, markers.end, markers, name);
  if (end.begin < begin.end) {
    throw Error(kExitNotMeasured, fmt::format("{}: has the line '{}' before '{}'; swap them", name,
                                              markers.end, markers.begin));
  }
  return fmt::format("{}\n{}\n{}", page.substr(0, begin.end), text, page.substr(end.begin));
}

std::string with_tables(std::string_view page, std::string_view tables, const std::string& name) {
  return with_block(page, "tables", tables, name);
}

}  // namespace warpgauge::ci
