// SPDX-License-Identifier: Apache-2.0
// A small git repository whose revisions build a suite that behaves as a plan in it says.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {

class SmallRepository : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    folder_ = std::filesystem::canonical(folder_);
    device_ = h200();
    device_.uuid = "GPU-" + folder_.filename().string();  // whose lock no other test takes
    write("build.sh",
          "set -e\n"
          "mkdir -p bin\n"
          "sed \"s|LOG|$PWD/bin/log|\" plan.json > bin/plan.json\n"
          "case $PWD in */build/against/*) side=A ;; *) side=B ;; esac\n"
          "cat > bin/suite <<END\n"
          "#!/bin/sh\n"
          "case \"\\$*\" in *--warpgauge_pass=time*) printf $side >> '" +
              (folder_ / "order").string() +
              "' ;; esac\n"
              "FAKE_SUITE_PLAN='$PWD/bin/plan.json' exec " FAKE_SUITE
              " \"\\$@\"\n"
              "END\n"
              "chmod +x bin/suite\n");
    write(".gitignore", "/bin/\n/order\n/results/\n");
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) set_times(id, steady(1));
    git("init -q -b main");
    first_ = commit("first");
  }

  void TearDown() override {
    std::string lock = "warpgauge-" + device_.uuid + ".lock";
    std::replace(lock.begin(), lock.end(), ' ', '_');
    std::filesystem::remove(std::filesystem::temp_directory_path() / lock);
    InFolder::TearDown();
  }

  void set_times(const std::string& id, const std::vector<double>& times) {
    plan_["benchmarks"][id]["time_ns"] = times;
    plan_["benchmarks"][id]["counters"] = {{"shared_load_requests", 8}};
  }

  std::string git(const std::string& arguments) const {
    const Finished finished =
        shell("cd " + quoted(folder_.string()) +
              " && git -c user.name=n -c user.email=e -c commit.gpgsign=false " + arguments);
    EXPECT_EQ(finished.status, 0) << finished.output;
    return finished.output.substr(0, finished.output.find('\n'));
  }

  void write_plan() {
    results::Json plan = plan_;
    plan["passes"] = {"time", "counters"};
    plan["device"] = to_json(device_);
    plan["log"] = "LOG";
    write("plan.json", plan.dump());
  }

  // What is in the folder.
  void build() {
    write_plan();
    EXPECT_EQ(shell("cd " + quoted(folder_.string()) + " && sh build.sh").status, 0);
  }

  // Its revision.
  std::string commit(const std::string& message) {
    write_plan();
    git("add -A");
    git("commit -q -m " + message);
    return git("rev-parse HEAD");
  }

  // Processes in this folder or below whose command line begins with these words.
  [[nodiscard]] int running(const std::string& words) const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream command(entry.path() / "cmdline");
      std::stringstream text;
      text << command.rdbuf();
      std::string line = text.str();
      std::replace(line.begin(), line.end(), '\0', ' ');
      std::error_code error;
      const std::filesystem::path where =
          std::filesystem::read_symlink(entry.path() / "cwd", error);
      if (line.starts_with(words) && where.string().starts_with(folder_.string())) ++count;
    }
    return count;
  }

  // Exit status of a warpgauge that gets SIGINT once a process of that command line runs.
  int interrupted(const std::string& arguments, const std::string& words) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::filesystem::current_path(folder_);
      ::signal(SIGINT, SIG_DFL);  // a shell ignores it for what it runs in the background
      ::execl("/bin/sh", "sh", "-c", ("exec " + quoted(WARPGAUGE) + " " + arguments).c_str(),
              nullptr);
      ::_exit(99);
    }
    for (int i = 0; i < 12'000 && running(words) == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_GT(running(words), 0);
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  results::Device device_;
  results::Json plan_;
  std::string first_;
};

}  // namespace warpgauge
