// SPDX-License-Identifier: Apache-2.0
#include "ci/report/results_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ci/support/errors.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/metrics/roofline.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Results;
using results::Status;

constexpr const char* kDash = "–";
constexpr const char* kNotMeasured = "not measured";

bool failed(const BenchmarkResult& benchmark) { return benchmark.outcome.status != Status::ok; }

std::string gigabytes_per_second(double bytes_per_second) {
  return readable_rate(bytes_per_second / 1e9, "GB/s");
}

struct SizeTable {
  std::string_view size;
  std::vector<const BenchmarkResult*> rows;
};

struct FamilyTables {
  std::string_view name;
  std::vector<SizeTable> tables;
};

// The element that `is_it` accepts, made at the end when there is none.
template <class T, class IsIt>
T& find_or_add(std::vector<T>& all, T fresh, IsIt is_it) {
  const auto found = std::find_if(all.begin(), all.end(), is_it);
  return found != all.end() ? *found : all.emplace_back(std::move(fresh));
}

std::vector<FamilyTables> families_in(const Results& results) {
  std::vector<FamilyTables> families;
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    const results::IdParts id = results::parts_of(benchmark.id);
    FamilyTables& family =
        find_or_add(families, FamilyTables{id.family, {}},
                    [&](const FamilyTables& each) { return each.name == id.family; });
    SizeTable& table = find_or_add(family.tables, SizeTable{id.size, {}},
                                   [&](const SizeTable& each) { return each.size == id.size; });
    table.rows.push_back(&benchmark);
  }
  return families;
}

// Why a metric has no figure.
std::string reason_for(const BenchmarkResult& benchmark, const std::string& metric) {
  const auto found = benchmark.metrics.find(metric);
  if (found != benchmark.metrics.end() && !found->second.problem.empty()) {
    return fmt::format("{} {} ({})", metric, found->second.problem, benchmark.id);
  }
  const auto* const reason = benchmark.why_not_measured(metric);
  if (reason != nullptr) return fmt::format("{}: {}", reason->first, reason->second);
  return fmt::format("{}: the results do not say why", metric);
}

// Prints one results' tables and remembers what is to be said below them.
class Printer {
 public:
  Printer(const Results& results, const TableOptions& options)
      : results_(results),
        options_(options),
        of_cpu_(results.session && results.session->device.kind == results::DeviceKind::cpu),
        has_time_(any_of(results, [](const BenchmarkResult& each) { return time_of(each); })),
        has_rate_(
            any_of(results, [](const BenchmarkResult& each) { return rate_of(each) != kDash; })),
        ceilings_(ceilings_of(results)) {}

  std::string print() {
    std::string text;
    for (const FamilyTables& family : families_in(results_)) {
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

  template <class IsIt>
  static bool any_of(const Results& results, IsIt is_it) {
    return std::any_of(results.benchmarks.begin(), results.benchmarks.end(), is_it);
  }

  std::string print(const SizeTable& table) {
    const BenchmarkResult* const reference =
        reference_of(*table.rows.front(), results_, options_.references);
    std::vector<Column> columns{{"variant"}};
    const auto add_column = [&](std::string title) {
      columns.push_back({std::move(title), Align::right});
    };
    if (has_time_) {
      add_column("time");
      if (has_rate_) add_column("rate");
      if (has_ceilings()) add_column("% of ceiling");
    }
    if (!of_cpu_) add_column("shared-memory wavefronts a request (loads / stores)");
    if (reference != nullptr) {
      add_column("time ÷ " + markdown_text(results::parts_of(reference->id).variant));
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
    return {markdown_code(results::parts_of(benchmark.id).variant), "failed"};
  }

  Row row(const BenchmarkResult& benchmark, const BenchmarkResult* reference) {
    Row cells{markdown_code(results::parts_of(benchmark.id).variant)};
    if (has_time_) {
      cells.push_back(time_cell(benchmark));
      if (has_rate_) cells.push_back(rate_of(benchmark));
      if (has_ceilings()) cells.push_back(ceiling_cell(benchmark));
    } else {
      (void)not_measured(benchmark, results::kTimeMetric);
    }
    if (!of_cpu_) cells.push_back(wavefronts_cell(benchmark));
    if (reference != nullptr) {
      const auto duration = duration_of(benchmark);
      cells.push_back(duration ? fmt::format("{:.2f}", *duration / *duration_of(*reference))
                               : kDash);
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

  static std::string rate_of(const BenchmarkResult& benchmark) {
    const auto duration = duration_of(benchmark);
    if (duration && compute_bound(benchmark.work)) {
      return readable_rate(benchmark.work.operations / *duration / 1e3, "TFLOP/s");
    }
    const auto bandwidth = bandwidth_of(benchmark);
    return bandwidth ? gigabytes_per_second(*bandwidth) : kDash;
  }

  [[nodiscard]] bool has_ceilings() const { return ceilings_.not_measured.empty(); }

  std::string ceiling_cell(const BenchmarkResult& benchmark) {
    const std::uint64_t l2_bytes = results_.session ? results_.session->device.l2_bytes : 0;
    const CeilingShare share = share_of_ceiling(benchmark, ceilings_, l2_bytes);
    fits_into_l2_ |= share.fits_into_l2;
    return share.share ? fmt::format("{:.1f} %", 100 * *share.share) : kDash;
  }

  std::string wavefronts_cell(const BenchmarkResult& benchmark) {
    std::string loads = wavefronts_a_request(benchmark, "load");
    const std::string stores = wavefronts_a_request(benchmark, "store");
    if (loads == stores && (loads == kDash || loads == kNotMeasured)) return loads;
    return fmt::format("{} / {}", loads, stores);
  }

  std::string wavefronts_a_request(const BenchmarkResult& benchmark, const char* access) {
    const std::string requests_metric = fmt::format("shared_{}_requests", access);
    const auto requests = benchmark.figure(requests_metric);
    if (!requests) return not_measured(benchmark, requests_metric);
    if (*requests == 0) return kDash;
    const std::string wavefronts_metric = fmt::format("shared_{}_wavefronts", access);
    const auto wavefronts = benchmark.figure(wavefronts_metric);
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
    if (has_time_ && !has_ceilings() && !of_cpu_) {
      notes.push_back(fmt::format("No % of ceiling: {}.", markdown_text(ceilings_.not_measured)));
    }
    if (has_time_ && has_ceilings()) notes.push_back(ceilings_note());
    if (fits_into_l2_) {
      notes.push_back(fmt::format(
          "No % of ceiling for what fits into the L2 ({:.0f} MB): what it writes need not have "
          "reached the memory when it ends, and its time is latency more than bandwidth.",
          static_cast<double>(results_.session->device.l2_bytes) / 1e6));
    }
    for (const std::string& reason : reasons_) {
      notes.push_back(fmt::format("Not measured: {}.", reason));
    }
    for (const std::string& failure : failures_) {
      notes.push_back(fmt::format("Failed: {}", failure));
    }
    return notes;
  }

  // "read 4,158 GB/s".
  [[nodiscard]] std::string ceiling(const char* variant) const {
    const auto found = ceilings_.bytes_per_second.find(variant);
    const bool is_known = found != ceilings_.bytes_per_second.end();
    return fmt::format("{} {}", variant,
                       is_known ? gigabytes_per_second(found->second) : kNotMeasured);
  }

  [[nodiscard]] std::string ceilings_note() const {
    return fmt::format(
        "Ceilings: `{}` at size {} in the same run: {}, {}, {}, {}. A benchmark that writes less "
        "than 1 % of what it reads is compared with read, one that "
        "reads less than 1 % of what it writes with write, every other with the sum of copy, "
        "triad, read and write that moves as many bytes each way.",
        results::kCeilingFamily, markdown_text(ceilings_.size), ceiling("read"), ceiling("write"),
        ceiling("copy"), ceiling("triad"));
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
    if (session.hot) text += ", caches hot";
    return fmt::format(
        "{}, {}, {}.{}", text,
        session.processes == 1 ? "1 process" : fmt::format("{} processes", session.processes),
        markdown_text(session.created), printed);
  }

  const Results& results_;
  const TableOptions& options_;
  bool of_cpu_;  // which has no shared memory, and no ceilings here
  bool has_time_;
  bool has_rate_;
  results::Ceilings ceilings_;
  bool fits_into_l2_ = false;
  bool has_span_ = false;
  std::vector<std::string> reasons_;
  std::vector<std::string> failures_;
};

}  // namespace

const BenchmarkResult* reference_of(const BenchmarkResult& benchmark, const Results& results,
                                    const std::vector<std::string>& references) {
  const results::IdParts wanted = results::parts_of(benchmark.id);
  for (const std::string& name : references) {
    for (const BenchmarkResult& each : results.benchmarks) {
      const results::IdParts id = results::parts_of(each.id);
      const bool comparable =
          id.family == wanted.family && id.size == wanted.size && id.variant == name;
      if (comparable && duration_of(each)) return &each;
    }
  }
  return nullptr;
}

std::string markdown_tables(const Results& results, const TableOptions& options) {
  return Printer(results, options).print();
}

}  // namespace warpgauge::ci
