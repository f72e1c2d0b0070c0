// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/foreign_profiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

namespace warpgauge::ci {
namespace {

constexpr std::array kTools{"nsys",   "ncu",           "nv-nsight-cu-cli", "compute-sanitizer",
                            "nvprof", "cuda-memcheck", "cuda-gdb"};
// Start what their last words name.
constexpr std::array kLaunchers{"env",    "nice",    "nohup",    "time",    "timeout", "taskset",
                                "stdbuf", "numactl", "setsid",   "exec",    "sudo",    "srun",
                                "mpirun", "mpiexec", "torchrun", "xvfb-run"};
constexpr std::array kShells{"sh", "bash", "dash", "zsh", "ksh"};
// By which CUDA and NVTX load one library into a program.
constexpr std::array kInjections{"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string base_name(const std::string& word) {
  return std::filesystem::path(word).filename().string();
}

std::string library_of(const char* variable) {
  return fmt::format("a library that {} names", variable);
}

// "CUDA_INJECTION64_PATH=x": its variable, if it is one of ours. nullptr: it is none.
const char* injection_in(const std::string& word) {
  for (const char* variable : kInjections) {
    if (word.starts_with(std::string(variable) + "=")) return variable;
  }
  return nullptr;
}

std::string tool_in(const std::vector<std::string>& words);

// Of a text for a shell, each of its commands.
std::string tool_in_script(const std::string& script) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= script.size(); ++i) {
    const char each = i < script.size() ? script[i] : ';';
    const bool ends_command = std::string_view(";&|()\n").find(each) != std::string_view::npos;
    if (!ends_command && std::isspace(static_cast<unsigned char>(each)) == 0) {
      if (each != '"' && each != '\'') word += each;
      continue;
    }
    if (!word.empty()) words.push_back(std::exchange(word, ""));
    if (!ends_command) continue;
    if (std::string tool = tool_in(words); !tool.empty()) return tool;
    words.clear();
  }
  return "";
}

std::string tool_after_shell(const std::vector<std::string>& words, std::size_t shell) {
  for (std::size_t i = shell + 1; i < words.size() && words[i].starts_with('-'); ++i) {
    if (!words[i].starts_with("--") && words[i].find('c') != std::string::npos) {
      return i + 1 < words.size() ? tool_in_script(words[i + 1]) : "";
    }
  }
  return "";
}

// "nsys" of `python3 -m nsys`.
std::string tool_after_python(const std::vector<std::string>& words, std::size_t python) {
  for (std::size_t i = python + 1; i + 1 < words.size() && words[i].starts_with('-'); ++i) {
    if (words[i] != "-m") continue;
    const std::string module = words[i + 1].substr(0, words[i + 1].find('.'));
    return is_among(kTools, module) ? module : "";
  }
  return "";
}

// Up to the program itself, whose own arguments may be called anything.
std::string tool_in(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string name = base_name(words[i]);
    if (is_among(kTools, name)) return name;
    if (const char* const variable = injection_in(words[i])) return library_of(variable);
    if (is_among(kShells, name)) return tool_after_shell(words, i);
    if (name.starts_with("python")) return tool_after_python(words, i);
    const bool is_of_launcher =
        words[i].starts_with('-') || words[i].find('=') != std::string::npos ||
        (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0);
    if (!is_of_launcher && !is_among(kLaunchers, name)) return "";
  }
  return "";
}

}  // namespace

std::string other_profiler(const std::vector<std::string>& command,
                           const std::function<const char*(const char*)>& environment) {
  if (std::string tool = tool_in(command); !tool.empty()) return tool;
  const auto is_set = [&](const char* variable) {
    const char* const value = environment(variable);
    return value != nullptr && *value != '\0';
  };
  constexpr std::array<std::pair<const char*, const char*>, 3> kSigns{
      {{"NSYS_PROFILING_SESSION_ID", "nsys"},
       {"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "ncu"},
       {"NV_SANITIZER_INJECTION_PORT_BASE", "compute-sanitizer"}}};
  for (const auto& [variable, tool] : kSigns) {
    if (is_set(variable)) return tool;
  }
  for (const char* variable : kInjections) {
    if (is_set(variable)) return library_of(variable);
  }
  return "";
}

}  // namespace warpgauge::ci
