// SPDX-License-Identifier: Apache-2.0
#include "ci/achieved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Ceilings;
using results::Results;
using results::Status;
using results::Work;

constexpr const char* kSpanMetric = "span";

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

double bytes_of(const Work& work) { return work.bytes_read + work.bytes_written; }

std::string ceiling_for(const Work& work) {
  constexpr double kNegligible = 0.01;
  if (work.bytes_written < kNegligible * work.bytes_read) return "read";
  if (work.bytes_read < kNegligible * work.bytes_written) return "write";
  return "copy";
}

}  // namespace

IdParts parts_of(std::string_view id) {
  const std::size_t first = id.find('/');
  if (first == id.npos) return {id, id, {}};
  const std::size_t last = id.rfind('/');
  if (last == first) return {id.substr(0, first), id.substr(first + 1), {}};
  return {id.substr(0, first), id.substr(first + 1, last - first - 1), id.substr(last + 1)};
}

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

std::optional<double> time_of(const BenchmarkResult& benchmark) {
  return benchmark.outcome.status != Status::ok ? std::nullopt
                                                : figure(benchmark, results::kTimeMetric);
}

std::optional<double> span_of(const BenchmarkResult& benchmark) {
  const auto span = figure(benchmark, kSpanMetric);
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
  return results::kNanosecondsPerSecond * bytes_of(benchmark.work) / *duration;
}

bool compute_bound(const Work& work) {
  constexpr double kOperationsPerByte = 8;
  return work.operations > kOperationsPerByte * bytes_of(work);
}

// A family of that name may have other variants.
bool is_ceiling(std::string_view variant) {
  return variant == "read" || variant == "write" || variant == "copy" || variant == "triad";
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
        found ? fmt::format("the family {} was not timed", kCeilingFamily)
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

CeilingShare share_of_ceiling(const BenchmarkResult& benchmark, const Ceilings& ceilings,
                              std::uint64_t l2_bytes) {
  CeilingShare share{
      .ceiling = ceiling_for(benchmark.work), .share = std::nullopt, .not_measured = {}};
  const auto bandwidth = bandwidth_of(benchmark);
  const auto ceiling = ceilings.bytes_per_second.find(share.ceiling);
  if (!bandwidth) {
    share.not_measured = "nothing is moved, or it was not timed";
  } else if (compute_bound(benchmark.work)) {
    share.not_measured = "its operations bound it, not memory";
  } else if (bytes_of(benchmark.work) <= static_cast<double>(l2_bytes)) {
    share.not_measured = "it fits into the L2";
    share.fits_into_l2 = true;
  } else if (!ceilings.not_measured.empty()) {
    share.not_measured = ceilings.not_measured;
  } else if (ceiling == ceilings.bytes_per_second.end()) {
    share.not_measured = fmt::format("{}/{} was not timed", kCeilingFamily, share.ceiling);
  } else {
    share.share = *bandwidth / ceiling->second;
  }
  return share;
}

std::optional<Achieved> achieved(const BenchmarkResult& benchmark, const Ceilings& ceilings,
                                 std::uint64_t l2_bytes) {
  const auto bandwidth = bandwidth_of(benchmark);
  if (!bandwidth) return std::nullopt;
  const CeilingShare share = share_of_ceiling(benchmark, ceilings, l2_bytes);
  return Achieved{.bytes_per_second = *bandwidth,
                  .ceiling = share.share ? share.ceiling : "",
                  .share = share.share,
                  .no_share_because = share.not_measured};
}

}  // namespace warpgauge::ci
