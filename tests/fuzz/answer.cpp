// SPDX-License-Identifier: Apache-2.0
// What a suite or a helper answers about itself and its device: what is accepted is written and
// read again as it is.
#include <nlohmann/json.hpp>

#include "profiling/results/json/session_json.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;
using results::Json;

template <class Read>
void read_twice(const Json& answer, const Read& read) {
  try {
    const Json written = to_json(read(answer));
    if (to_json(read(written)) != written) found("an answer does not come back");
  } catch (const results::FormatError& error) {
    if (*error.what() == '\0') found("an error without a message");
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  Json answer;
  try {
    answer = results::parse_json(text);
  } catch (const Json::exception&) {
    return;  // which is told
  }
  read_twice(answer, [](const Json& json) { return results::device_from(json); });
  read_twice(answer, [](const Json& json) { return results::device_settings_from(json); });
  read_twice(answer, [](const Json& json) { return results::toolchain_from(json); });
  read_twice(answer, [](const Json& json) { return results::source_from(json); });
}
