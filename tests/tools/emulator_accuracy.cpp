// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/emulator_accuracy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/metrics/roofline.hpp"
#include "profiling/machine_code/suite_code.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;
using results::BenchmarkResult;
using results::Compiled;
using results::DeviceKind;
using results::Results;
using results::SourceLine;
using results::Status;

struct Figure {
  const char* metric;
  const char* title;
  Access access;
};

constexpr std::array<Figure, 4> kComparedFigures{
    {{"shared_load_requests", "load requests", Access::shared_load},
     {"shared_load_wavefronts", "load wavefronts", Access::shared_load},
     {"shared_store_requests", "store requests", Access::shared_store},
     {"shared_store_wavefronts", "store wavefronts", Access::shared_store}}};

// Exact counters are the same in every process; absent: not measured, or not the same after all.
std::optional<double> value_of(const BenchmarkResult& benchmark, const char* metric) {
  if (benchmark.outcome.status != Status::ok) return std::nullopt;
  const results::Metric* const found = benchmark.find(metric);
  return found == nullptr || !found->problem.empty() ? std::nullopt : found->only_figure();
}

std::string why_not(const BenchmarkResult& benchmark, const char* metric) {
  if (benchmark.outcome.status != Status::ok) return "failed: " + benchmark.outcome.message;
  const auto found = benchmark.metrics.find(metric);
  if (found != benchmark.metrics.end()) {
    const std::string& problem = found->second.problem;
    return fmt::format("{} {}", metric, problem.empty() ? "varies" : problem);
  }
  const auto* const reason = benchmark.why_not_measured(metric);
  if (reason != nullptr) return fmt::format("{}: {}", reason->first, reason->second);
  return fmt::format("{}: the results do not say why", metric);
}

struct Pair {
  const BenchmarkResult* emulated;
  const BenchmarkResult* hardware;

  [[nodiscard]] std::optional<double> counted(const Figure& figure) const {
    return value_of(*emulated, figure.metric);
  }
  [[nodiscard]] std::optional<double> measured(const Figure& figure) const {
    return value_of(*hardware, figure.metric);
  }
  [[nodiscard]] bool known(const Figure& figure) const {
    return counted(figure) && measured(figure);
  }
  [[nodiscard]] bool agrees(const Figure& figure) const {
    return known(figure) && counted(figure) == measured(figure);
  }
  [[nodiscard]] bool agrees() const {
    return std::all_of(kComparedFigures.begin(), kComparedFigures.end(),
                       [this](const Figure& figure) { return agrees(figure); });
  }
  [[nodiscard]] bool all_known() const {
    return std::all_of(kComparedFigures.begin(), kComparedFigures.end(),
                       [this](const Figure& figure) { return known(figure); });
  }
  [[nodiscard]] bool uses_no_shared_memory() const {
    return agrees() && std::all_of(kComparedFigures.begin(), kComparedFigures.end(),
                                   [this](const Figure& figure) { return counted(figure) == 0.0; });
  }
};

// The id without its family.
std::string rest_of(std::string_view id) {
  const std::size_t slash = id.find('/');
  return std::string(slash == id.npos ? id : id.substr(slash + 1));
}

std::string cell(const Pair& pair, const Figure& figure) {
  const auto counted = pair.counted(figure);
  const auto measured = pair.measured(figure);
  const auto shown = [](std::optional<double> value) {
    return value ? readable_count(*value) : std::string("not measured");
  };
  if (counted && counted == measured) return shown(counted);
  return fmt::format("**{} / {}**", shown(counted), shown(measured));
}

// Global memory to shared memory without a register between.
bool is_asynchronous_copy(const SourceLine& line) {
  return line.instructions.find("LDGSTS") != line.instructions.npos;
}

// What nvcc did to the lines whose accesses are counted differently.
std::string reason_for(const Pair& pair) {
  if (pair.agrees()) return "";
  std::vector<std::string> reasons;
  bool incomplete = false;
  for (const Figure& figure : kComparedFigures) {
    if (!pair.known(figure)) {
      incomplete = true;
      continue;
    }
    if (pair.agrees(figure)) continue;
    for (const SourceLine& line : pair.emulated->lines) {
      if (line.access != figure.access || line.compiled == Compiled::unknown) continue;
      const bool copied = is_asynchronous_copy(line);
      if (line.compiled == Compiled::confirmed && !copied) continue;
      std::string reason =
          fmt::format("{} {}{}", markdown_code(fmt::format("{}:{}", line.file, line.line)),
                      markdown_text(describe_compiled(line)),
                      copied ? ", asynchronous copies, which are not among a GPU's stores" : "");
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
        reasons.push_back(std::move(reason));
      }
    }
  }
  if (pair.emulated->grid_fills_device)
    reasons.push_back("the grid is as large as the device holds");
  if (!reasons.empty()) return fmt::format("{}", fmt::join(reasons, "; "));
  return incomplete ? "not measured" : "not explained";
}

struct FamilyPairs {
  std::string name;
  std::vector<Pair> pairs;
};

// Both in the order of the emulated results.
std::vector<FamilyPairs> families_in(const Results& emulated, const Results& hardware) {
  const auto measured = hardware.by_id();
  std::vector<FamilyPairs> families;
  for (const BenchmarkResult& each : emulated.benchmarks) {
    const auto found = measured.find(each.id);
    if (found == measured.end()) continue;
    std::string name(results::parts_of(each.id).family);
    if (families.empty() || families.back().name != name) families.push_back({std::move(name), {}});
    families.back().pairs.push_back({&each, found->second});
  }
  if (families.empty()) {
    throw Error(kExitNotMeasured,
                fmt::format("{} and {} have no benchmark in common; measure the GPU at the "
                            "emulator's sizes with warpgauge run --sizes emulated",
                            emulated.name, hardware.name));
  }
  return families;
}

std::string codes(const std::vector<std::string>& ids) {
  std::vector<std::string> all;
  all.reserve(ids.size());
  for (const std::string& id : ids) all.push_back(markdown_code(id));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string table_of(const FamilyPairs& family) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> without;
  for (const Pair& pair : family.pairs) {
    const std::string name = rest_of(pair.emulated->id);
    if (pair.uses_no_shared_memory()) {
      without.push_back(name);
      continue;
    }
    rows.push_back({markdown_code(name)});
    for (const Figure& figure : kComparedFigures) rows.back().push_back(cell(pair, figure));
    rows.back().push_back(reason_for(pair));
  }
  std::string text = fmt::format("### {}\n\n", markdown_text(family.name));
  if (!rows.empty()) {
    std::vector<Column> columns{{"benchmark"}};
    for (const Figure& figure : kComparedFigures) columns.push_back({figure.title, Align::right});
    columns.push_back({"why they differ"});
    text += markdown_table(columns, rows) + "\n";
  }
  if (!without.empty()) {
    text += fmt::format("No shared memory, on both: {}.\n\n", codes(without));
  }
  return text;
}

// Ids of the first that the second lacks.
std::vector<std::string> only_in(const Results& first, const Results& second) {
  std::vector<std::string> ids;
  for (const BenchmarkResult& each : first.benchmarks) {
    if (second.find(each.id) == nullptr) ids.push_back(each.id);
  }
  return ids;
}

const results::Session& session_of(const Results& results, DeviceKind kind) {
  const char* wanted = kind == DeviceKind::emulated ? "the emulator" : "a GPU";
  if (!results.session) {
    throw Error(kExitNotMeasured, fmt::format("{}: does not say on what device; results of {} are "
                                              "wanted here",
                                              results.name, wanted));
  }
  if (results.session->device.kind != kind) {
    throw Error(kExitNotMeasured, fmt::format("{}: is of {}; results of {} are wanted here",
                                              results.name, results.session->device.name, wanted));
  }
  return *results.session;
}

std::string unmeasured_notes(const std::vector<FamilyPairs>& families) {
  std::vector<std::string> notes;
  for (const FamilyPairs& family : families) {
    for (const Pair& pair : family.pairs) {
      for (const BenchmarkResult* side : {pair.emulated, pair.hardware}) {
        for (const Figure& figure : kComparedFigures) {
          if (value_of(*side, figure.metric)) continue;
          std::string note = fmt::format(
              "Not measured {}: {}: {}.", side == pair.emulated ? "on the emulator" : "on the GPU",
              markdown_code(side->id), markdown_text(why_not(*side, figure.metric)));
          notes.push_back(std::move(note));
          break;  // one reason a side is enough
        }
      }
    }
  }
  std::string text;
  for (const std::string& note : notes) text += note + "\n\n";
  return text;
}

}  // namespace

std::string agreement_tables(const Results& emulated, const Results& hardware,
                             const AgreementOptions& options) {
  const results::Session& counted = session_of(emulated, DeviceKind::emulated);
  const results::Session& measured = session_of(hardware, DeviceKind::gpu);
  const std::vector<FamilyPairs> families = families_in(emulated, hardware);
  std::size_t all = 0;
  std::size_t agreeing = 0;
  std::size_t unknown = 0;
  std::string tables;
  for (const FamilyPairs& family : families) {
    tables += table_of(family);
    for (const Pair& pair : family.pairs) {
      ++all;
      agreeing += pair.agrees() ? 1 : 0;
      unknown += pair.all_known() ? 0 : 1;
    }
  }

  std::string text = fmt::format("All four figures agree for {} of {}, {} differ", agreeing,
                                 ci::counted(all, "benchmark"), all - agreeing - unknown);
  if (unknown > 0) text += fmt::format(", {} were not measured on both", unknown);
  text += fmt::format(". One number: both counted it. Two, in bold: the emulator's / the {}'s.\n\n",
                      markdown_text(measured.device.name));
  text += tables + unmeasured_notes(families);
  for (const auto& [first, second, where] :
       {std::tuple(&emulated, &hardware, "emulator"), std::tuple(&hardware, &emulated, "GPU")}) {
    const auto ids = only_in(*first, *second);
    if (!ids.empty()) text += fmt::format("Only on the {}: {}.\n\n", where, codes(ids));
  }
  text += fmt::format("Emulated {}; measured on {}", markdown_text(counted.created),
                      markdown_text(measured.device.name));
  if (!measured.device.driver.empty()) {
    text += ", driver " + markdown_text(measured.device.driver);
  }
  if (!measured.toolchain.cuda.empty()) text += ", CUDA " + markdown_text(measured.toolchain.cuda);
  text += fmt::format(", {}.", markdown_text(measured.created));
  if (!options.command.empty()) text += " Printed by " + markdown_code(options.command) + ".";
  return text + "\n";
}

}  // namespace warpgauge::ci
