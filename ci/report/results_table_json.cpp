// SPDX-License-Identifier: Apache-2.0
// The figures of markdown_tables(), for programs.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "ci/report/results_table.hpp"
#include "ci/verdict/metrics/roofline.hpp"
#include "profiling/results/json/json_writer.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Json;
using results::put;
using results::Results;

std::optional<double> wavefronts_a_request(const BenchmarkResult& benchmark,
                                           const std::string& access) {
  const auto requests = benchmark.figure("shared_" + access + "_requests");
  const auto wavefronts = benchmark.figure("shared_" + access + "_wavefronts");
  if (!requests || !wavefronts || *requests == 0) return std::nullopt;
  return *wavefronts / *requests;
}

Json row(const BenchmarkResult& benchmark, const Results& results,
         const results::Ceilings& ceilings, const TableOptions& options) {
  Json json{{"id", benchmark.id}, {"status", to_string(benchmark.outcome.status)}};
  if (benchmark.outcome.status != results::Status::ok) {
    json["message"] = benchmark.outcome.message;
    return json;
  }
  const auto duration = duration_of(benchmark);
  put(json, "time_ns", time_of(benchmark));
  put(json, "span_ns", span_of(benchmark));
  if (duration && compute_bound(benchmark.work)) {
    json["operations_per_second"] = benchmark.work.operations / *duration * 1e9;
  } else {
    put(json, "bytes_per_second", bandwidth_of(benchmark));
  }
  const std::uint64_t l2_bytes = results.session ? results.session->device.l2_bytes : 0;
  const CeilingShare share = share_of_ceiling(benchmark, ceilings, l2_bytes);
  if (share.share) json["ceiling"] = share.ceiling;
  put(json, "share_of_ceiling", share.share);
  put(json, "shared_load_wavefronts_a_request", wavefronts_a_request(benchmark, "load"));
  put(json, "shared_store_wavefronts_a_request", wavefronts_a_request(benchmark, "store"));
  const BenchmarkResult* const reference = reference_of(benchmark, results, options.references);
  if (reference != nullptr && duration) {
    json["reference"] = reference->id;
    json["time_ratio"] = *duration / *duration_of(*reference);
  }
  json["not_measured"] = benchmark.not_measured;
  return json;
}

}  // namespace

Json table_json(const Results& results, const TableOptions& options) {
  Json json = Json::object();
  if (results.session) {
    json["device"] = results.session->device.name;
    json["created"] = results.session->created;
    json["processes"] = results.session->processes;
    if (results.session->hot) json["hot"] = true;
  }
  const results::Ceilings ceilings = ceilings_of(results);
  if (ceilings.not_measured.empty()) json["ceilings"] = ceilings.bytes_per_second;
  json["benchmarks"] = Json::array();
  for (const BenchmarkResult& each : results.benchmarks) {
    json["benchmarks"].push_back(row(each, results, ceilings, options));
  }
  return json;
}

}  // namespace warpgauge::ci
