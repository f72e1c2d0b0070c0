// SPDX-License-Identifier: Apache-2.0
// JSON of a session and its parts, one definition for those who write it and those who read it.
//
// Reading throws FormatError: a field that is absent, of the wrong type or out of its range is
// named by its path.
#pragma once

#include <string>

#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/session.hpp"

namespace warpgauge::results {

[[nodiscard]] std::string to_string(DeviceKind kind);

[[nodiscard]] Json to_json(const Device& device);
[[nodiscard]] Json to_json(const DeviceSettings& settings);
[[nodiscard]] Json to_json(const Toolchain& toolchain);
[[nodiscard]] Json to_json(const Source& source);
[[nodiscard]] Json to_json(const Session& session);

[[nodiscard]] Device device_from(const JsonReader& reader);
[[nodiscard]] DeviceSettings device_settings_from(const JsonReader& reader);
[[nodiscard]] Toolchain toolchain_from(const JsonReader& reader);
[[nodiscard]] Source source_from(const JsonReader& reader);

// Throws for another schema version, too.
[[nodiscard]] Session session_from(const JsonReader& reader);

}  // namespace warpgauge::results
