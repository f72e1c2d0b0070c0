// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/nvcc/installation.hpp"

#include <sstream>
#include <stdexcept>

namespace warpgauge::emulator {
namespace {

std::filesystem::path find_configuration(const std::filesystem::path& program) {
  const std::filesystem::path folder = program.parent_path();
  for (const auto& candidate : {folder, folder / WARPGAUGE_PACKAGE_FROM_BIN}) {
    std::filesystem::path file = candidate / "warpgauge-nvcc.conf";
    if (std::filesystem::exists(file)) return file;
  }
  throw std::runtime_error("no warpgauge-nvcc.conf beside " + program.string() +
                           "; move the program with it, or install Warpgauge again");
}

std::string with_origin(std::string text, const std::string& origin) {
  const std::string name = "$ORIGIN";
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    text.replace(at, name.size(), origin);
  }
  return text;
}

}  // namespace

Command options_of(const std::string& text) {
  Command options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') options.push_back(line);
  }
  return options;
}

Installation find_installation(const std::filesystem::path& program) {
  const std::filesystem::path file = find_configuration(program);
  const std::string origin = std::filesystem::absolute(file).parent_path().string();
  Installation found;
  for (const std::string& line : options_of(read_file(file))) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space);
    const std::string value = with_origin(line.substr(space + 1), origin);
    if (key == "compiler") found.compiler = value;
    if (key == "include") found.include = value;
    if (key == "options") found.kernel_options = options_of(read_file(value));
    if (key == "library") found.libraries.push_back(value);
  }
  if (found.compiler.empty() || found.include.empty() || found.kernel_options.empty()) {
    throw std::runtime_error(file.string() + " names no compiler, include or options");
  }
  return found;
}

}  // namespace warpgauge::emulator
