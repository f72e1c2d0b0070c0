// SPDX-License-Identifier: Apache-2.0
// field_tables SOURCE PAGE: prints the page with a table of fields, made of the JSON Schema that is
// named there, between each pair of lines
//   <!-- fields of ci/verdict/verdict.schema.json: begin -->
//   <!-- fields of ci/verdict/verdict.schema.json: end -->
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ci/support/markdown.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge {
namespace {

using Schema = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

class Tables {
 public:
  explicit Tables(const Schema& root) : root_(root) {}

  std::string print() {
    std::string text = fmt::format("{}\n", root_.at("description").get<std::string>());
    if (root_.contains("properties")) text += fmt::format("\n{}", table_of(root_));
    for (const auto& [name, definition] : root_.at("definitions").items()) {
      if (!definition.contains("properties")) continue;
      const auto description = definition.value("description", std::string());
      text += fmt::format("\n**`{}`**{}{}\n\n{}", name, description.empty() ? "" : ": ",
                          lower_case(description), table_of(definition));
    }
    return text;
  }

 private:
  // "When, UTC" → "when, UTC"; "UTC" and `code` stay.
  static std::string lower_case(std::string text) {
    if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z' && text[0] >= 'A' && text[0] <= 'Z') {
      text[0] = static_cast<char>(text[0] - 'A' + 'a');
    }
    return text;
  }

  static std::string name_in(const Schema& reference) {
    const auto path = reference.at("$ref").get<std::string>();
    return path.substr(path.rfind('/') + 1);
  }

  [[nodiscard]] const Schema& target(const Schema& reference) const {
    return root_.at("definitions").at(name_in(reference));
  }

  [[nodiscard]] std::string type_of(const Schema& schema) const {
    if (schema.contains("$ref")) {
      const Schema& meant = target(schema);
      return meant.contains("properties") ? fmt::format("`{}`", name_in(schema)) : type_of(meant);
    }
    if (schema.contains("allOf")) return type_of(schema["allOf"].front());
    if (schema.contains("const")) return fmt::format("`{}`", schema["const"].dump());
    if (schema.contains("enum")) {
      std::vector<std::string> values;
      for (const Schema& value : schema["enum"])
        values.push_back(fmt::format("`{}`", value.dump()));
      return fmt::format("{}", fmt::join(values, ", "));
    }
    if (schema.contains("oneOf")) return "object";
    const auto type = schema.at("type").get<std::string>();
    if (type == "array") return fmt::format("list of {}", type_of(schema.at("items")));
    if (type == "object" && schema.contains("additionalProperties") &&
        schema["additionalProperties"].is_object()) {
      return fmt::format("object of {}", type_of(schema["additionalProperties"]));
    }
    return type + limits_of(schema);
  }

  static std::string limits_of(const Schema& schema) {
    std::string text;
    for (const auto& [key, sign] : {std::pair("minimum", "≥"),
                                    {"exclusiveMinimum", ">"},
                                    {"maximum", "≤"},
                                    {"exclusiveMaximum", "<"}}) {
      if (schema.contains(key)) text += fmt::format(" {} {}", sign, schema[key].dump());
    }
    return text;
  }

  std::string table_of(const Schema& schema) {
    Rows rows;
    add_fields(schema, "", rows);
    return ci::markdown_table({{"field"}, {"is"}, {"always"}, {"what"}}, rows);
  }

  // Those of objects that have no definition of their own are named after them: `device.key`.
  void add_fields(const Schema& schema, const std::string& prefix, Rows& rows) {
    const Schema required = schema.value("required", Schema::array());
    for (const auto& [name, field] : schema.at("properties").items()) {
      const bool always =
          std::find(required.begin(), required.end(), Schema(name)) != required.end();
      rows.push_back({fmt::format("`{}{}`", prefix, name), type_of(field), always ? "yes" : "",
                      field.value("description", std::string())});
      const std::string inside = prefix + name + ".";
      if (field.contains("properties")) add_fields(field, inside, rows);
      if (field.contains("oneOf")) {
        for (const Schema& kind : field["oneOf"]) {
          const std::size_t before = rows.size();
          add_fields(kind, inside, rows);
          for (std::size_t i = before; i < rows.size(); ++i) rows[i][2] = "or";
        }
      }
      if (field.contains("items") && field["items"].contains("properties")) {
        add_fields(field["items"], prefix + name + "[].", rows);
      }
    }
  }

  const Schema& root_;
};

std::string with_fields(const std::filesystem::path& source, const std::string& page) {
  static const std::regex kRegion(
      "(<!-- fields of ([^ ]+): begin -->\n)[^]*?(<!-- fields of \\2: end -->\n)");
  std::string text;
  auto rest = page.cbegin();
  for (std::sregex_iterator match(page.begin(), page.end(), kRegion), end; match != end; ++match) {
    const Schema schema = Schema::parse(results::read_file(source / (*match)[2].str()));
    text.append(rest, (*match)[1].second);
    text += fmt::format("\n{}\n", Tables(schema).print());
    rest = (*match)[3].first;
  }
  if (rest == page.cbegin()) throw std::runtime_error("the page has no place for fields");
  return text.append(rest, page.cend());
}

}  // namespace
}  // namespace warpgauge

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: field_tables SOURCE PAGE\n");
    return 64;
  }
  try {
    fmt::print("{}", warpgauge::with_fields(argv[1], warpgauge::results::read_file(argv[2])));
  } catch (const std::exception& error) {
    fmt::print(stderr, "field_tables: {}: {}\n", argv[2], error.what());
    return 4;
  }
  return 0;
}
