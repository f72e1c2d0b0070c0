// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process/helper_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestLastWords = 500;
constexpr std::streamoff kLastWordsWithin = 64'000;  // bytes from a file's end

// What a program said at the end, without blank ends; empty: it put something else in the file's
// place.
std::string end_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  file.seekg(std::max<std::streamoff>(0, file.tellg() - kLastWordsWithin));
  std::string text(static_cast<std::size_t>(kLastWordsWithin), '\0');
  file.read(text.data(), kLastWordsWithin);
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  text.erase(text.find_last_not_of(" \r\n") + 1);
  return text;
}

}  // namespace

results::Json ask(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                  std::chrono::milliseconds timeout, const std::string& hint) {
  const TemporaryFolder folder;
  ChildOptions options;
  options.program = program;
  options.arguments = arguments;
  options.output = folder.path() / "output";
  options.errors = folder.path() / "errors";
  options.timeout = timeout;
  const ChildEnd end = run_child(options);
  const std::string question =
      arguments.empty() ? program.string() : program.string() + " " + arguments.front();
  if (!end.succeeded()) {
    const std::string words = last_line(options.errors);
    const bool usage = end.kind == ChildEnd::Kind::exited && end.code == kExitUsage;
    if (usage && !words.empty()) throw Error(kExitUsage, words);
    throw Error(kExitNotMeasured, fmt::format("{} {}: {}", question, ci::describe(end),
                                              words.empty() ? "no message; " + hint : words));
  }
  const std::string answer = results::read_file(options.output, results::kAnswerLimit);
  try {
    return results::parse_json(answer);
  } catch (const results::Json::exception&) {
    const std::string full = note_of_full_disk(folder.path());
    throw Error(kExitNotMeasured, fmt::format("{}: the answer is not JSON; {}", question,
                                              full.empty() ? hint : full));
  } catch (const results::FormatError& error) {
    throw Error(kExitNotMeasured,
                fmt::format("{}: the answer {}; {}", question, error.what(), hint));
  }
}

std::string how_to_build(std::string_view target) {
  return fmt::format(
      "build the target {0} where there is nvcc: cmake --preset ci -DWARPGAUGE_CUDA=ON "
      "-DWARPGAUGE_TESTS=OFF && cmake --build --preset ci --target {0}",
      target);
}

std::string last_line(const std::filesystem::path& path) {
  const std::string text = end_of(path);
  const std::size_t newline = text.rfind('\n');
  const std::string line = newline == text.npos ? text : text.substr(newline + 1);
  return one_line(line.substr(0, kLongestLastWords));
}

std::string last_lines(const std::filesystem::path& path, std::size_t count) {
  const std::string text = end_of(path);
  std::size_t begin = text.size();
  for (std::size_t line = 0; line < count && begin != text.npos && begin > 0; ++line) {
    begin = text.rfind('\n', begin - 1);
  }
  return text.substr(begin == text.npos ? 0 : begin) + "\n";
}

}  // namespace warpgauge::ci
