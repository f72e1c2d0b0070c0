// SPDX-License-Identifier: Apache-2.0
// verdict.json: the verdict as other programs read it, and as `warpgauge report` reads it again.
// Its layout: verdict.schema.json.
#pragma once

#include <filesystem>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Version of verdict.json, and the oldest that is still read: 2 knows "not worse".
inline constexpr int kVerdictSchemaVersion = 2;
inline constexpr int kOldestVerdictSchema = 1;

// Text that is no UTF-8 arrives with its faulty bytes replaced; figures that are not finite are
// left out, as JSON has none. Throws Error (not measured) for one too large to be read again.
[[nodiscard]] std::string to_json_text(const GateVerdict& verdict);

// The verdict of such a text, for the same reports. Throws results::FormatError: what is wrong,
// beginning with `name` and the place, as in "verdict.json: benchmarks[3].metrics[0].p: must be a
// number, is string". Keys that the schema does not know are refused, too.
[[nodiscard]] GateVerdict verdict_from_json_text(const std::string& text, const std::string& name);

[[nodiscard]] GateVerdict read_verdict(const std::filesystem::path& path);

}  // namespace warpgauge::ci
