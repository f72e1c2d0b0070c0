// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/json/entry_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "profiling/results/json/google_benchmark_json.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::results {
namespace {

// Fields of an entry that Google Benchmark itself writes; every other one is a user counter.
// One a line would take half a screen.
// clang-format off
constexpr std::string_view kOwnFields[] = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
    "repetition_index", "threads", "aggregate_name", "aggregate_unit", "iterations",
    "real_time", "cpu_time", "time_unit", "error_occurred", "error_message", "skipped",
    "skip_message", "label", "allocs_per_iter", "max_bytes_used", "total_allocated_bytes",
    "net_heap_growth"};
// clang-format on

}  // namespace

bool is_counter(std::string_view field) {
  return field != "warpgauge" &&
         std::find(std::begin(kOwnFields), std::end(kOwnFields), field) == std::end(kOwnFields);
}

std::string text_or(const Json& entry, const char* field, const char* otherwise) {
  const auto found = entry.find(field);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

bool is_true(const Json& entry, const char* field) {
  const auto found = entry.find(field);
  if (found == entry.end()) return false;
  if (!found->is_boolean()) {
    throw FormatError(fmt::format("{}: must be true or false, is {}", field, kind_of(*found)));
  }
  return found->get<bool>();
}

bool is_iteration(const Json& entry) {
  const auto found = entry.find("run_type");
  if (found == entry.end() || *found == "iteration") return true;
  if (*found == "aggregate") return false;
  throw FormatError("run_type: must be 'iteration' or 'aggregate'");
}

std::string dump_of(const Json& entry, const char* field) {
  const auto found = entry.find(field);
  return found == entry.end() ? std::string() : found->dump();
}

std::optional<double> nanoseconds_in(const std::string& unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return std::nullopt;
}

std::string problem_with(const Json& value, bool zero_allowed) {
  // Far beyond any measurement; squares of it are still finite.
  constexpr double kGreatest = 1e100;
  if (!value.is_number()) return "is " + kind_of(value);
  const double number = value.get<double>();
  if (number < 0) return fmt::format("is negative ({})", number);
  if (number == 0 && !zero_allowed) return "is 0";
  if (number > kGreatest) return fmt::format("is too large ({})", number);
  return {};
}

}  // namespace warpgauge::results
