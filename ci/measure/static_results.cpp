// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/static_results.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "ci/measure/source.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "profiling/machine_code/cubin.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/machine_code/suite_code.hpp"
#include "profiling/results/merge.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using machine_code::Cubin;
using results::KernelCode;
using results::Record;

// By the name of the image, as a family may be named.
using Images = std::map<std::string, std::vector<Cubin>>;

std::string family_of(const fs::path& image) {
  std::string name = image.stem().string();
  for (char& character : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                       character == '_' || character == '-';
    if (!plain) character = '_';
  }
  return name;
}

Images read(const std::vector<fs::path>& paths) {
  Images images;
  for (const fs::path& path : paths) {
    const auto [place, is_new] = images.try_emplace(family_of(path));
    if (!is_new) {
      throw Error(kExitUsage, fmt::format("{}: another image is named {} too, after which "
                                          "benchmarks are named; rename one",
                                          path.string(), place->first));
    }
    place->second = machine_code::read_cubins(path);
  }
  return images;
}

std::string name_of(const Cubin& cubin) {
  return fmt::format("sm_{}{}", cubin.architecture, cubin.variant);
}

// The newest where none is wanted.
std::string architecture_of(const Images& images, const std::string& wanted) {
  std::map<std::pair<int, std::string>, std::string> all;
  for (const auto& [name, cubins] : images) {
    for (const Cubin& cubin : cubins) {
      all[{cubin.architecture, cubin.variant}] = name_of(cubin);
    }
  }
  if (wanted.empty()) return all.rbegin()->second;
  std::vector<std::string> names;
  for (const auto& [key, each] : all) {
    if (each == wanted) return each;
    names.push_back(each);
  }
  throw Error(kExitUsage, fmt::format("--architecture {}: the images are for {}", wanted,
                                      fmt::join(names, ", ")));
}

std::vector<Record> a_record_a_kernel(const Images& images, const std::string& architecture) {
  std::vector<Record> records;
  for (const auto& [family, all] : images) {
    std::vector<Cubin> cubins;
    std::copy_if(all.begin(), all.end(), std::back_inserter(cubins),
                 [&](const Cubin& each) { return name_of(each) == architecture; });
    std::set<std::string> names;
    for (const Cubin& cubin : cubins) {
      for (const KernelCode& kernel : cubin.kernels) names.insert(kernel.name);
    }
    const MachineCode code(std::move(cubins));
    for (const std::string& name : names) {
      Record& record = records.emplace_back();
      record.id = fmt::format("{}/{}", family, name);
      record.kernels = {name};
      code.add_kernels(record);
    }
  }
  return records;
}

std::vector<Record> a_record_a_benchmark(const StaticOptions& options,
                                         const std::string& architecture) {
  RunOptions run_options = options.run;
  run_options.machine_code = options.images;
  std::vector<Record> records;
  const results::Results observed = results_from(run(run_options), "the suite's results");
  if (observed.session->device.kind != results::DeviceKind::emulated) {
    throw Error(kExitUsage,
                fmt::format("--suite {}: measure a suite for a GPU with 'warpgauge run', "
                            "which reads its machine code too",
                            options.run.suite.string()));
  }
  for (const results::BenchmarkResult& benchmark : observed.benchmarks) {
    Record& record = records.emplace_back();
    record.id = benchmark.id;
    record.outcome = benchmark.outcome;
    record.machine_code = of_architecture(benchmark.machine_code, architecture);
    record.counters = resource_metrics(record.machine_code);
    const auto reason = benchmark.not_measured.find("machine_code");
    if (reason != benchmark.not_measured.end()) record.not_measured.insert(*reason);
  }
  return records;
}

results::Session session_of(const std::string& architecture, const std::vector<Record>& records) {
  results::Session session;
  session.created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  session.device.kind = results::DeviceKind::machine_code;
  session.device.name = "machine code for " + architecture;
  session.device.key = results::device_key(architecture);
  session.source = current_source();
  session.processes = 1;
  for (const Record& record : records) {
    if (!record.machine_code.empty()) {
      session.toolchain.cuda = record.machine_code.front().compiler;
    }
  }
  return session;
}

}  // namespace

results::RunRecord static_results(const StaticOptions& options) {
  const Images images = read(options.images);
  const std::string name = architecture_of(images, options.architecture);
  std::vector<Record> records = options.run.suite.empty() ? a_record_a_kernel(images, name)
                                                          : a_record_a_benchmark(options, name);
  const IdFilter wanted(options.run.filter);
  std::erase_if(records, [&](const Record& each) { return !wanted.matches(each.id); });
  if (records.empty()) {
    throw Error(kExitUsage,
                fmt::format("--filter '{}' matches no kernel for {}", options.run.filter, name));
  }

  results::Session session = session_of(name, records);
  session.filter = options.run.filter;
  std::vector<results::Observation> observations;
  for (Record& record : records) {
    record.pass = results::Pass::counters;
    record.not_measured["time"] = "nothing ran: this is machine code";
    record.not_measured["counters"] = "nothing ran: this is machine code";
    observations.push_back({0, std::move(record), std::nullopt});
  }
  return results::merge(std::move(session), results::Json::object(), observations);
}

}  // namespace warpgauge::ci
