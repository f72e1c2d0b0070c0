// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/page_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>

#include "ci/report/results_table.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/metrics/roofline.hpp"
#include "profiling/results/ceilings.hpp"
#include "tests/tools/numbers.hpp"
#include "tests/tools/page_tables.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Results;

// After the first word; what is not here takes any number of them.
const std::map<std::string, std::size_t> kWords{{"slower", 2}, {"time", 1},  {"rate", 1},
                                                {"figure", 2}, {"ratio", 3}, {"percent", 3},
                                                {"more", 3},   {"less", 3},  {"each", 3}};

[[noreturn]] void refuse(const std::string& message) { throw Error(kExitNotMeasured, message); }

double require(std::optional<double> figure, const BenchmarkResult& of, const std::string& what) {
  if (!figure) refuse(fmt::format("{} has no {}; leave its figure out", of.id, what));
  return *figure;
}

double figure_of(const BenchmarkResult& benchmark, const std::string& metric) {
  if (metric == "duration") return require(results::duration_of(benchmark), benchmark, metric);
  if (metric == "rate") return require(results::bandwidth_of(benchmark), benchmark, metric);
  if (metric == "wavefronts") {
    return require(benchmark.figure("shared_load_wavefronts"), benchmark, metric) /
           require(benchmark.figure("shared_load_requests"), benchmark, metric);
  }
  return require(benchmark.figure(metric), benchmark, metric);
}

double of_reference(const BenchmarkResult& benchmark, const Results& results) {
  const BenchmarkResult* const reference =
      reference_of(benchmark, results, TableOptions{}.references);
  if (reference == nullptr) refuse(benchmark.id + " has no reference; leave its figure out");
  return figure_of(*reference, "duration") / figure_of(benchmark, "duration");
}

double share_of(const BenchmarkResult& benchmark, const Results& results) {
  const std::uint64_t l2_bytes = results.session ? results.session->device.l2_bytes : 0;
  return require(share_of_ceiling(benchmark, results::ceilings_of(results), l2_bytes).share,
                 benchmark, "share of the ceiling");
}

// What stands between { and }, taken apart.
class Placeholder {
 public:
  Placeholder(const std::string& text, const Results& results) : text_(text), results_(results) {
    std::istringstream words(text);
    words >> what_;
    for (std::string word; words >> word;) words_.push_back(word);
    if (const std::size_t dot = what_.find('.'); dot != what_.npos) {
      std::from_chars(what_.data() + dot + 1, what_.data() + what_.size(), decimals_);
      what_.resize(dot);
    }
  }

  [[nodiscard]] std::string filled() const {
    const auto known = kWords.find(what_);
    if (known != kWords.end() && words_.size() > known->second) {
      refuse(fmt::format("{{{}}}: '{}' is a word too many", text_, words_.back()));
    }
    if (what_ == "slower") {
      return figure_of(one(0), "duration") > figure_of(one(1), "duration") ? "slower" : "faster";
    }
    if (what_ == "time") return readable_time(require(results::time_of(one(0)), one(0), what_));
    if (what_ == "rate") return readable_rate(figure_of(one(0), "rate") / 1e9, "GB/s");
    if (what_ == "share" || what_ == "beside" || what_ == "apart") return of_all() + " %";
    if (what_ == "figure") return number(figure_of(one(1), word(0)));
    const double a = figure_of(one(1), word(0));
    const double b = figure_of(one(2), word(0));
    if (what_ == "ratio") return number(a / b);
    if (what_ == "percent") return number(100 * a / b) + " %";
    if (what_ == "more") return percent_beyond(a / b - 1);
    if (what_ == "less") return percent_beyond(1 - a / b);
    if (what_ == "each") {
      const double wavefronts = figure_of(one(1), "wavefronts") - figure_of(one(2), "wavefronts");
      return number((a - b) / wavefronts);
    }
    refuse(fmt::format("{{{}}}: there is no '{}'; see tests/tools/page_figures.hpp", text_, what_));
  }

 private:
  // The words beside it say which way.
  [[nodiscard]] std::string percent_beyond(double share) const {
    if (share < 0)
      refuse(fmt::format("{{{}}}: it is the other way round; change the words", text_));
    return number(100 * share) + " %";
  }

  [[nodiscard]] std::string number(double value) const {
    return fmt::format("{:.{}f}", value, decimals_);
  }

  [[nodiscard]] std::string of_all() const {
    std::vector<double> figures;
    for (const BenchmarkResult& each : results_.benchmarks) {
      if (!matches_any(words_, each.id)) continue;
      figures.push_back(
          100 * (what_ == "share" ? share_of(each, results_) : of_reference(each, results_)));
      if (what_ == "apart") figures.back() = std::abs(100 / figures.back() - 1) * 100;
    }
    if (figures.empty()) refuse(fmt::format("{{{}}}: the results have no such benchmark", text_));
    const auto [least, most] = std::minmax_element(figures.begin(), figures.end());
    if (what_ == "apart" || number(*least) == number(*most)) return number(*most);
    return number(*least) + " to " + number(*most);
  }

  [[nodiscard]] const std::string& word(std::size_t index) const {
    if (index >= words_.size()) refuse(fmt::format("{{{}}}: a word is missing", text_));
    return words_[index];
  }

  [[nodiscard]] const BenchmarkResult& one(std::size_t index) const {
    const BenchmarkResult* const found = results_.find(word(index));
    if (found == nullptr) refuse(fmt::format("{{{}}}: the results have no {}", text_, word(index)));
    return *found;
  }

  const std::string& text_;
  const Results& results_;
  std::string what_;
  int decimals_ = 0;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<PageFigures> page_figures(std::string_view text, const std::string& name) {
  std::vector<PageFigures> figures;
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.starts_with("# ")) continue;
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) {
      refuse(fmt::format("{}:{}: has no tab; write a block's name or #anchor, a tab and the words",
                         name, number));
    }
    figures.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return figures;
}

std::string filled(std::string_view words, const Results& results) {
  std::string text;
  for (std::size_t open = words.find('{'); open != words.npos; open = words.find('{')) {
    const std::size_t close = words.find('}', open);
    if (close == words.npos) refuse(fmt::format("'{}' has a {{ without a }}", words));
    text += words.substr(0, open);
    const std::string inner(words.substr(open + 1, close - open - 1));
    text += Placeholder(inner, results).filled();
    words.remove_prefix(close + 1);
  }
  return text + std::string(words);
}

std::string with_figures(std::string page, const std::vector<PageFigures>& figures,
                         const Results& results, const std::string& name) {
  std::map<std::string, std::string> blocks;
  for (const PageFigures& each : figures) {
    const std::string words = filled(each.words, results);
    if (!each.place.starts_with('#')) {
      blocks[each.place] += words + "\n";
      continue;
    }
    const std::string section = section_of(page, each.place.substr(1));
    if (one_blank_apart(section).find(words) == section.npos) {
      refuse(fmt::format("{}{} does not say: {}; change it, or what it should say", name,
                         each.place, words));
    }
  }
  for (const auto& [block, text] : blocks) page = with_block(page, block, text, name);
  return page;
}

}  // namespace warpgauge::ci
