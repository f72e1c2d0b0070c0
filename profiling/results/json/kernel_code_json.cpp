// SPDX-License-Identifier: Apache-2.0
// What a compiler made of a kernel, as JSON.
#include <cstdint>
#include <map>
#include <string>

#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/json/json_writer.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::results {
namespace {

Json to_json(const CodePlace& place) {
  Json json{{"kind", place.kind}, {"file", place.file}, {"line", place.line}};
  if (!place.text.empty()) json["text"] = place.text;
  return json;
}

CodePlace code_place_from(const JsonReader& reader) {
  CodePlace place;
  place.kind = reader.at("kind").text();
  place.file = reader.at("file").text();
  place.line = reader.at("line").small_count();
  place.text = reader.optional("text", &JsonReader::text).value_or("");
  return place;
}

std::map<std::string, std::uint64_t> counts_from(const JsonReader& reader) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [name, value] : reader.members()) counts[name] = value.count();
  return counts;
}

}  // namespace

Json to_json(const KernelCode& code) {
  Json json{{"name", code.name},
            {"architecture", code.architecture},
            {"compiler", code.compiler},
            {"sass_hash", code.sass_hash},
            {"instructions", code.instructions},
            {"code_bytes", code.code_bytes},
            {"registers", code.registers},
            {"static_shared_bytes", code.static_shared_bytes}};
  put(json, "stack_bytes", code.stack_bytes);
  put(json, "spill_store_bytes", code.spill_store_bytes);
  put(json, "spill_load_bytes", code.spill_load_bytes);
  if (code.most_threads > 0) json["most_threads"] = code.most_threads;
  put(json, "barriers", code.barriers);
  put(json, "accesses", code.accesses);
  for (const CodePlace& place : code.places) json["places"].push_back(to_json(place));
  return json;
}

KernelCode kernel_code_from(const JsonReader& reader) {
  KernelCode code;
  code.name = reader.at("name").text();
  code.architecture = reader.at("architecture").text();
  code.compiler = reader.at("compiler").text();
  code.sass_hash = reader.at("sass_hash").text();
  code.instructions = reader.at("instructions").count();
  code.code_bytes = reader.at("code_bytes").count();
  code.registers = reader.at("registers").small_count();
  code.static_shared_bytes = reader.at("static_shared_bytes").count();
  code.stack_bytes = reader.optional("stack_bytes", &JsonReader::count);
  code.spill_store_bytes = reader.optional("spill_store_bytes", &JsonReader::count);
  code.spill_load_bytes = reader.optional("spill_load_bytes", &JsonReader::count);
  code.most_threads = reader.optional("most_threads", &JsonReader::count).value_or(0);
  code.barriers = reader.optional("barriers", &JsonReader::count);
  code.accesses = reader.optional("accesses", counts_from);
  if (const auto places = reader.optional("places")) {
    code.places = places->list_of(code_place_from);
  }
  return code;
}

}  // namespace warpgauge::results
