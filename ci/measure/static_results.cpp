// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/static_results.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "ci/measure/line_traffic.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "profiling/machine_code/architecture.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/machine_code/suite_code.hpp"
#include "profiling/results/merge.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using machine_code::Architecture;
using machine_code::ImageKernel;
using machine_code::ImageKernels;
using results::KernelCode;
using results::Record;

// By the name of the image, as a family may be named.
using Images = std::map<std::string, ImageKernels>;

std::string family_of(const fs::path& image) {
  std::string name = image.stem().string();
  for (char& character : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                       character == '_' || character == '-';
    if (!plain) character = '_';
  }
  return name;
}

Images read(const StaticOptions& options) {
  Images images;
  for (const fs::path& path : options.images) {
    const auto [place, is_new] = images.try_emplace(family_of(path));
    if (!is_new) {
      throw Error(kExitUsage, fmt::format("{}: another image is also named {}, and benchmarks get "
                                          "their names from it; rename one",
                                          path.string(), place->first));
    }
    place->second = machine_code::read_image_kernels({path});
    if (!place->second.broken.empty()) {
      throw Error(kExitNotMeasured, fmt::format("not read: {}", place->second.broken.front()));
    }
    if (place->second.architectures.empty()) {
      throw Error(kExitNotMeasured,
                  fmt::format("{}: holds only what a driver or linker compiles ({}), about which "
                              "nothing is known before; compile for an architecture "
                              "(-arch=sm_90), or give the linked program",
                              path.string(), fmt::join(place->second.to_be_compiled, ", ")));
    }
  }
  return images;
}

Architecture architecture_of(const std::string& name) {
  return machine_code::architecture_named(name).value_or(Architecture{});
}

// The newest where none is wanted.
std::string chosen_architecture(const Images& images, const std::string& wanted) {
  std::map<Architecture, std::string> all;
  for (const auto& [family, image] : images) {
    for (const std::string& each : image.architectures) all[architecture_of(each)] = each;
  }
  if (wanted.empty()) return all.rbegin()->second;
  std::vector<std::string> names;
  for (const auto& [architecture, each] : all) {
    if (each == wanted) return each;
    names.push_back(each);
  }
  throw Error(kExitUsage, fmt::format("--architecture {}: the images are for {}", wanted,
                                      fmt::join(names, ", ")));
}

// Whether a GPU of the chosen architecture would run it, and it is not for a special kind of that.
bool counts_for(const std::string& chosen, const std::string& name) {
  const Architecture of_gpu = architecture_of(chosen);
  const Architecture of_code = architecture_of(name);
  return of_code <= of_gpu && runs_on(of_code, of_gpu.number);
}

using KernelsByName = std::map<std::string, const std::vector<ImageKernel>*>;

// Of each kernel what a GPU of the chosen architecture would run. A build may have some for sm_90a,
// and the others for sm_90. Of a kernel that it has nothing of: with `others` what is newest.
KernelsByName kernels_for(const ImageKernels& image, const std::string& chosen, bool others) {
  KernelsByName kernels;
  std::map<std::string, std::pair<bool, Architecture>> known;
  for (const auto& [key, all] : image.kernels) {
    const auto& [name, architecture] = key;
    const std::pair rank(counts_for(chosen, architecture), architecture_of(architecture));
    if (!rank.first && !others) continue;
    const auto [best, is_new] = known.try_emplace(name, rank);
    if (!is_new && rank < best->second) continue;
    best->second = rank;
    kernels[name] = &all;
  }
  return kernels;
}

// The one of this number among those of its name, for each architecture that has so many: where
// several files have the same for one architecture, and not for another one, the last of them.
std::vector<KernelCode> for_each_architecture(const ImageKernels& image, const std::string& name,
                                              std::size_t number) {
  std::vector<KernelCode> codes;
  for (auto at = image.kernels.lower_bound({name, ""});
       at != image.kernels.end() && at->first.first == name; ++at) {
    const std::vector<ImageKernel>& same_name = at->second;
    if (number >= copies_of(same_name)) continue;
    codes.push_back(same_name[std::min(number, same_name.size() - 1)].code);
  }
  return codes;
}

// How many there are of a name for the architecture that has most.
std::size_t most_of(const ImageKernels& image, const std::string& name) {
  std::size_t most = 0;
  for (auto at = image.kernels.lower_bound({name, ""});
       at != image.kernels.end() && at->first.first == name; ++at) {
    most = std::max(most, at->second.size());
  }
  return most;
}

std::vector<results::KernelLaunch> launches_of(const StaticOptions& options,
                                               const std::string& kernel) {
  std::vector<results::KernelLaunch> launches;
  const auto known = options.launches.find(kernel);
  if (known == options.launches.end()) return launches;
  for (const results::KernelLaunch& each : known->second) results::add_launch(each, launches);
  return launches;
}

// The second one of a name, in the order in which they are found, has "#2" behind it.
std::vector<Record> a_record_a_kernel(const StaticOptions& options, const Images& images,
                                      const std::string& chosen) {
  std::vector<Record> records;
  const bool all = options.architecture.empty();
  for (const auto& [family, image] : images) {
    for (const auto& [name, same_name] : kernels_for(image, chosen, all)) {
      const std::size_t count = all ? most_of(image, name) : same_name->size();
      for (std::size_t i = 0; i < count; ++i) {
        Record& record = records.emplace_back();
        record.id = fmt::format("{}/{}{}", family, name, i == 0 ? "" : fmt::format("#{}", i + 1));
        record.kernels = {name};
        record.machine_code =
            all ? for_each_architecture(image, name, i) : std::vector{(*same_name)[i].code};
        record.counters = resource_metrics(
            {i < same_name->size() ? (*same_name)[i].code : record.machine_code.back()});
        record.launches = launches_of(options, name);
      }
    }
  }
  return records;
}

// One entry a kernel.
std::vector<KernelCode> best_for(const std::string& chosen, const std::vector<KernelCode>& codes) {
  std::map<std::string, KernelCode> best;
  for (const KernelCode& each : codes) {
    if (!counts_for(chosen, each.architecture)) continue;
    const auto [known, is_new] = best.try_emplace(each.name, each);
    if (!is_new && architecture_of(known->second.architecture) < architecture_of(each.architecture))
      known->second = each;
  }
  std::vector<KernelCode> all;
  all.reserve(best.size());
  for (auto& [name, code] : best) all.push_back(std::move(code));
  return all;
}

std::vector<Record> a_record_a_benchmark(const StaticOptions& options, const std::string& chosen) {
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
    const std::vector<KernelCode> that_count = best_for(chosen, benchmark.machine_code);
    record.machine_code = options.architecture.empty() ? benchmark.machine_code : that_count;
    record.counters = resource_metrics(that_count);
    // They say which occupancy the registers leave.
    record.launches = benchmark.launches;
    for (const char* const what : {"machine_code", results::kLaunches}) {
      const auto reason = benchmark.not_measured.find(what);
      if (reason != benchmark.not_measured.end()) record.not_measured.insert(*reason);
    }
  }
  return records;
}

std::uintmax_t bytes_of(const fs::path& image) {
  std::error_code unknown;
  if (!fs::is_directory(image, unknown)) return fs::file_size(image, unknown);
  std::uintmax_t bytes = 0;
  for (const auto& each : fs::recursive_directory_iterator(image, unknown)) {
    if (each.is_regular_file(unknown)) bytes += each.file_size(unknown);
  }
  return bytes;
}

void add_places(const StaticOptions& options, std::vector<Record>& records) {
  std::vector<std::vector<KernelCode>*> codes;
  codes.reserve(records.size());
  for (Record& record : records) codes.push_back(&record.machine_code);
  add_places(options, codes);
  for (Record& record : records) add_source_text(record.machine_code, options.run.source_root);
}

// Neither time nor counters.
std::string why_nothing_is_measured(const Record& record) {
  const auto missing = record.not_measured.find("machine_code");
  if (!record.machine_code.empty() || missing == record.not_measured.end()) {
    return "nothing ran: this is machine code";
  }
  return fmt::format("its machine code is not known: {}", missing->second);
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

void add_places(const StaticOptions& options, const std::vector<std::vector<KernelCode>*>& codes) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20U;
  std::uintmax_t bytes = 0;
  for (const fs::path& each : options.images) bytes += bytes_of(each);
  if (bytes > kMostBytes) return;
  const MachineCode machine_code = MachineCode::read(options.images);
  SourceTree sources(options.run.source_root);
  for (std::vector<KernelCode>* const each : codes) add_places(machine_code, sources, *each);
}

results::RunRecord static_results(const StaticOptions& options) {
  const Images images = read(options);
  const std::string name = chosen_architecture(images, options.architecture);
  std::vector<Record> records = options.run.suite.empty() ? a_record_a_kernel(options, images, name)
                                                          : a_record_a_benchmark(options, name);
  const IdFilter wanted(options.run.filter);
  std::erase_if(records, [&](const Record& each) { return !wanted.matches(each.id); });
  if (records.empty()) {
    throw Error(kExitUsage,
                fmt::format("--filter '{}' matches no kernel for {}", options.run.filter, name));
  }

  if (options.run.suite.empty()) add_places(options, records);

  results::Session session = session_of(name, records);
  session.filter = options.run.filter;
  std::vector<results::Observation> observations;
  for (Record& record : records) {
    record.pass = results::Pass::counters;
    const std::string why = why_nothing_is_measured(record);
    if (record.machine_code.empty() && record.outcome.status == results::Status::ok) {
      options.run.log(fmt::format("{} failed: {}", record.id, why));
    }
    record.not_measured["time"] = why;
    record.not_measured["counters"] = why;
    observations.push_back({0, std::move(record), std::nullopt});
  }
  return results::merge(std::move(session), results::Json::object(), observations);
}

}  // namespace warpgauge::ci
