// SPDX-License-Identifier: Apache-2.0
#include "ci/support/json_text.hpp"

#include <nlohmann/json.hpp>

namespace warpgauge::ci {

std::string json_text(const results::Json& json) {
  return json.dump(2, ' ', false, results::Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgauge::ci
