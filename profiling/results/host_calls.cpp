// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/host_calls.hpp"

#include <algorithm>
#include <array>

namespace warpgauge::results {
namespace {

struct Kind {
  const char* metric;
  std::uint64_t HostCalls::*figure;
};

constexpr std::array<Kind, 5> kKinds{{{"copies", &HostCalls::copies},
                                      {"memory_sets", &HostCalls::memory_sets},
                                      {"allocations", &HostCalls::allocations},
                                      {"frees", &HostCalls::frees},
                                      {"synchronizations", &HostCalls::synchronizations}}};

struct Name {
  std::string_view begin;  // without "cu" or "cuda"
  std::uint64_t HostCalls::*figure;
};

// The first that fits. cudaMallocHost is cuMemAllocHost, cudaMalloc cuMemAlloc.
constexpr std::array<Name, 12> kNames{{{"Memcpy", &HostCalls::copies},
                                       {"Memset", &HostCalls::memory_sets},
                                       {"MemAlloc", &HostCalls::allocations},
                                       {"MemHostAlloc", &HostCalls::allocations},
                                       {"MemCreate", &HostCalls::allocations},
                                       {"ArrayCreate", &HostCalls::allocations},
                                       {"Malloc", &HostCalls::allocations},
                                       {"HostAlloc", &HostCalls::allocations},
                                       {"MemFree", &HostCalls::frees},
                                       {"MemRelease", &HostCalls::frees},
                                       {"ArrayDestroy", &HostCalls::frees},
                                       {"Free", &HostCalls::frees}}};

}  // namespace

void HostCalls::count(std::string_view function) {
  for (const std::string_view prefix : {"cuda", "cu"}) {
    if (!function.starts_with(prefix)) continue;
    function.remove_prefix(prefix.size());
    break;
  }
  if (function.find("Synchronize") != function.npos) {
    ++synchronizations;
    return;
  }
  const auto* const found = std::find_if(kNames.begin(), kNames.end(), [&](const Name& each) {
    return function.starts_with(each.begin);
  });
  if (found != kNames.end()) ++(this->*found->figure);
}

std::map<std::string, double> host_metrics(const HostCalls& calls, std::uint64_t fixture_bytes) {
  std::map<std::string, double> metrics;
  for (const Kind& kind : kKinds) metrics[kind.metric] = static_cast<double>(calls.*kind.figure);
  if (calls.most_bytes) {
    metrics[kPeakMemoryMetric] = static_cast<double>(fixture_bytes + *calls.most_bytes);
  }
  return metrics;
}

bool is_host_metric(std::string_view metric) {
  return metric == kPeakMemoryMetric ||
         std::any_of(kKinds.begin(), kKinds.end(),
                     [&](const Kind& kind) { return metric == kind.metric; });
}

}  // namespace warpgauge::results
