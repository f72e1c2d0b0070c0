// SPDX-License-Identifier: Apache-2.0
#include "profiling/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace warpgauge {
namespace {

struct Variant {
  std::string name;
  detail::MakeFixture make;
};

struct Family {
  std::vector<Variant> variants;
  SuiteSizes sizes;
};

// Global, because static initialisers of the family files fill it before main.
std::map<std::string, Family>& families() {
  static std::map<std::string, Family> all;
  return all;
}

}  // namespace

bool detail::add_variant(const char* family, const char* variant, MakeFixture make) {
  families()[snake_case(family)].variants.push_back({variant, std::move(make)});
  return true;
}

bool detail::add_sizes(const char* family, SuiteSizes sizes) {
  families()[snake_case(family)].sizes = std::move(sizes);
  return true;
}

std::string snake_case(const std::string& upper_camel) {
  std::string name;
  for (const char raw : upper_camel) {
    const auto character = static_cast<unsigned char>(raw);
    if (std::isupper(character) != 0 && !name.empty()) name += '_';
    name += static_cast<char>(std::tolower(character));
  }
  return name;
}

std::vector<BenchmarkInfo> benchmarks_for(results::DeviceKind kind) {
  std::vector<BenchmarkInfo> benchmarks;
  std::set<std::string> ids;
  for (const auto& [name, family] : families()) {
    const auto& sizes = kind == results::DeviceKind::gpu ? family.sizes.gpu : family.sizes.emulated;
    if (family.variants.empty()) {
      throw std::logic_error(fmt::format("family {}: has SIZES but no VARIANT", name));
    }
    if (sizes.empty()) {
      throw std::logic_error(
          fmt::format("family {}: no sizes for this device; add them to SIZES", name));
    }
    for (const Variant& variant : family.variants) {
      for (const Sizes& size : sizes) {
        std::string id = fmt::format("{}/{}/{}", name, variant.name, fmt::join(size, "x"));
        if (!ids.insert(id).second) {
          throw std::logic_error(fmt::format("benchmark {}: defined twice", id));
        }
        benchmarks.push_back({std::move(id), name, variant.name, size, variant.make});
      }
    }
  }
  return benchmarks;
}

void register_benchmark(const BenchmarkInfo& info, const Session& session) {
  benchmark::RegisterBenchmark(info.id.c_str(),
                               [info, &session](benchmark::State& state) {
                                 const auto fixture = info.make();
                                 fixture->bind(session, info.id, info.size);
                                 fixture->Run(state);
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace warpgauge
