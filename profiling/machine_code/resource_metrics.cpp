// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/resource_metrics.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace warpgauge::ci {
namespace {

using results::KernelCode;

enum class Together { most, sum };

struct Resource {
  const char* metric;
  Together together;
  std::optional<std::uint64_t> (*figure)(const KernelCode&);
};

using Figure = std::optional<std::uint64_t>;

constexpr Resource kResources[] = {
    {"registers", Together::most,
     [](const KernelCode& code) -> Figure { return static_cast<std::uint64_t>(code.registers); }},
    {"static_shared_bytes", Together::most,
     [](const KernelCode& code) -> Figure { return code.static_shared_bytes; }},
    {"stack_bytes", Together::most,
     [](const KernelCode& code) -> Figure { return code.stack_bytes; }},
    {"spill_store_bytes", Together::sum,
     [](const KernelCode& code) -> Figure { return code.spill_store_bytes; }},
    {"spill_load_bytes", Together::sum,
     [](const KernelCode& code) -> Figure { return code.spill_load_bytes; }},
    {"code_bytes", Together::sum, [](const KernelCode& code) -> Figure { return code.code_bytes; }},
    {"code_instructions", Together::sum,
     [](const KernelCode& code) -> Figure { return code.instructions; }},
};

Figure together(const std::vector<KernelCode>& kernels, const Resource& resource) {
  std::uint64_t all = 0;
  for (const KernelCode& kernel : kernels) {
    const Figure figure = resource.figure(kernel);
    if (!figure) return std::nullopt;
    all = resource.together == Together::most ? std::max(all, *figure) : all + *figure;
  }
  return all;
}

}  // namespace

std::map<std::string, double> resource_metrics(const std::vector<KernelCode>& kernels) {
  std::map<std::string, double> metrics;
  if (kernels.empty()) return metrics;
  for (const Resource& resource : kResources) {
    if (const Figure figure = together(kernels, resource)) {
      metrics[resource.metric] = static_cast<double>(*figure);
    }
  }
  return metrics;
}

bool is_resource_metric(const std::string& metric) {
  return std::any_of(std::begin(kResources), std::end(kResources),
                     [&](const Resource& each) { return metric == each.metric; });
}

std::vector<KernelCode> of_architecture(const std::vector<KernelCode>& kernels,
                                        const std::string& architecture) {
  std::vector<KernelCode> some;
  std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(some),
               [&](const KernelCode& each) { return each.architecture == architecture; });
  return some;
}

}  // namespace warpgauge::ci
