// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/nvcc/shared_arrays.hpp"

#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace warpgauge::emulator {

std::set<std::string> undefined_shared_arrays(const std::string& listing) {
  // Of the standard library, of the compiler's own libraries, of the emulator.
  static const std::regex not_ours(
      "_ZN?K?S[a-z].*|__(libc|cxa|tls|emutls|gcov|sancov|[a-z]*san)_.*|errno|warpgauge_emulator_."
      "*");
  std::set<std::string> names;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    // Number, value, size, type, binding, visibility, section, name.
    std::istringstream words(line);
    std::vector<std::string> columns;
    for (std::string word; words >> word;) columns.push_back(word);
    if (columns.size() < 8 || columns[3] != "TLS" || columns[6] != "UND") continue;
    if (!std::regex_match(columns[7], not_ours)) names.insert(columns[7]);
  }
  return names;
}

Command place_shared_arrays(const Command& objects, const std::filesystem::path& scratch) {
  if (objects.empty()) return {};
  const TemporaryFile listing(scratch.string() + ".symbols");
  Command readelf{"readelf", "--syms", "--wide"};
  readelf.insert(readelf.end(), objects.begin(), objects.end());
  if (run_into(readelf, Stream::output, listing.path()) != 0) {
    throw std::runtime_error("readelf cannot read the symbols of " + scratch.string() +
                             "'s objects");
  }
  Command options;
  for (const std::string& name : undefined_shared_arrays(read_file(listing.path()))) {
    options.push_back("-Wl,--defsym=" + name + "=warpgauge_emulator_thread_memory");
  }
  return options;
}

}  // namespace warpgauge::emulator
