// SPDX-License-Identifier: Apache-2.0
#include "ci/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <system_error>

#include "ci/errors.hpp"
#include "ci/markdown.hpp"
#include "ci/text.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Results;
using results::Status;
using results::Work;

// Nanoseconds from the first kernel's start to the last one's end.
constexpr const char* kSpanMetric = "span";

constexpr const char* kNone = "–";
constexpr const char* kNotMeasured = "not measured";

struct IdParts {
  std::string_view family;
  std::string_view variant;
  std::string_view size;  // empty: the id, of a plain Google Benchmark file, has fewer parts
};

IdParts parts_of(std::string_view id) {
  const std::size_t first = id.find('/');
  if (first == id.npos) return {id, id, {}};
  const std::size_t last = id.rfind('/');
  if (last == first) return {id.substr(0, first), id.substr(first + 1), {}};
  return {id.substr(0, first), id.substr(first + 1, last - first - 1), id.substr(last + 1)};
}

// Product of the numbers in "256x192"; what is no number counts as 0.
double magnitude(std::string_view size) {
  double product = 1;
  while (true) {
    const std::size_t end = std::min(size.find('x'), size.size());
    double number = 0;
    const auto [rest, error] = std::from_chars(size.data(), size.data() + end, number);
    if (error != std::errc() || rest != size.data() + end) return 0;
    product *= number;
    if (end == size.size()) return product;
    size.remove_prefix(end + 1);
  }
}

// Mean over processes; absent: not measured.
std::optional<double> figure(const BenchmarkResult& benchmark, const std::string& metric) {
  const auto found = benchmark.metrics.find(metric);
  if (found == benchmark.metrics.end() || !found->second.problem.empty()) return std::nullopt;
  double sum = 0;
  double count = 0;
  for (const auto& session : found->second.sessions) {
    for (const double each : session) {
      sum += each;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

bool failed(const BenchmarkResult& benchmark) { return benchmark.outcome.status != Status::ok; }

std::optional<double> time_of(const BenchmarkResult& benchmark) {
  return failed(benchmark) ? std::nullopt : figure(benchmark, results::kTimeMetric);
}

std::optional<double> span_of(const BenchmarkResult& benchmark) {
  const auto span = figure(benchmark, kSpanMetric);
  return span && *span > 0 ? span : std::nullopt;
}

// What rates and ratios come from.
std::optional<double> duration_of(const BenchmarkResult& benchmark) {
  const auto time = time_of(benchmark);
  if (!time) return std::nullopt;
  const auto span = span_of(benchmark);
  return span ? span : time;
}

double bytes_of(const Work& work) { return work.bytes_read + work.bytes_written; }

// Far above what memory can feed: time then says nothing about bandwidth.
bool compute_bound(const Work& work) {
  constexpr double kOperationsPerByte = 8;
  return work.operations > kOperationsPerByte * bytes_of(work);
}

// Bytes a nanosecond, that is GB/s; absent where nothing is moved or it was not timed.
std::optional<double> bandwidth_of(const BenchmarkResult& benchmark) {
  const auto duration = duration_of(benchmark);
  if (!duration || bytes_of(benchmark.work) <= 0) return std::nullopt;
  return bytes_of(benchmark.work) / *duration;
}

std::string gigabytes_per_second(double rate) { return readable_rate(rate, "GB/s"); }

struct Ceilings {
  std::string_view size;
  std::map<std::string_view, double> bandwidth;  // GB/s by variant
};

constexpr std::string_view kCeilingFamily = "bandwidth";

// Absent: the results lack the family.
std::optional<Ceilings> ceilings_in(const Results& results) {
  std::optional<Ceilings> ceilings;
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    const IdParts id = parts_of(benchmark.id);
    if (id.family != kCeilingFamily) continue;
    if (!ceilings || magnitude(id.size) > magnitude(ceilings->size)) {
      ceilings = Ceilings{id.size, {}};
    }
    if (id.size != ceilings->size) continue;
    if (const auto rate = bandwidth_of(benchmark)) ceilings->bandwidth[id.variant] = *rate;
  }
  return ceilings;
}

std::string_view ceiling_for(const Work& work) {
  constexpr double kNegligible = 0.01;
  if (work.bytes_written < kNegligible * work.bytes_read) return "read";
  if (work.bytes_read < kNegligible * work.bytes_written) return "write";
  return "copy";
}

struct SizeTable {
  std::string_view size;
  std::vector<const BenchmarkResult*> rows;
};

struct Family {
  std::string_view name;
  std::vector<SizeTable> tables;
};

// The element that `is_it` accepts, made at the end when there is none.
template <class T, class IsIt>
T& find_or_add(std::vector<T>& all, T fresh, IsIt is_it) {
  const auto found = std::find_if(all.begin(), all.end(), is_it);
  return found != all.end() ? *found : all.emplace_back(std::move(fresh));
}

std::vector<Family> families_in(const Results& results) {
  std::vector<Family> families;
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    const IdParts id = parts_of(benchmark.id);
    Family& family = find_or_add(families, Family{id.family, {}},
                                 [&](const Family& each) { return each.name == id.family; });
    SizeTable& table = find_or_add(family.tables, SizeTable{id.size, {}},
                                   [&](const SizeTable& each) { return each.size == id.size; });
    table.rows.push_back(&benchmark);
  }
  return families;
}

const BenchmarkResult* reference_in(const SizeTable& table,
                                    const std::vector<std::string>& references) {
  for (const std::string& name : references) {
    for (const BenchmarkResult* row : table.rows) {
      if (parts_of(row->id).variant == name && duration_of(*row)) return row;
    }
  }
  return nullptr;
}

// Why a metric has no figure.
std::string reason_for(const BenchmarkResult& benchmark, const std::string& metric) {
  const auto found = benchmark.metrics.find(metric);
  if (found != benchmark.metrics.end() && !found->second.problem.empty()) {
    return fmt::format("{} {} ({})", metric, found->second.problem, benchmark.id);
  }
  std::vector<std::string> names{metric};
  if (metric != results::kTimeMetric) names.emplace_back("counters");
  for (const std::string& name : names) {
    const auto reason = benchmark.not_measured.find(name);
    if (reason != benchmark.not_measured.end()) {
      return fmt::format("{}: {}", name, reason->second);
    }
  }
  return fmt::format("{}: the results do not say why", metric);
}

// Prints one results' tables and remembers what is to be said below them.
class Printer {
 public:
  Printer(const Results& results, const TableOptions& options)
      : results_(results),
        options_(options),
        has_time_(std::any_of(results.benchmarks.begin(), results.benchmarks.end(),
                              [](const BenchmarkResult& each) { return time_of(each); })),
        ceilings_(ceilings_in(results)) {}

  std::string print() {
    std::string text;
    for (const Family& family : families_in(results_)) {
      text += fmt::format("### {}\n\n", markdown_text(family.name));
      for (const SizeTable& table : family.tables) {
        if (!table.size.empty()) text += fmt::format("Size {}:\n\n", markdown_text(table.size));
        text += print(table) + "\n";
      }
    }
    for (const std::string& note : notes()) text += note + "\n\n";
    return text + environment() + "\n";
  }

 private:
  using Row = std::vector<std::string>;

  std::string print(const SizeTable& table) {
    const BenchmarkResult* const reference = reference_in(table, options_.references);
    std::vector<Column> columns{{"variant"}};
    const auto add_column = [&](std::string title) {
      columns.push_back({std::move(title), Align::right});
    };
    if (has_time_) {
      add_column("time");
      add_column("rate");
      if (ceilings_) add_column("% of ceiling");
    }
    add_column("shared-memory wavefronts a request (loads / stores)");
    if (reference != nullptr) {
      add_column("time ÷ " + markdown_text(parts_of(reference->id).variant));
    }

    std::vector<Row> rows;
    for (const BenchmarkResult* each : table.rows) {
      rows.push_back(failed(*each) ? failed_row(*each) : row(*each, reference));
      rows.back().resize(columns.size());
    }
    return markdown_table(columns, rows);
  }

  Row failed_row(const BenchmarkResult& benchmark) {
    note(failures_, fmt::format("{}: {}", markdown_code(benchmark.id),
                                markdown_text(benchmark.outcome.message)));
    return {markdown_code(parts_of(benchmark.id).variant), "failed"};
  }

  Row row(const BenchmarkResult& benchmark, const BenchmarkResult* reference) {
    Row cells{markdown_code(parts_of(benchmark.id).variant)};
    if (has_time_) {
      cells.push_back(time_cell(benchmark));
      cells.push_back(rate_cell(benchmark));
      if (ceilings_) cells.push_back(ceiling_cell(benchmark));
    } else {
      (void)not_measured(benchmark, results::kTimeMetric);
    }
    cells.push_back(wavefronts_cell(benchmark));
    if (reference != nullptr) {
      const auto duration = duration_of(benchmark);
      cells.push_back(duration ? fmt::format("{:.2f}", *duration / *duration_of(*reference))
                               : kNone);
    }
    return cells;
  }

  std::string time_cell(const BenchmarkResult& benchmark) {
    const auto time = time_of(benchmark);
    if (!time) return not_measured(benchmark, results::kTimeMetric);
    const auto span = span_of(benchmark);
    if (!span) return readable_time(*time);
    has_span_ = true;
    return fmt::format("{} (span {}) †", readable_time(*time), readable_time(*span));
  }

  static std::string rate_cell(const BenchmarkResult& benchmark) {
    const auto duration = duration_of(benchmark);
    if (duration && compute_bound(benchmark.work)) {
      return readable_rate(benchmark.work.operations / *duration / 1e3, "TFLOP/s");
    }
    const auto bandwidth = bandwidth_of(benchmark);
    return bandwidth ? gigabytes_per_second(*bandwidth) : kNone;
  }

  [[nodiscard]] std::string ceiling_cell(const BenchmarkResult& benchmark) const {
    const auto bandwidth = bandwidth_of(benchmark);
    if (!bandwidth || compute_bound(benchmark.work)) return kNone;
    const auto ceiling = ceilings_->bandwidth.find(ceiling_for(benchmark.work));
    if (ceiling == ceilings_->bandwidth.end()) return kNone;
    return fmt::format("{:.1f} %", 100 * *bandwidth / ceiling->second);
  }

  std::string wavefronts_cell(const BenchmarkResult& benchmark) {
    std::string loads = wavefronts_a_request(benchmark, "load");
    const std::string stores = wavefronts_a_request(benchmark, "store");
    if (loads == stores && (loads == kNone || loads == kNotMeasured)) return loads;
    return fmt::format("{} / {}", loads, stores);
  }

  std::string wavefronts_a_request(const BenchmarkResult& benchmark, const char* access) {
    const std::string requests_metric = fmt::format("shared_{}_requests", access);
    const auto requests = figure(benchmark, requests_metric);
    if (!requests) return not_measured(benchmark, requests_metric);
    if (*requests == 0) return kNone;
    const std::string wavefronts_metric = fmt::format("shared_{}_wavefronts", access);
    const auto wavefronts = figure(benchmark, wavefronts_metric);
    if (!wavefronts) return not_measured(benchmark, wavefronts_metric);
    return fmt::format("{:.2f}", *wavefronts / *requests);
  }

  std::string not_measured(const BenchmarkResult& benchmark, const std::string& metric) {
    note(reasons_, markdown_text(reason_for(benchmark, metric)));
    return kNotMeasured;
  }

  static void note(std::vector<std::string>& notes, std::string text) {
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) {
      notes.push_back(std::move(text));
    }
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (has_span_) {
      notes.emplace_back(
          "† Several kernels: the time is their sum; rate, % of ceiling and ratio come from the "
          "span, from the first kernel's start to the last one's end.");
    }
    if (has_time_ && !ceilings_) {
      notes.push_back(
          fmt::format("No % of ceiling: the results lack the family `{}`, which measures what this "
                      "device's memory can do.",
                      kCeilingFamily));
    }
    if (has_time_ && ceilings_) notes.push_back(ceilings_note());
    for (const std::string& reason : reasons_) {
      notes.push_back(fmt::format("Not measured: {}.", reason));
    }
    for (const std::string& failure : failures_) {
      notes.push_back(fmt::format("Failed: {}", failure));
    }
    return notes;
  }

  [[nodiscard]] std::string ceilings_note() const {
    const auto ceiling = [&](std::string_view variant) {
      const auto found = ceilings_->bandwidth.find(variant);
      return found == ceilings_->bandwidth.end() ? kNotMeasured
                                                 : gigabytes_per_second(found->second);
    };
    return fmt::format(
        "Ceilings: `{}` at size {} in the same run: read {}, write {}, copy {}. A benchmark that "
        "writes less than 1 % of what it reads is held against read, the reverse against write, "
        "every other against copy.",
        kCeilingFamily, markdown_text(ceilings_->size), ceiling("read"), ceiling("write"),
        ceiling("copy"));
  }

  [[nodiscard]] std::string environment() const {
    const std::string printed =
        options_.command.empty() ? ""
                                 : fmt::format(" Printed by {}.", markdown_code(options_.command));
    if (!results_.session) {
      return "Measured on: not recorded, as in every plain Google Benchmark file." + printed;
    }
    const results::Session& session = *results_.session;
    std::string text = "Measured on " + markdown_text(session.device.name);
    if (!session.device.driver.empty()) {
      text += ", driver " + markdown_text(session.device.driver);
    }
    if (!session.toolchain.cuda.empty()) {
      text += ", CUDA " + markdown_text(session.toolchain.cuda);
    }
    return fmt::format(
        "{}, {}, {}.{}", text,
        session.processes == 1 ? "1 process" : fmt::format("{} processes", session.processes),
        markdown_text(session.created), printed);
  }

  const Results& results_;
  const TableOptions& options_;
  bool has_time_;
  std::optional<Ceilings> ceilings_;
  bool has_span_ = false;
  std::vector<std::string> reasons_;
  std::vector<std::string> failures_;
};

struct Line {
  std::size_t begin;
  std::size_t end;  // behind its \n
};

// The one line that is the marker.
Line marker_line(std::string_view page, std::string_view marker, const std::string& name) {
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
                            name, marker, kTablesBegin, kTablesEnd));
  }
  return *found;
}

}  // namespace

std::string markdown_tables(const Results& results, const TableOptions& options) {
  return Printer(results, options).print();
}

std::map<std::string, double> bandwidth_ceilings(const Results& results) {
  constexpr double kBytesPerGigabyte = 1e9;
  std::map<std::string, double> bandwidths;
  const auto ceilings = ceilings_in(results);
  if (!ceilings) return bandwidths;
  for (const char* variant : {"read", "write", "copy", "triad"}) {
    const auto found = ceilings->bandwidth.find(variant);
    if (found == ceilings->bandwidth.end()) continue;
    bandwidths[variant] = found->second * kBytesPerGigabyte;
  }
  return bandwidths;
}

std::string with_tables(std::string_view page, std::string_view tables, const std::string& name) {
  const Line begin = marker_line(page, kTablesBegin, name);
  const Line end = marker_line(page, kTablesEnd, name);
  if (end.begin < begin.end) {
    throw Error(kExitNotMeasured, fmt::format("{}: has the line '{}' before '{}'; swap them", name,
                                              kTablesEnd, kTablesBegin));
  }
  return fmt::format("{}\n{}\n{}", page.substr(0, begin.end), tables, page.substr(end.begin));
}

}  // namespace warpgauge::ci
