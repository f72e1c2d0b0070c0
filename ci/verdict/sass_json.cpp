// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/sass_json.hpp"

#include <nlohmann/json.hpp>

namespace warpgauge::ci {
namespace {

using machine_code::SassChange;
using machine_code::SassRow;

constexpr results::EnumNames<SassChange, 4> kSassChanges{{{SassChange::same, "same"},
                                                          {SassChange::operands, "operands"},
                                                          {SassChange::removed, "removed"},
                                                          {SassChange::added, "added"}}};

}  // namespace

void add_sass(const machine_code::SideBySide& sass, results::Json& kernel) {
  for (const SassRow& row : sass.rows) {
    kernel["sass"].push_back({{"change", results::name_of(kSassChanges, row.change)},
                              {"before", row.before},
                              {"after", row.after},
                              {"place", row.place},
                              {"skipped", row.skipped}});
  }
  if (sass.more > 0) kernel["more_sass"] = sass.more;
}

machine_code::SideBySide sass_from(const results::JsonReader& kernel) {
  machine_code::SideBySide sass;
  if (const auto rows = kernel.optional("sass")) {
    for (const results::JsonReader& each : rows->elements()) {
      if (sass.rows.size() == machine_code::kMostSassRows) each.fail("is one row too many");
      SassRow& row = sass.rows.emplace_back();
      row.change = each.at("change").one_of(kSassChanges);
      row.before = each.at("before").text();
      row.after = each.at("after").text();
      row.place = each.at("place").text();
      row.skipped = each.at("skipped").count();
    }
  }
  if (const auto more = kernel.optional("more_sass")) sass.more = more->count();
  return sass;
}

}  // namespace warpgauge::ci
