// SPDX-License-Identifier: Apache-2.0
// `warpgauge doctor`, apart from its command line: finds out what doctor.hpp judges.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct DoctorOptions {
  // warpgauge_doctor; absent: the one beside this program.
  std::optional<std::filesystem::path> program;
  std::vector<std::filesystem::path> suites;  // none: those beside this program
  std::vector<std::string> require;           // abilities without which the exit status is 4
  bool json = false;
  std::optional<std::filesystem::path> resource_spec;  // file for CTest, of the GPUs
};
// Whatever is missing: 0, unless it is required, or a resource specification of no GPU.
[[nodiscard]] int doctor_command(const DoctorOptions& options);

}  // namespace warpgauge::ci
