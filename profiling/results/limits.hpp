// SPDX-License-Identifier: Apache-2.0
// How much is read of what others wrote: far more than anyone writes, far less than a machine has.
// What is larger is refused, by its name and the limit. Depth is in json_reader.hpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace warpgauge::results {

inline constexpr std::size_t kMebibyte = std::size_t{1} << 20;

struct Limit {
  const char* of;  // as in "at most 64 MiB of a results file"
  std::size_t bytes;
};

// Two of them and what becomes of them fit into 2 GB.
inline constexpr Limit kResultsLimit{"a results file", 64 * kMebibyte};
inline constexpr Limit kVerdictLimit{"a verdict", 64 * kMebibyte};
inline constexpr Limit kBaselineLimit{"a file of a baseline", 16 * kMebibyte};
inline constexpr Limit kBaselineFolderLimit{"a device's baseline", 128 * kMebibyte};
inline constexpr Limit kShardsLimit{"all shards of a run", 128 * kMebibyte};
inline constexpr Limit kPolicyLimit{"a policy", 1 * kMebibyte};
inline constexpr Limit kSourceLimit{"a source file", 8 * kMebibyte};
inline constexpr Limit kAnswerLimit{"a program's answer", 16 * kMebibyte};
inline constexpr Limit kJournalLimit{"a suite's record", 64 * kMebibyte};
inline constexpr Limit kLaunchesLimit{"a record of launches", 320 * kMebibyte};
inline constexpr Limit kProgramLimit{"a program", 2048 * kMebibyte};
inline constexpr Limit kNamesLimit{"a list of names", 16 * kMebibyte};
inline constexpr Limit kFiguresLimit{"a run's figures", 64 * kMebibyte};

// Of all files of a kind that one command reads: as much as two of the largest.
inline constexpr Limit kAllResultsLimit{"all results files of a command", 128 * kMebibyte};
inline constexpr Limit kAllImportsLimit{"all files of an import", 128 * kMebibyte};
inline constexpr Limit kAllBaselinesLimit{"the baselines of all devices", 256 * kMebibyte};
inline constexpr Limit kAllLaunchesLimit{"the records of launches of all processes",
                                         640 * kMebibyte};

// On standard output or error; as much of a disk.
inline constexpr Limit kSaidLimit{"what a program says", 256 * kMebibyte};

// Of a results file. Two of the largest, and all that a comparison makes of them, take less than 2
// GB and a minute: a benchmark takes some kilobytes, a metric of it one, a number, such as a
// sample, 100 bytes until it stands in a verdict. Ten times what the largest suites come to.
inline constexpr std::size_t kMostEntries = 200'000;
inline constexpr std::size_t kMostMetrics = 400'000;  // of all benchmarks
inline constexpr std::size_t kMostNumbers = 8'000'000;
// … and of all results files of a command.
inline constexpr std::size_t kMostEntriesOfAll = 2 * kMostEntries;
inline constexpr std::size_t kMostMetricsOfAll = 2 * kMostMetrics;
inline constexpr std::size_t kLongestText = kMebibyte;  // of one string in JSON
// Whoever reads one looks through them all.
inline constexpr std::size_t kMostMembers = 4'096;  // of one object in JSON
// In all of a JSON text, keys too; of a results file, which is read entry by entry, texts, lists
// and objects alone.
inline constexpr std::size_t kMostValues = 4'000'000;

// Throws FileError when the limit is exceeded, as read_file() does for what is no regular file.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, const Limit& limit);

// Throws FileError when the files together, which `name` is for, exceed the limit. Reads none.
void check_sizes(const std::vector<std::filesystem::path>& files, const Limit& limit,
                 const std::string& name);

// "is larger than 64 MiB, the most that is read of a results file".
[[nodiscard]] std::string beyond(const Limit& limit);

// "has an object of more than 4096 members, the most that are read".
[[nodiscard]] std::string too_many_members();

}  // namespace warpgauge::results
