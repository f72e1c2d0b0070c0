// SPDX-License-Identifier: Apache-2.0
#include "ci/report/affected_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

const char* word_for(Identity is) { return is == Identity::different ? "affected" : "maybe"; }

std::string benchmarks_text(const Affected& affected) {
  const std::size_t all = affected.benchmarks.size() + affected.same_benchmarks;
  std::string text = fmt::format("{} of {} may be affected.\n", affected.benchmarks.size(),
                                 counted(all, "benchmark"));
  for (const AffectedBenchmark& each : affected.benchmarks) {
    text +=
        fmt::format("  {:<8}  {}: {}\n", word_for(each.is), each.id, fmt::join(each.because, "; "));
  }
  for (const std::string& each : affected.removed) text += fmt::format("  removed   {}\n", each);
  if (!affected.compared_launches) {
    text +=
        "Launches were not compared, so host code may have changed them: for that give "
        "--suite-before.\n";
  }
  return text;
}

std::string kernels_text(const Affected& affected) {
  const std::size_t changed = affected.changed_kernels().size();
  std::string text = fmt::format("{} of {} changed.\n", changed,
                                 counted(changed + affected.same_kernels, "kernel"));
  for (const AffectedKernel& each : affected.kernels) {
    text += fmt::format("  {}  {} {}\n", to_string(each.change), each.key.second, each.key.first);
  }
  return text;
}

Json json_of(const AffectedBenchmark& benchmark) {
  return {{"id", benchmark.id},
          {"known", benchmark.is == Identity::different},
          {"because", benchmark.because}};
}

Json json_of(const AffectedKernel& kernel) {
  return {{"name", kernel.key.first},
          {"architecture", kernel.key.second},
          {"change", to_string(kernel.change)}};
}

template <class Each>
Json list_of(const std::vector<Each>& all) {
  Json list = Json::array();
  for (const Each& each : all) list.push_back(json_of(each));
  return list;
}

}  // namespace

std::string affected_text(const Affected& affected) {
  std::string text;
  for (const std::string& each : affected.doubts) {
    text += fmt::format("Anything may be affected: {}\n", each);
  }
  if (affected.knows_benchmarks) text += benchmarks_text(affected);
  text += kernels_text(affected);
  for (const std::string& each : affected.launched_by_none) {
    text += fmt::format("Changed, and launched by no benchmark of this suite: {}\n", each);
  }
  return text;
}

Json affected_json(const Affected& affected) {
  Json json{{"affected", !affected.nothing()},
            {"filter", filter_for(affected)},
            {"doubts", affected.doubts},
            {"kernels", list_of(affected.kernels)},
            {"same_kernels", affected.same_kernels}};
  if (!affected.knows_benchmarks) return json;
  json["compared_launches"] = affected.compared_launches;
  json["benchmarks"] = list_of(affected.benchmarks);
  json["same_benchmarks"] = affected.same_benchmarks;
  json["removed"] = affected.removed;
  json["launched_by_none"] = affected.launched_by_none;
  return json;
}

}  // namespace warpgauge::ci
