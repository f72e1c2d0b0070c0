// SPDX-License-Identifier: Apache-2.0
// warpgauge_metrics [CHIP [TEXT]]: prints the chips that CUPTI knows, or one chip's metrics, as
// JSON. `warpgauge metrics`, which has no CUDA, runs it. Needs neither a GPU nor a driver.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "profiling/cupti/counters/counters.hpp"
#include "profiling/cupti/counters/metric_names.hpp"

namespace {

using namespace warpgauge::cupti;
using warpgauge::UnknownName;
using Json = nlohmann::ordered_json;

constexpr int kExitNotMeasured = 4;
constexpr int kExitUsage = 64;

const char* name_of(MetricType type) {
  switch (type) {
    case MetricType::counter:
      return "counter";
    case MetricType::ratio:
      return "ratio";
    case MetricType::throughput:
      return "throughput";
  }
  return "";
}

Json to_json(const Metric& metric) {
  Json json{{"name", metric.name},
            {"type", name_of(metric.properties.type)},
            {"unit", metric.properties.unit},
            {"dimension", metric.properties.dimension},
            {"description", metric.properties.description},
            {"passes", metric.passes}};
  const auto counter = std::find_if(kCounters.begin(), kCounters.end(), [&](const Counter& each) {
    return each.metric == metric.name || (each.matrix != nullptr && each.matrix == metric.name);
  });
  if (counter != kCounters.end()) json["recorded_as"] = counter->name;
  return json;
}

int answer(std::span<char*> arguments) {
  if (arguments.size() > 2) {
    fmt::print(stderr, "usage: warpgauge_metrics [CHIP [TEXT]]\n");
    return kExitUsage;
  }
  if (arguments.empty()) {
    fmt::print("{}\n", Json{{"chips", supported_chips()}}.dump(2));
    return 0;
  }
  const std::string chip = arguments[0];
  Json metrics = Json::array();
  for (const Metric& metric : find_metrics(chip, arguments.size() == 2 ? arguments[1] : "")) {
    metrics.push_back(to_json(metric));
  }
  const Json json{{"chip", chip}, {"metrics", std::move(metrics)}};
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return answer(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const UnknownName& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kExitNotMeasured;
  }
}
