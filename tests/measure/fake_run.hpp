// SPDX-License-Identifier: Apache-2.0
// Runs of a suite that misbehaves on demand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {

class Run : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    // Locks of these tests must not meet those of others.
    results::Device device = h200();
    device.uuid = "GPU-" + folder_.filename().string();
    plan_ = {{"passes", {"time", "counters"}},
             {"device", to_json(device)},
             {"log", (folder_ / "log").string()},
             {"benchmarks", results::Json::object()}};
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
      plan_["benchmarks"][id] = {
          {"time_ns", 1000.5},
          {"counters", {{"shared_load_requests", 8}, {"shared_load_wavefronts", 8}}}};
    }
  }

  void TearDown() override {
    std::filesystem::remove(lock_file());
    InFolder::TearDown();
  }

  [[nodiscard]] std::filesystem::path lock_file() const {
    std::string name = "warpgauge-GPU-" + folder_.filename().string() + ".lock";
    std::replace(name.begin(), name.end(), ' ', '_');
    return std::filesystem::temp_directory_path() / name;
  }

  void strike(const std::string& id, const std::string& fate, const std::string& pass = "") {
    plan_["benchmarks"][id]["fate"] = fate;
    if (!pass.empty()) plan_["benchmarks"][id]["in"] = pass;
  }

  Finished start(const std::string& command, const std::string& arguments = "") {
    write("plan.json", plan_.dump());
    return shell("cd '" + folder_.string() + "' && FAKE_SUITE_PLAN=plan.json " + quoted(WARPGAUGE) +
                 " " + command + " --suite " + quoted(FAKE_SUITE) + " " + arguments);
  }

  // What the plan says, as a build of revision 777… in that folder. Returns its suite.
  std::string build(const std::string& folder) {
    results::Json plan = plan_;
    plan["log"] = (folder_ / folder / "log").string();
    plan["source"] = {{"revision", std::string(40, '7')}, {"modified", false}};
    std::filesystem::create_directories(folder_ / folder / "bin");
    write(folder + "/plan.json", plan.dump());
    const std::string suite =
        folder + "/bin/" + std::filesystem::path(FAKE_SUITE).filename().string();
    write(suite,
          "#!/bin/sh\nFAKE_SUITE_PLAN=" + folder + "/plan.json exec " FAKE_SUITE " \"$@\"\n");
    std::filesystem::permissions(folder_ / suite, std::filesystem::perms::owner_all);
    return suite;
  }

  [[nodiscard]] results::Results read(const std::string& name = "results.json") const {
    return results::read_results(folder_ / name);
  }

  [[nodiscard]] const results::BenchmarkResult& find(const results::Results& results,
                                                     const std::string& id) const {
    for (const results::BenchmarkResult& each : results.benchmarks) {
      if (each.id == id) return each;
    }
    throw std::logic_error("no " + id);
  }

  // What each process of the suite was asked for: "time a/one/1 a/two/1".
  [[nodiscard]] std::vector<std::string> processes() const {
    std::vector<std::string> lines;
    std::ifstream log(folder_ / "log");
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    return lines;
  }

  // Processes of the fake suite of this test that are still alive.
  [[nodiscard]] int survivors() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream environment(entry.path() / "environ");
      std::stringstream text;
      text << environment.rdbuf();
      std::ifstream command(entry.path() / "cmdline");
      std::string program;
      std::getline(command, program, '\0');
      if (program != FAKE_SUITE) continue;
      std::error_code error;
      if (std::filesystem::read_symlink(entry.path() / "cwd", error) == folder_) ++count;
    }
    return count;
  }

  results::Json plan_;
};

// What may become of a benchmark, and what is said of it then.
struct Fate {
  const char* name;
  results::Status status;
  const char* message;
};

inline void PrintTo(const Fate& fate, std::ostream* out) { *out << fate.name; }

}  // namespace warpgauge
