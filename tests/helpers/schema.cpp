// SPDX-License-Identifier: Apache-2.0
#include "tests/helpers/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "profiling/results/files/files.hpp"

namespace warpgauge {

std::string why_invalid(const std::string& text, const std::string& schema_file,
                        const std::string& definition) {
  using Document = nlohmann::json;
  const Document document = Document::parse(text);
  Document schema_document =
      Document::parse(results::read_file(std::filesystem::path(SOURCE_ROOT) / schema_file));
  if (!definition.empty()) {
    // A $ref at the root would hide what stands beside it.
    Document wanted = schema_document.at("definitions").at(definition);
    wanted["definitions"] = std::move(schema_document["definitions"]);
    schema_document = std::move(wanted);
  }
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
