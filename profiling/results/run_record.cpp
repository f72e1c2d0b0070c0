// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/run_record.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiling/results/files/files.hpp"
#include "profiling/results/json/google_benchmark_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::results {
namespace {

std::string dump(const Json& json, int indent) {
  // Messages may hold what a dying process left in its buffers.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const Entry& entry) {
  Json json = entry.fields;
  Json& ours = json["warpgauge"] = to_json(entry.record);
  erase_member(ours, "counters");
  ours["process"] = entry.process;
  if (entry.die) ours["die"] = *entry.die;
  return json;
}

}  // namespace

Entry entry_from(Json&& json) {
  Json ours = std::move(json["warpgauge"]);
  erase_member(json, "warpgauge");
  if (ours.is_object()) ours["counters"] = Json::object();
  const JsonReader reader(ours, "warpgauge");
  return {record_from(reader), reader.optional("process", &JsonReader::small_count).value_or(0),
          reader.optional("die", &JsonReader::small_count), std::move(json)};
}

RunRecord read_run(const std::filesystem::path& path) {
  RunRecord run;
  const auto fail = [&](const std::string& what) {
    throw FormatError(fmt::format("{}: {}", path.string(), what));
  };
  const auto take_context = [&](Json&& context) {
    const auto ours = context.find("warpgauge");
    if (ours == context.end()) fail("was not written by Warpgauge; give what warpgauge run wrote");
    try {
      run.session = session_from({*ours, "context.warpgauge"});
    } catch (const FormatError& error) {
      fail(error.what());
    }
    run.context = std::move(context);
  };
  const auto take_entry = [&](Json&& json) {
    if (!json.contains("warpgauge")) fail("an entry of 'benchmarks' is not Warpgauge's");
    try {
      run.entries.push_back(entry_from(std::move(json)));
    } catch (const FormatError& error) {
      fail(fmt::format("entry {} of 'benchmarks': {}", run.entries.size() + 1, error.what()));
    }
  };
  read_google_benchmark_json(read_file(path, kResultsLimit), path.string(),
                             {take_context, take_entry});
  return run;
}

std::string to_json_text(const RunRecord& run) {
  Json context = run.context.is_object() ? run.context : Json::object();
  // In which folder of whose machine it lay is nobody's matter, and differs where nothing else
  // does.
  const auto executable = context.find("executable");
  if (executable != context.end() && executable->is_string()) {
    *executable = std::filesystem::path(executable->get<std::string>()).filename().string();
  }
  context["warpgauge"] = to_json(run.session);
  std::string text = "{\n\"context\": " + dump(context, 2) + ",\n\"benchmarks\": [";
  for (const Entry& entry : run.entries) {
    text += &entry == &run.entries.front() ? "\n" : ",\n";
    text += dump(to_json(entry), -1);
  }
  return text + "\n]\n}\n";
}

void write_run(const std::filesystem::path& path, const RunRecord& run) {
  write_file_atomically(path, to_json_text(run));
}

}  // namespace warpgauge::results
