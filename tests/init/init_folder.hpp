// SPDX-License-Identifier: Apache-2.0
// A folder in which `warpgauge init` is tried.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ci/init/repository.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {

inline constexpr const char* kGoogleBenchmark =
    "project(p LANGUAGES CXX)\n"
    "add_library(helpers x.cpp)\ntarget_link_libraries(helpers PUBLIC benchmark::benchmark)\n"
    "add_executable(my_bench bench.cpp)\n"
    "target_link_libraries(my_bench\n  PRIVATE benchmark::benchmark_main) # add_executable(no)\n";

class Init : public InFolder {
 protected:
  void remote(const std::string& url) const {
    write(".git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + url + "\n");
  }

  [[nodiscard]] ci::Repository seen() const { return ci::look_at_repository(folder_); }

  // Path below the folder and content, of what is not git's.
  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& [path, content] : all_files()) {
      const std::string name = std::filesystem::path(path).lexically_relative(folder_).string();
      if (!name.starts_with(".git/")) found[name] = content;
    }
    return found;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, content] : files()) names.push_back(name);
    return names;
  }

  void program(const std::string& name, const std::string& script) const {
    write(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }

  // A cmake whose build makes what is in bin/built.
  static constexpr const char* kBuild =
      "[ \"$1\" != --build ] || [ ! -d bin/built ] || cp -rp bin/built/. build/warpgauge\n";
  void builds() const { program("bin/cmake", kBuild); }

  // What was written, run with the programs of bin/ before the machine's. environment:
  // "NAME=value".
  [[nodiscard]] Finished gate(const std::string& options = "",
                              const std::string& environment = "") const {
    return shell("cd '" + folder_.string() +
                 "' && PATH=\"$PWD/bin:$PATH\" WARPGAUGE=bin/warpgauge " + environment +
                 " bash ci/warpgauge.sh " + options);
  }
};

}  // namespace warpgauge
