// SPDX-License-Identifier: Apache-2.0
#include "ci/init/cmake_text.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "ci/init/cuda_architectures.hpp"

namespace warpgauge::ci {
namespace {

struct Call {
  std::string command;  // in lower case
  std::vector<std::string> words;
  std::vector<std::string> conditions;  // of each `if` around it
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
  static const std::set<std::string> commands{"add_executable",
                                              "add_subdirectory",
                                              "cmake_dependent_option",
                                              "else",
                                              "elseif",
                                              "enable_language",
                                              "endif",
                                              "find_package",
                                              "if",
                                              "nanobind_add_module",
                                              "option",
                                              "project",
                                              "pybind11_add_module",
                                              "python3_add_library",
                                              "python_add_library",
                                              "set",
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

// What a condition asks for: its words, less what is denied.
std::vector<std::string> asked_for(const Call& condition) {
  std::vector<std::string> asked;
  bool denied = false;
  for (std::string word : condition.words) {
    std::erase_if(word, [](char each) {
      return std::string_view("(\"${}").find(each) != std::string_view::npos;
    });
    if (!denied && word != "NOT") asked.push_back(word);
    denied = word == "NOT";
  }
  return asked;
}

// Less the conditions themselves; each with those that it stands in.
std::vector<Call> with_conditions(std::vector<Call> calls) {
  std::vector<std::vector<std::string>> around;
  std::vector<Call> rest;
  for (Call& call : calls) {
    if (call.command == "if") {
      around.push_back(asked_for(call));
    } else if (call.command == "elseif" || call.command == "else") {
      if (!around.empty())
        around.back() = call.command == "else" ? std::vector<std::string>{} : asked_for(call);
    } else if (call.command == "endif") {
      if (!around.empty()) around.pop_back();
    } else if (!call.words.empty()) {
      for (const auto& each : around)
        call.conditions.insert(call.conditions.end(), each.begin(), each.end());
      rest.push_back(std::move(call));
    }
  }
  return rest;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_word(const Call& call, std::string_view word) { return contains(call.words, word); }

std::string subfolder(std::string path) {
  std::erase(path, '"');
  for (const std::string_view here :
       {"${CMAKE_CURRENT_SOURCE_DIR}/", "${CMAKE_CURRENT_LIST_DIR}/"}) {
    if (path.starts_with(here)) path.erase(0, here.size());
  }
  return path;
}

void add_structure(const std::vector<Call>& calls, CMakeFacts& facts) {
  for (const Call& call : calls) {
    const std::string& first = call.words.front();
    facts.project = facts.project || call.command == "project";
    facts.for_python = facts.for_python || call.command.starts_with("py") ||
                       call.command.starts_with("nanobind") ||
                       (call.command == "find_package" && first == "Torch");
    if (call.command == "add_subdirectory")
      facts.subfolders.push_back({subfolder(first), call.conditions});
    const bool cached = call.command == "set" && has_word(call, "CACHE") && has_word(call, "BOOL");
    if (cached || call.command == "option" || call.command == "cmake_dependent_option")
      facts.options.push_back(first);
  }
}

}  // namespace

CMakeFacts facts_of_cmake(std::string_view text) {
  CMakeFacts facts;
  std::map<std::string, std::vector<std::string>> executables;  // with their conditions
  const std::string plain = without_comments(text);
  facts.names_architectures = plain.find("CUDA_ARCHITECTURES") != plain.npos;
  const std::vector<Call> calls = with_conditions(calls_of(plain));
  add_structure(calls, facts);
  std::set<std::string> architectures;  // where it sets several, it is not known which hold
  for (const Call& call : calls) {
    if (call.command == "add_executable") executables.emplace(call.words.front(), call.conditions);
    const bool languages = call.command == "project" || call.command == "enable_language";
    facts.cuda = facts.cuda || (languages && has_word(call, "CUDA"));
    if (call.command != "set") continue;
    if (const auto named = architectures_of_set(call.words)) architectures.insert(*named);
  }
  if (architectures.size() == 1) facts.architectures = *architectures.begin();
  for (const Call& call : calls) {
    if (call.command != "target_link_libraries") continue;
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
    if (!links || !executables.contains(target) || !is_target(target)) continue;
    if (facts.target.empty()) {
      facts.target = target;
      facts.conditions = executables.at(target);
    } else if (target != facts.target && !contains(facts.more_targets, target)) {
      facts.more_targets.push_back(target);
    }
  }
  return facts;
}

}  // namespace warpgauge::ci
