// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace warpgauge::results {
namespace {

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

// A family of that name may have other variants.
bool is_ceiling(std::string_view variant) {
  return variant == "read" || variant == "write" || variant == "copy" || variant == "triad";
}

}  // namespace

double bytes_of(const Work& work) { return work.bytes_read + work.bytes_written; }

IdParts parts_of(std::string_view id) {
  const std::size_t first = id.find('/');
  if (first == id.npos) return {id, id, {}};
  const std::size_t last = id.rfind('/');
  if (last == first) return {id.substr(0, first), id.substr(first + 1), {}};
  return {id.substr(0, first), id.substr(first + 1, last - first - 1), id.substr(last + 1)};
}

bool is_time(std::string_view metric) {
  return metric == kTimeMetric || metric == kSpanMetric || metric == kCpuTimeMetric ||
         metric.ends_with("_ns");
}

std::string unit_of(const std::string& metric) { return is_time(metric) ? "ns" : ""; }

std::optional<double> time_of(const BenchmarkResult& benchmark) {
  return benchmark.outcome.status != Status::ok ? std::nullopt : benchmark.figure(kTimeMetric);
}

std::optional<double> span_of(const BenchmarkResult& benchmark) {
  const auto span = benchmark.figure(kSpanMetric);
  return span && *span > 0 ? span : std::nullopt;
}

std::optional<double> duration_of(const BenchmarkResult& benchmark) {
  const auto time = time_of(benchmark);
  if (!time) return std::nullopt;
  const auto span = span_of(benchmark);
  return span ? span : time;
}

std::optional<double> bandwidth_of(const BenchmarkResult& benchmark) {
  const auto duration = duration_of(benchmark);
  if (!duration || bytes_of(benchmark.work) <= 0) return std::nullopt;
  return kNanosecondsPerSecond * bytes_of(benchmark.work) / *duration;
}

Ceilings measured_ceilings(const Results& results) {
  Ceilings ceilings;
  if (results.session && results.session->hot) {
    ceilings.not_measured =
        "timed hot: some of the data came from the L2, and what was reached is not what the memory "
        "can do";
    return ceilings;
  }
  bool found = false;
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    const IdParts id = parts_of(benchmark.id);
    if (id.family != kCeilingFamily) continue;
    if (!found || magnitude(id.size) > magnitude(ceilings.size))
      ceilings = {.size = std::string(id.size)};
    found = true;
    if (id.size != ceilings.size || !is_ceiling(id.variant)) continue;
    if (const auto rate = bandwidth_of(benchmark)) {
      ceilings.bytes_per_second[std::string(id.variant)] = *rate;
    }
  }
  if (ceilings.bytes_per_second.empty()) {
    ceilings.not_measured =
        found ? fmt::format("the family {} was not timed at its largest size, {}", kCeilingFamily,
                            ceilings.size)
              : fmt::format(
                    "the run had no benchmark of the family {}, which measures what this "
                    "device's memory can do",
                    kCeilingFamily);
  }
  return ceilings;
}

Ceilings ceilings_of(const Results& results) {
  if (results.session && results.session->ceilings) return *results.session->ceilings;
  return measured_ceilings(results);
}

}  // namespace warpgauge::results
