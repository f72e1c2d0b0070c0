// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/abilities.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <system_error>

#include "ci/cli/build_facts.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/history/connection/libpq_loading.hpp"
#include "ci/measure/disassembly.hpp"
#include "ci/report/page/page_template.hpp"
#include "ci/support/loaded_driver.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInjectionLibrary = "libwarpgauge_inject.so";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Empty where it is not known: then it is no hindrance that little is found.
fs::path folder_of_program() {
  try {
    return own_folder();
  } catch (const fs::filesystem_error&) {
    return {};
  }
}

// The first of the folders that has one of the files; empty: none has.
fs::path found_in(const std::vector<fs::path>& folders, std::initializer_list<const char*> names) {
  for (const fs::path& folder : folders) {
    for (const char* name : names) {
      if (!folder.empty() && is_there(folder / name)) return folder / name;
    }
  }
  return {};
}

AbilityHere ability(const char* name, const fs::path& found, const std::string& missing) {
  return {name, !found.empty(), found.empty() ? missing : found.string()};
}

AbilityHere gpu() {
  const auto driver = loaded_driver();
  return {"GPU", driver.has_value(), driver.value_or("no NVIDIA driver is loaded")};
}

// Where the loader found it when ldconfig last looked; empty: nowhere. Its cache holds paths, each
// with a 0 after it, among other things.
fs::path in_loaders_cache(const std::string& name) {
  std::string cache;
  try {
    cache = results::read_file("/etc/ld.so.cache", results::kAnswerLimit);
  } catch (const results::FileError&) {
    return {};
  }
  const std::size_t at = cache.find("/" + name + '\0');
  if (at == cache.npos) return {};
  const std::size_t before = cache.rfind('\0', at);
  const std::size_t begin = before == cache.npos ? 0 : before + 1;
  const fs::path path = cache.substr(begin, at + 1 + name.size() - begin);
  return is_there(path) ? path : fs::path();
}

// As the loader would find it, without loading it: that would take longer than all else.
fs::path library(const std::string& name) {
  std::vector<fs::path> folders{folder_of_program().parent_path() / "lib"};
  const char* const variable = std::getenv("LD_LIBRARY_PATH");
  std::istringstream named(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(named, folder, ':');) folders.emplace_back(folder);
  if (fs::path found = found_in(folders, {name.c_str()}); !found.empty()) return found;
  if (fs::path found = in_loaders_cache(name); !found.empty()) return found;
  return found_in({"/lib", "/usr/lib", "/lib64", "/usr/lib64"}, {name.c_str()});
}

AbilityHere cupti() {
  fs::path found;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    if (found.empty()) found = library(name);
  }
  if (found.empty()) {
    found = found_in({"/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64",
                      "/usr/local/cuda/lib", folder_of_program().parent_path() / "lib/cupti"},
                     {"libcupti.so.13", "libcupti.so.12"});
  }
  return ability(
      "CUPTI", found,
      "not in LD_LIBRARY_PATH nor /usr/local/cuda; install the toolkit's. A program that "
      "brings its own, as PyTorch does, is timed by that");
}

AbilityHere gpu_questions() {
  return ability("doctor", found_in({folder_of_program()}, {"warpgauge_doctor"}),
                 "there is no warpgauge_doctor to ask a GPU: " + how_to_build("warpgauge_doctor"));
}

AbilityHere emulator() {
  if (!has_suites_of_its_own()) {
    return {"emulator", false, "not in this build; build from the source for suites without a GPU"};
  }
  return ability("emulator", find_program("g++"), "there is no g++ to compile kernels with");
}

AbilityHere postgresql() {
  const std::string name = name_of_loaded_libpq();
  if (name.empty()) return {"PostgreSQL", true, "libpq is linked"};
  return ability("PostgreSQL", library(name),
                 "there is no libpq.so.5: install libpq5, or name its folder in LD_LIBRARY_PATH");
}

AbilityHere page() {
  const bool built = !page_template().empty();
  return {"HTML page", built, built ? "in this program" : "built without npm"};
}

}  // namespace

AbilityHere any_program_here() {
  const fs::path here = folder_of_program();
  return ability("any program", found_in({here, here.parent_path() / "lib"}, {kInjectionLibrary}),
                 "there is no libwarpgauge_inject.so: " + how_to_build("warpgauge_inject"));
}

bool has_suites_of_its_own() {
  return std::string_view(kFeatures).find("+emulator") != std::string_view::npos;
}

std::vector<AbilityHere> abilities_here() {
  const fs::path python = folder_of_program().parent_path() / "share/warpgauge/python";
  return {
      gpu(),
      cupti(),
      any_program_here(),
      gpu_questions(),
      emulator(),
      {"machine code", true, "read by this program"},
      ability("nvdisasm", find_nvdisasm(), "install the CUDA toolkit's, or put it into the PATH"),
      {"SQLite", true, "in this program"},
      postgresql(),
      page(),
      ability("Python", is_there(python) ? python : fs::path(),
              "there is no share/warpgauge/python beside bin/, which names ranges"),
      ability("git", find_program("git"), "not in the PATH: no revision can be compared")};
}

std::string abilities_text(const std::vector<AbilityHere>& abilities) {
  std::string text;
  for (const AbilityHere& each : abilities) {
    text += fmt::format("\n  {:<12} {}: {}", each.name, each.given ? "yes" : "no", each.why);
  }
  return text;
}

}  // namespace warpgauge::ci
