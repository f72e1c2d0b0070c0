// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "tests/tools/rates/pooled_rules.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

std::vector<std::string> split(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(between); end != text.npos; end = text.find(between)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + between.size());
  }
  parts.emplace_back(text);
  return parts;
}

std::vector<std::string> lines_of(std::string_view text) { return split(text, "\n"); }

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
}

// 0: it is no heading.
std::size_t depth_of(const std::string& line) {
  const std::size_t depth = line.find_first_not_of('#');
  return depth != line.npos && depth > 0 && line[depth] == ' ' ? depth : 0;
}

// As Markdown's readers make it of a heading.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : trimmed(heading)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80) {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

std::vector<std::string> cells_of(const std::string& line) {
  const std::string row = trimmed(line);
  if (row.size() < 2 || row.front() != '|' || row.back() != '|') return {};
  std::vector<std::string> cells = split(std::string_view(row).substr(1, row.size() - 2), "|");
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

// Of the first table that has such a row and such a column.
std::optional<std::string> cell_of(const std::string& section, const std::string& row,
                                   const std::string& column) {
  const std::vector<std::string> key = split(row, " / ");
  std::vector<std::string> titles;
  for (const std::string& line : lines_of(section)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty()) {
      titles.clear();
      continue;
    }
    if (titles.empty()) titles = cells;
    const auto title = std::find(titles.begin(), titles.end(), column);
    const auto at = static_cast<std::size_t>(title - titles.begin());
    if (title == titles.end() || at >= cells.size() || key.size() > cells.size()) continue;
    if (std::equal(key.begin(), key.end(), cells.begin())) return cells[at];
  }
  return std::nullopt;
}

double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double each : values) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

// Of one benchmark, each a standard deviation as a share of the mean.
struct Spread {
  double time_ns = 0;
  std::vector<double> processes;         // of each session
  std::optional<double> gpus;            // of the means of GPUs
  std::vector<double> sessions_of_gpus;  // of each GPU with several sessions
};

Spread spread_of(const std::string& id, const std::vector<Results>& sessions) {
  Spread spread;
  std::map<std::string, std::vector<double>> by_gpu;
  for (const Results& session : sessions) {
    const results::BenchmarkResult* const found = session.find(id);
    if (found == nullptr) continue;
    const std::vector<double> times = times_of(*found);
    if (times.size() < 2) continue;
    spread.processes.push_back(deviation_of(times));
    by_gpu[session.session ? session.session->device.uuid : ""].push_back(mean_of(times));
  }
  std::vector<double> gpus;
  for (const auto& [gpu, means] : by_gpu) {
    gpus.push_back(mean_of(means));
    if (means.size() > 1) spread.sessions_of_gpus.push_back(deviation_of(means));
  }
  if (!gpus.empty()) spread.time_ns = mean_of(gpus);
  if (gpus.size() > 1) spread.gpus = deviation_of(gpus);
  return spread;
}

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double each : values) squares += each * each;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// "0.07 %, 0.31 %": the middle one and the greatest.
std::string middle_and_greatest(const std::vector<double>& shares) {
  if (shares.empty()) return "not measured";
  return fmt::format("{:.2f} %, {:.2f} %", 100 * median_of(shares),
                     100 * *std::max_element(shares.begin(), shares.end()));
}

}  // namespace

std::vector<Number> number_rows(std::string_view text, const std::string& name) {
  std::vector<Number> rows;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].front() == '#') continue;
    const std::vector<std::string> cells = split(lines[i], "\t");
    if (cells.size() != 6) {
      throw Error(kExitNotMeasured,
                  fmt::format("{}:{}: has {} cells; six, apart by tabs, are wanted: group, what, "
                              "figure, machine and date, command, page#anchor",
                              name, i + 1, cells.size()));
    }
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
  }
  return rows;
}

std::string section_of(std::string_view page, std::string_view anchor) {
  std::string section;
  std::size_t depth = 0;  // of the heading that was found
  for (const std::string& line : lines_of(page)) {
    const std::size_t here = depth_of(line);
    if (depth > 0 && here > 0 && here <= depth) break;
    if (depth > 0) section += line + "\n";
    if (depth == 0 && here > 0 && anchor_of(line.substr(here)) == anchor) depth = here;
  }
  return section;
}

std::string one_blank_apart(const std::string& text) {
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

std::string stated(const Number& number, const std::string& section) {
  const auto require = [&number](bool is_there, const std::string& part) {
    if (is_there) return;
    throw Error(kExitNotMeasured, fmt::format("{} says no longer, of {}: {}; change the figure",
                                              number.link, number.what, part));
  };
  const std::string prose = one_blank_apart(section);
  std::vector<std::string> parts;
  for (const std::string& part : split(number.figure, "; ")) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos) {
      require(prose.find(part) != prose.npos, part);
      parts.push_back(part);
      continue;
    }
    const std::string label = part.substr(0, equals);
    const std::vector<std::string> place = split(part.substr(equals + 1), " | ");
    const auto cell = place.size() == 2 ? cell_of(section, place[0], place[1]) : std::nullopt;
    require(cell.has_value(), part);
    parts.push_back(label.empty() ? *cell : fmt::format("{}: {}", label, *cell));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string spread_table(const std::vector<Results>& sessions) {
  struct Class {
    const char* name;
    double from_ns;
    double to_ns;
  };
  constexpr Class kClasses[] = {{"30 µs and more", 30'000, std::numeric_limits<double>::max()},
                                {"5 to 30 µs", 5'000, 30'000},
                                {"2.5 to 5 µs", 2'500, 5'000},
                                {"less than 2.5 µs", 0, 2'500}};
  std::set<std::string> ids;
  for (const Results& session : sessions) {
    for (const results::BenchmarkResult& each : session.benchmarks) ids.insert(each.id);
  }
  std::vector<Spread> spreads;
  for (const std::string& id : ids) {
    Spread spread = spread_of(id, sessions);
    if (!spread.processes.empty()) spreads.push_back(std::move(spread));
  }
  std::vector<std::vector<std::string>> rows;
  for (const Class& each : kClasses) {
    std::vector<double> processes;
    std::vector<double> of_a_gpu;
    std::vector<double> gpus;
    for (const Spread& spread : spreads) {
      if (spread.time_ns < each.from_ns || spread.time_ns >= each.to_ns) continue;
      processes.push_back(root_mean_square(spread.processes));
      if (!spread.sessions_of_gpus.empty()) {
        of_a_gpu.push_back(root_mean_square(spread.sessions_of_gpus));
      }
      if (spread.gpus) gpus.push_back(*spread.gpus);
    }
    rows.push_back({each.name, fmt::format("{}", processes.size()), middle_and_greatest(processes),
                    middle_and_greatest(of_a_gpu), middle_and_greatest(gpus)});
  }
  return markdown_table({{"kernels of"},
                         {"benchmarks", Align::right},
                         {"processes of a session", Align::right},
                         {"sessions of a GPU", Align::right},
                         {"GPUs", Align::right}},
                        rows);
}

std::string numbers_tables(const std::vector<Number>& numbers, const std::vector<Results>& sessions,
                           const std::function<std::string(const std::string&)>& read_page,
                           const std::string& command) {
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::vector<std::string>>> rows;
  std::map<std::string, std::string> commands;  // of the row above
  for (const Number& number : numbers) {
    const std::size_t hash = number.link.find('#');
    const std::string page = number.link.substr(0, hash);
    const std::string anchor = hash == number.link.npos ? "" : number.link.substr(hash + 1);
    const std::string section = section_of(read_page(page), anchor);
    const std::string figure = stated(number, section);
    if (!rows.contains(number.group)) groups.push_back(number.group);
    std::string& above = commands[number.group];
    const std::string made = number.command.empty()    ? "as it says there"
                             : number.command == above ? "the same"
                                                       : markdown_code(number.command);
    above = number.command;
    rows[number.group].push_back(
        {number.what, fmt::format("[{}]({})", figure, number.link), number.machine, made});
  }
  std::string text;
  if (!sessions.empty()) {
    std::set<std::string> gpus;
    for (const Results& each : sessions) {
      if (each.session) gpus.insert(each.session->device.uuid);
    }
    const results::Session* const first =
        sessions.front().session ? &*sessions.front().session : nullptr;
    text =
        "### Spread of time\n\n" + spread_table(sessions) +
        fmt::format(
            "\nStandard deviations as shares of the time: the middle benchmark's, and "
            "the greatest. {} on {}{}.\n\n",
            counted(sessions.size(), "session"), counted(gpus.size(), "GPU"),
            first == nullptr
                ? ""
                : fmt::format(", {}, driver {}, CUDA {}, {}", markdown_text(first->device.name),
                              markdown_text(first->device.driver),
                              markdown_text(first->toolchain.cuda), markdown_text(first->created)));
  }
  for (const std::string& group : groups) {
    text += fmt::format("### {}\n\n", markdown_text(group)) +
            markdown_table({{"what"}, {"figure"}, {"machine, date"}, {"made by"}}, rows[group]) +
            "\n";
  }
  return text + fmt::format("Figures as their sections have them. Printed by {}.\n",
                            markdown_code(command));
}

}  // namespace warpgauge::ci
