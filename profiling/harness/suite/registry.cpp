// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/suite/registry.hpp"

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
  // Variants by case, under the case's family name. A family without cases has one entry.
  std::map<std::string, std::vector<Variant>> cases;
  SuiteSizes sizes;
};

// Global, because the family files' static initialisers fill it before main.
std::map<std::string, Family>& families() {
  static std::map<std::string, Family> all;
  return all;
}

std::vector<Sizes> sizes_for(const SuiteSizes& sizes, results::DeviceKind kind, SizeSet set) {
  if (set == SizeSet::emulated) return sizes.emulated;
  if (kind == results::DeviceKind::gpu) return set == SizeSet::gate ? sizes.gpu : sizes.large;
  return set == SizeSet::gate ? sizes.emulated : std::vector<Sizes>();
}

}  // namespace

bool detail::add_variant(const char* family, const char* case_name, const char* variant,
                         MakeFixture make) {
  const std::string name = snake_case(family);
  families()[name].cases[case_name == nullptr ? name : name + "_" + case_name].push_back(
      {variant, std::move(make)});
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

std::vector<VariantInfo> all_variants() {
  std::vector<VariantInfo> variants;
  std::set<std::string> names;
  for (const auto& [family_name, family] : families()) {
    if (family.cases.empty()) {
      throw std::logic_error(fmt::format("family {}: has SIZES but no VARIANT", family_name));
    }
    if (family.sizes.emulated.empty() && family.sizes.gpu.empty()) {
      throw std::logic_error(fmt::format("family {}: has a VARIANT but no SIZES", family_name));
    }
    for (const auto& [name, of_case] : family.cases) {
      for (const Variant& variant : of_case) {
        if (!names.insert(name + "/" + variant.name).second) {
          throw std::logic_error(fmt::format("variant {}/{}: defined twice", name, variant.name));
        }
        variants.push_back({name, variant.name, family.sizes, variant.make});
      }
    }
  }
  return variants;
}

std::vector<BenchmarkInfo> benchmarks_for(results::DeviceKind kind, SizeSet set) {
  std::vector<BenchmarkInfo> benchmarks;
  for (const VariantInfo& variant : all_variants()) {
    const auto sizes = sizes_for(variant.sizes, kind, set);
    if (sizes.empty() && set == SizeSet::gate) {
      throw std::logic_error(
          fmt::format("family {}: no sizes for this device; add them to SIZES", variant.family));
    }
    for (const Sizes& size : sizes) {
      benchmarks.push_back(
          {fmt::format("{}/{}/{}", variant.family, variant.variant, fmt::join(size, "x")),
           variant.family, variant.variant, size, variant.make});
    }
  }
  return benchmarks;
}

void register_benchmark(const BenchmarkInfo& info, const Session& session) {
  benchmark::RegisterBenchmark(info.id.c_str(),
                               [info, &session](benchmark::State& state) {
                                 const auto fixture = info.make();
                                 fixture->bind(session, info.id, info.size, info.make);
                                 fixture->Run(state);
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace warpgauge
