// SPDX-License-Identifier: Apache-2.0
// One reader a format of `warpgauge import`, and what the readers share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/import/import.hpp"

namespace warpgauge::ci {

// Processor's time, by whichever program; a field of that very name is Google Benchmark's own.
inline constexpr const char* kCpuTime = "cpu_time_ns";
// Where CPU time is what counts: how long it took on the wall.
inline constexpr const char* kWallTime = "wall_time_ns";

// Each throws FormatError, its message beginning with the path. It looks at no files of the
// options.

// Its sample files lie where the JSON says, relative to it.
[[nodiscard]] ImportedFile import_nvbench(const std::string& text,
                                          const std::filesystem::path& path,
                                          const ImportOptions& options);
// ncu --csv, with --page details (usual) or raw.
[[nodiscard]] ImportedFile import_ncu(const std::string& text, const std::filesystem::path& path,
                                      const ImportOptions& options);
// With what a BabelStream for CUDA prints of its device before the table.
[[nodiscard]] ImportedFile import_babelstream(const std::string& text,
                                              const std::filesystem::path& path,
                                              const ImportOptions& options);
[[nodiscard]] ImportedFile import_google_benchmark(const std::string& text,
                                                   const std::filesystem::path& path,
                                                   const ImportOptions& options);

// A name as the first part of an id, which names a file of the baseline: characters that such a
// name cannot have become one underscore.
[[nodiscard]] std::string family_name(std::string_view name);

// The number that is all of the text, with a decimal point whatever the locale; nothing: it is
// none.
[[nodiscard]] std::optional<double> number_in(std::string_view text);

// A device that a file names, by number or name; either may be empty.
struct DeviceInFile {
  std::string number;
  std::string name;
};

// Which of the devices that a file's figures are of is meant: the one whose number or name is
// `wanted`, or the only one. Throws Error (usage) when that is none or several.
[[nodiscard]] std::size_t choose_device(const std::vector<DeviceInFile>& devices,
                                        const std::string& wanted,
                                        const std::filesystem::path& path);

// Throws FormatError unless the time is finite and above 0.
void check_time(double nanoseconds, const std::filesystem::path& path, const std::string& where);

// Throws FormatError for more samples than a results file may have. name: whose they are.
void check_count(std::size_t samples, const std::string& name);

}  // namespace warpgauge::ci
