// SPDX-License-Identifier: Apache-2.0
// JSON against one of the project's JSON Schemas; for tests only.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "profiling/results/files.hpp"

namespace warpgauge {

// Empty when the text fits. `schema_file` is relative to the source root.
inline std::string why_invalid(const std::string& text, const std::string& schema_file) {
  using Document = nlohmann::json;
  const Document document = Document::parse(text);
  const Document schema_document =
      Document::parse(results::read_file(std::filesystem::path(SOURCE_ROOT) / schema_file));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_document), schema);
  valijson::ValidationResults errors;
  valijson::Validator validator;
  const valijson::adapters::NlohmannJsonAdapter adapter(document);
  if (validator.validate(schema, adapter, &errors)) return "";
  valijson::ValidationResults::Error error;
  std::string why = "invalid:";
  while (errors.popError(error)) {
    why += fmt::format(" {}: {};", fmt::join(error.context, ""), error.description);
  }
  return why;
}

}  // namespace warpgauge
