// SPDX-License-Identifier: Apache-2.0
// JSON of the record, one definition for those who write it and those who read it.
//
// Reading throws FormatError: a field that is absent, of the wrong type or out of its range is
// named with its path.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "profiling/results/record.hpp"

namespace warpgauge::results {

using Json = nlohmann::ordered_json;

// Far beyond what is written by anyone, far below what a stack or a heap would notice.
inline constexpr int kMaxJsonDepth = 64;

// Text that should be JSON of a known form, and is not. The message names the place and the remedy.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A text from elsewhere as JSON. Throws Json::exception for what is none, and FormatError for what
// is nested deeper than any of our files: a tree is copied and written by recursion.
[[nodiscard]] Json parse_json(const std::string& text);

[[nodiscard]] std::string to_string(Pass pass);
[[nodiscard]] std::string to_string(Access access);
[[nodiscard]] std::string to_string(Compiled compiled);
[[nodiscard]] std::string to_string(Status status);
[[nodiscard]] std::string to_string(DeviceKind kind);

[[nodiscard]] Json to_json(const SourceLine& line);
[[nodiscard]] Json to_json(const KernelCode& code);
[[nodiscard]] Json to_json(const KernelLaunch& launch);
[[nodiscard]] Json to_json(const Record& record);
[[nodiscard]] Json to_json(const Device& device);
[[nodiscard]] Json to_json(const DeviceSettings& settings);
[[nodiscard]] Json to_json(const Toolchain& toolchain);
[[nodiscard]] Json to_json(const Source& source);

[[nodiscard]] Pass pass_from(const std::string& name);
[[nodiscard]] SourceLine source_line_from(const Json& json);
[[nodiscard]] KernelCode kernel_code_from(const Json& json);
[[nodiscard]] KernelLaunch kernel_launch_from(const Json& json);
[[nodiscard]] Record record_from(const Json& json);
[[nodiscard]] Device device_from(const Json& json);
[[nodiscard]] DeviceSettings device_settings_from(const Json& json);
[[nodiscard]] Toolchain toolchain_from(const Json& json);
[[nodiscard]] Source source_from(const Json& json);

}  // namespace warpgauge::results
