// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/suite/suite.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiling/harness/suite/built_source.hpp"
#include "profiling/harness/suite/journal.hpp"
#include "profiling/harness/suite/registry.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge {
namespace {

using results::Json;

constexpr int kExitBenchmarkFailed = 1;
constexpr int kExitNoDevice = 4;
constexpr int kExitUsage = 64;

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  bool describe = false;
  bool device = false;
  bool profile = false;
  bool hot = false;
  bool launches = false;
  bool more_samples = false;
  std::optional<results::Pass> pass;
  SizeSet sizes = SizeSet::gate;
  std::vector<std::string> counters;
  std::optional<std::string> select;
  std::optional<std::string> record;
};

std::vector<std::string> counters_from(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream parts(list);
  for (std::string name; std::getline(parts, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  if (names.empty()) throw UsageError("--warpgauge_counters: names no counter");
  return names;
}

SizeSet size_set_from(const std::string& name) {
  if (name == "gate") return SizeSet::gate;
  if (name == "large") return SizeSet::large;
  if (name == "emulated") return SizeSet::emulated;
  throw UsageError(fmt::format("--warpgauge_sizes={}: not one of gate, large, emulated", name));
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (const std::string_view argument : arguments) {
    const auto equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const std::string value(equals == argument.npos ? "" : argument.substr(equals + 1));
    if (name == "--warpgauge_describe") {
      options.describe = true;
    } else if (name == "--warpgauge_device") {
      options.device = true;
    } else if (name == "--warpgauge_profile") {
      options.profile = true;
    } else if (name == "--warpgauge_hot") {
      options.hot = true;
    } else if (name == "--warpgauge_launches") {
      options.launches = true;
    } else if (name == "--warpgauge_more_samples") {
      options.more_samples = true;
    } else if (name == "--warpgauge_pass") {
      options.pass = results::pass_from({results::Json(value), "pass"});
    } else if (name == "--warpgauge_sizes") {
      options.sizes = size_set_from(value);
    } else if (name == "--warpgauge_counters") {
      options.counters = counters_from(value);
    } else if (name == "--warpgauge_select") {
      options.select = value;
    } else if (name == "--warpgauge_record") {
      options.record = value;
    } else {
      throw UsageError(
          fmt::format("unknown argument {}; Google Benchmark's flags and --warpgauge_describe, "
                      "_device, _profile, _hot, _launches, _more_samples, "
                      "_pass=, _sizes=, _counters=, _select=FILE, _record=FILE are known",
                      argument));
    }
  }
  return options;
}

// The emulator's sizes are too small to time on a GPU, so they are only counted.
std::vector<results::Pass> passes_for(const Backend& backend, SizeSet sizes) {
  auto passes = backend.passes();
  if (sizes == SizeSet::emulated && passes.size() > 1) {
    std::erase(passes, results::Pass::time);
    std::erase(passes, results::Pass::sentinel);
  }
  return passes;
}

Json describe(const Backend& backend, SizeSet sizes, const std::vector<BenchmarkInfo>& benchmarks) {
  Json passes = Json::array();
  for (const results::Pass pass : passes_for(backend, sizes)) passes.push_back(to_string(pass));
  Json entries = Json::array();
  for (const BenchmarkInfo& info : benchmarks) {
    entries.push_back(
        {{"id", info.id}, {"family", info.family}, {"variant", info.variant}, {"size", info.size}});
  }
  const bool times = std::any_of(passes.begin(), passes.end(), [](const Json& pass) {
    return pass == to_string(results::Pass::time);
  });
  return {{"backend", to_string(backend.kind())},
          {"tells_launches_alone", backend.kind() == results::DeviceKind::emulated},
          {"takes_more_samples", times},
          {"passes", passes},
          {"toolchain", to_json(backend.toolchain())},
          {"source", to_json(built_source())},
          {"benchmarks", entries}};
}

Json describe_device(Backend& backend, const std::vector<std::string>& counters) {
  Json json = to_json(backend.device());
  if (const auto settings = backend.settings()) json["settings"] = to_json(*settings);
  if (counters.empty()) return json;
  if (const auto passes = backend.select_counters(counters)) json["counter_passes"] = *passes;
  return json;
}

results::Pass choose_pass(const Backend& backend, const Options& options) {
  const auto passes = passes_for(backend, options.sizes);
  if (!options.pass) return passes.front();
  if (std::find(passes.begin(), passes.end(), *options.pass) != passes.end()) return *options.pass;
  throw UsageError(fmt::format("--warpgauge_pass={}: the {} device has no such pass{}",
                               to_string(*options.pass), to_string(backend.kind()),
                               options.sizes == SizeSet::emulated ? " for these sizes" : ""));
}

// Rejects --warpgauge_hot where nothing is timed.
void check_hot(const Backend& backend, const Options& options) {
  if (!options.hot) return;
  const auto passes = passes_for(backend, options.sizes);
  const bool can_time =
      std::find(passes.begin(), passes.end(), results::Pass::time) != passes.end();
  if (!can_time) {
    throw UsageError(fmt::format(
        "--warpgauge_hot: the {} device times nothing{}, hot or cold; leave it out",
        to_string(backend.kind()), options.sizes == SizeSet::emulated ? " at these sizes" : ""));
  }
  const results::Pass pass = options.pass.value_or(results::Pass::time);
  if (pass == results::Pass::time || pass == results::Pass::sentinel) return;
  throw UsageError(fmt::format("--warpgauge_hot: the {} pass times nothing; leave it out",
                               to_string(*options.pass)));
}

// Keeps the selected benchmarks, in the suite's order.
std::vector<BenchmarkInfo> select(std::vector<BenchmarkInfo> benchmarks, const std::string& path) {
  std::set<std::string> wanted;
  std::istringstream lines(results::read_file(path, results::kNamesLimit));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) wanted.insert(line);
  }
  std::erase_if(benchmarks, [&](const BenchmarkInfo& info) { return wanted.erase(info.id) == 0; });
  if (!wanted.empty()) {
    throw UsageError(fmt::format("{}: the suite has no benchmark {}", path, *wanted.begin()));
  }
  return benchmarks;
}

int run(Backend& backend, int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const Options options = parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  auto benchmarks = benchmarks_for(backend.kind(), options.sizes);
  if (options.describe) {
    fmt::print("{}\n", describe(backend, options.sizes, benchmarks).dump(2));
    return 0;
  }
  check_hot(backend, options);
  if (options.device) {
    fmt::print("{}\n", describe_device(backend, options.counters).dump(2));
    return 0;
  }
  if (options.profile && backend.kind() != results::DeviceKind::gpu) {
    throw UsageError(
        "--warpgauge_profile: there are no profilers for the emulator; use the suite "
        "for GPUs");
  }
  if (options.launches && backend.kind() != results::DeviceKind::emulated) {
    throw UsageError(
        "--warpgauge_launches: of a GPU's suite every pass records them; use the emulator's suite");
  }
  if (options.select) benchmarks = select(std::move(benchmarks), *options.select);

  const results::Pass pass = choose_pass(backend, options);
  if (options.more_samples) {
    if (pass != results::Pass::time) {
      throw UsageError(fmt::format("--warpgauge_more_samples: the {} pass takes none; leave it out",
                                   to_string(pass)));
    }
    backend.take_more_samples();
  }
  if (!options.counters.empty()) static_cast<void>(backend.select_counters(options.counters));
  Journal journal(options.record);
  const Session session{backend, pass, journal, options.profile, options.hot, options.launches};
  for (const BenchmarkInfo& info : benchmarks) register_benchmark(info, session);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return journal.failures() > 0 && !options.record ? kExitBenchmarkFailed : 0;
}

}  // namespace

int run_suite(Backend& backend, int argc, char** argv) {
  const auto complain = [&](const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argc > 0 ? argv[0] : "suite", error.what());
  };
  try {
    return run(backend, argc, argv);
  } catch (const UsageError& error) {
    complain(error);
  } catch (const UnknownName& error) {
    complain(error);
  } catch (const results::FormatError& error) {
    complain(error);
  } catch (const std::exception& error) {
    complain(error);
    return kExitNoDevice;
  }
  return kExitUsage;
}

}  // namespace warpgauge
