// SPDX-License-Identifier: Apache-2.0
#include "ci/support/json_text.hpp"

#include <nlohmann/json.hpp>

namespace warpgauge::ci {

std::string json_text(const results::Json& json) {
  std::string text = json.dump(2, ' ', false, results::Json::error_handler_t::replace) + "\n";
  // Within its strings alone there is a #. Runners of continuous integration obey ##vso[ and the
  // like wherever it stands; written in this way it is the same string.
  for (std::size_t at = text.find("##"); at != text.npos; at = text.find("##", at)) {
    text.replace(at, 1, "\\u0023");
  }
  return text;
}

}  // namespace warpgauge::ci
