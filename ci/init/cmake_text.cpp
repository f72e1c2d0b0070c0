// SPDX-License-Identifier: Apache-2.0
#include "ci/init/cmake_text.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <vector>

namespace warpgauge::ci {
namespace {

struct Call {
  std::string command;  // in lower case
  std::vector<std::string> words;
};

std::string without_comments(std::string_view text) {
  std::string plain;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) plain += line.substr(0, line.find('#')) + '\n';
  return plain;
}

bool is_of_name(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

bool is_asked_for(const std::string& command) {
  static const std::set<std::string> commands{"add_executable", "enable_language", "project",
                                              "target_link_libraries"};
  return commands.contains(command);
}

// Of the commands that are asked for. Reads each character of any file a few times only.
std::vector<Call> calls_of(const std::string& text) {
  std::vector<Call> calls;
  const std::size_t last = text.rfind(')');
  if (last == text.npos) return calls;
  std::size_t open = text.find('(');
  for (; open < last; open = text.find('(', open + 1)) {  // npos is after it, too
    std::size_t end = open;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
    std::size_t begin = end;
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
    Call call;
    for (std::size_t at = begin; at < end; ++at) {
      call.command += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
    }
    if (!is_asked_for(call.command)) continue;
    const std::size_t close = text.find(')', open);
    std::istringstream words(text.substr(open + 1, close - open - 1));
    for (std::string word; words >> word;) call.words.push_back(word);
    calls.push_back(std::move(call));
    open = close;
  }
  return calls;
}

// As CMake has them; nothing that a shell would take for more than a word.
bool is_target(const std::string& word) {
  return !word.empty() && word.front() != '-' && word.front() != '.' &&
         std::all_of(word.begin(), word.end(), [](char character) {
           return is_of_name(character) || character == '-' || character == '.' || character == '+';
         });
}

}  // namespace

CMakeFacts facts_of_cmake(std::string_view text) {
  CMakeFacts facts;
  std::set<std::string> executables;
  const std::vector<Call> calls = calls_of(without_comments(text));
  for (const Call& call : calls) {
    if (call.command == "add_executable" && !call.words.empty()) {
      executables.insert(call.words.front());
    }
    const bool languages = call.command == "project" || call.command == "enable_language";
    if (languages && std::find(call.words.begin(), call.words.end(), "CUDA") != call.words.end()) {
      facts.cuda = true;
    }
  }
  for (const Call& call : calls) {
    if (call.command != "target_link_libraries" || call.words.empty()) continue;
    bool links = false;
    for (const std::string& word : call.words) {
      const bool nvbench = word.starts_with("nvbench::");
      const bool google =
          word.starts_with("benchmark::") || word == "benchmark" || word == "benchmark_main";
      if (&word == &call.words.front()) continue;
      facts.links_nvbench = facts.links_nvbench || nvbench;
      facts.links_google_benchmark = facts.links_google_benchmark || google;
      links = links || nvbench || google;
    }
    const std::string& target = call.words.front();
    if (links && facts.target.empty() && executables.contains(target) && is_target(target)) {
      facts.target = target;
    }
  }
  return facts;
}

}  // namespace warpgauge::ci
