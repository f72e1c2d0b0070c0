// SPDX-License-Identifier: Apache-2.0
// JSON against one of the project's JSON Schemas; for tests only.
#pragma once

#include <string>

namespace warpgauge {

// Empty when the text fits. `schema_file` is relative to the source root; with `definition`, that
// of its definitions is meant.
std::string why_invalid(const std::string& text, const std::string& schema_file,
                        const std::string& definition = "");

}  // namespace warpgauge
