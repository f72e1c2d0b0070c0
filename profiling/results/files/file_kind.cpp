// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/file_kind.hpp"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::results {
namespace {

struct Kind {
  const char* name;
  char first;                           // character that is no blank; 0: any
  std::vector<std::string_view> words;  // that all are somewhere in it
};

// The first that fits.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds{
      {"a history", 'S', {"SQLite format 3"}},
      {"a report", '<', {"arpgauge"}},
      {"a report in SARIF", '{', {"sarif-2.1.0", "\"runs\"", "arpgauge"}},
      {"a verdict", '{', {"\"approve_command\"", "\"no_baseline\"", "\"benchmarks\""}},
      {"the device of a baseline", '{', {"\"approved\"", "\"sessions\"", "\"device\""}},
      {"a family of a baseline", '{', {"\"schema\"", "\"exact\"", "\"counted\""}},
      {"results", '{', {"\"benchmarks\"", "\"warpgauge\"", "\"context\""}},
      {"a policy", 0, {"[[metric]]", "names", "class"}},
  };
  return kKinds;
}

}  // namespace

std::string file_kind(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return "";
  for (const Kind& kind : kinds()) {
    if (kind.first != 0 && kind.first != text[begin]) continue;
    const bool has_all =
        std::all_of(kind.words.begin(), kind.words.end(),
                    [&](std::string_view word) { return text.find(word) != text.npos; });
    if (has_all) return kind.name;
  }
  return "";
}

std::string kind_of_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  try {
    return file_kind(read_file(path, kResultsLimit));
  } catch (const FileError&) {
    return "";
  }
}

}  // namespace warpgauge::results
