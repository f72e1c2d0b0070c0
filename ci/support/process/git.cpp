// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process/git.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string>
#include <system_error>

#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

// A checkout of a large repository takes its time.
constexpr std::chrono::minutes kTimeout{10};

// Why git failed, in its own words. Advice may follow, in lines of its own.
std::string complaint_in(const std::filesystem::path& errors) {
  constexpr std::size_t kLines = 20;
  std::istringstream lines(last_lines(errors, kLines));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("fatal: ")) return one_line(line);
  }
  return last_line(errors);
}

// what: for messages, as in "git ls-tree".
GitAnswer answer(const std::vector<std::string>& command, const std::string& what) {
  const std::filesystem::path program = find_program(command.front());
  if (program.empty()) return {std::nullopt, "there is no " + command.front() + " on the PATH"};
  const TemporaryFolder folder;
  ChildOptions options;
  options.program = program;
  options.arguments = {command.begin() + 1, command.end()};
  options.output = folder.path() / "output";
  options.errors = folder.path() / "errors";
  options.timeout = kTimeout;
  const ChildEnd end = run_child(options);
  if (end.succeeded()) {
    std::error_code unknown;
    if (std::filesystem::file_size(options.output, unknown) > results::kAnswerLimit.bytes) {
      throw Error(kExitNotMeasured,
                  fmt::format("what {} says {}", what, results::beyond(results::kAnswerLimit)));
    }
    return {results::read_file(options.output, results::kAnswerLimit), ""};
  }
  const std::string words = complaint_in(options.errors);
  return {std::nullopt, words.empty() ? command.front() + " " + describe(end) : words,
          end.kind == ChildEnd::Kind::exited ? end.code : -1};
}

std::string name_of(const std::vector<std::string>& arguments) {
  return arguments.empty() ? "git" : "git " + arguments.front();
}

}  // namespace

GitAnswer git(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"git"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return answer(command, name_of(arguments));
}

GitAnswer git_in(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"env"};
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}) {
    command.insert(command.end(), {"-u", name});
  }
  // The user's hooks are for the user's own checkouts.
  command.insert(command.end(), {"git", "-C", folder.string(), "-c", "core.hooksPath=/dev/null"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return answer(command, name_of(arguments));
}

std::string current_author() {
  constexpr int kNotSet = 1;  // of git config
  const auto setting = [](const char* name) {
    const GitAnswer answer = git({"config", "--get", name});
    if (answer.status != 0 && answer.status != kNotSet) {
      throw Error(kExitNotMeasured, fmt::format("git config --get {}: {}", name, answer.complaint));
    }
    const std::string text = answer.output.value_or("");
    return text.substr(0, text.find('\n'));
  };
  const std::string name = setting("user.name");
  std::string address = setting("user.email");
  if (!name.empty()) return address.empty() ? name : name + " <" + address + ">";
  if (!address.empty()) return address;
  const char* user = std::getenv("USER");
  return user != nullptr && *user != '\0' ? user : "unknown";
}

}  // namespace warpgauge::ci
