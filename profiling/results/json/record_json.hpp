// SPDX-License-Identifier: Apache-2.0
// JSON of the record, one definition for those who write it and those who read it.
//
// Reading throws FormatError: a field that is absent, of the wrong type or out of its range is
// named by its path.
#pragma once

#include <string>
#include <vector>

#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::results {

[[nodiscard]] std::string to_string(Pass pass);
[[nodiscard]] std::string to_string(Access access);
[[nodiscard]] std::string to_string(Compiled compiled);
[[nodiscard]] std::string to_string(Status status);

[[nodiscard]] Json to_json(const SourceLine& line);
[[nodiscard]] Json to_json(const KernelCode& code);
[[nodiscard]] Json to_json(const KernelLaunch& launch);
[[nodiscard]] Json to_json(const Work& work);
[[nodiscard]] Json to_json(const Record& record);

[[nodiscard]] Pass pass_from(const JsonReader& reader);
[[nodiscard]] SourceLine source_line_from(const JsonReader& reader);
[[nodiscard]] KernelCode kernel_code_from(const JsonReader& reader);
// Of a list: as add_launch() leaves them.
[[nodiscard]] std::vector<KernelLaunch> kernel_launches_from(const JsonReader& reader);
[[nodiscard]] Work work_from(const JsonReader& reader);
[[nodiscard]] Record record_from(const JsonReader& reader);

}  // namespace warpgauge::results
