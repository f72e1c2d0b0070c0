// SPDX-License-Identifier: Apache-2.0
// A command of warpgauge that leads from an old state of its folder to a new one, in a folder of
// its own: run, made to fail or killed, and what is found there after that.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "tests/helpers/process.hpp"

namespace warpgauge {

// WARPGAUGE_NIGHTLY=1: minutes, of most; =all: an hour, and nothing is left out.
inline bool is_nightly() { return std::getenv("WARPGAUGE_NIGHTLY") != nullptr; }
inline bool leaves_nothing_out() {
  return is_nightly() && std::getenv("WARPGAUGE_NIGHTLY") == std::string("all");
}

// Content by path; a folder's path ends in a slash.
using Files = std::map<std::string, std::string>;

inline Files files_below(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    const bool is_file = entry.is_regular_file();
    files[is_file ? name : name + "/"] = is_file ? results::read_file(entry.path()) : "";
  }
  return files;
}

// Without folders.
inline Files texts_below(const std::filesystem::path& folder) {
  Files files = files_below(folder);
  std::erase_if(files, [](const auto& file) { return file.first.ends_with('/'); });
  return files;
}

inline std::string content(const Files& files, const std::string& name) {
  const auto found = files.find(name);
  return found == files.end() ? std::string("absent") : found->second;
}

// What is asked of the preloaded library, see failing_calls.cpp.
struct Failing {
  std::string call = {};
  long number = 0;
};

// Runs warpgauge with these arguments, or throws.
using Runner = std::function<void(const std::string&)>;

struct Task {
  std::string name;
  std::vector<std::string> arguments;
  // The same once the new state is there; empty: no other.
  std::vector<std::string> again = {};
  // Makes the old state in a folder, where the runner runs.
  std::function<void(const std::filesystem::path&, const Runner&)> begin;
  // What whoever reads that folder finds there.
  std::function<Files(const std::filesystem::path&)> state = texts_below;
  // Where it keeps old files until the new state is there; empty: nowhere.
  std::string aside = {};
  // Whether what is left of a command that ended half-way is sound: of the states before, now, and
  // after.
  std::function<bool(const Files&, const Files&, const Files&)> is_sound =
      [](const Files&, const Files&, const Files&) { return false; };
};

inline void PrintTo(const Task& task, std::ostream* out) { *out << task.name; }

struct Ended {
  int status = 0;      // as waitpid() tells it
  bool alone = false;  // nothing that it started outlived it
  std::string said;    // on standard output and error
  std::string log;     // the preloaded library's
  [[nodiscard]] bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
};

enum class Outcome { old_state, new_state, between, broken };

struct Found {
  Outcome outcome = Outcome::broken;
  std::string between = {};                   // how it differs from both states, where it does
  std::vector<std::string> left_behind = {};  // for the next run to remove
  std::string wrong = {};                     // empty: nothing is
};

class Place {
 public:
  Place(Task task, std::filesystem::path folder)
      : task_(std::move(task)), folder_(std::move(folder)) {
    std::filesystem::create_directories(work());
    std::filesystem::create_directories(temporary());
    task_.begin(work(), [&](const std::string& command) {
      const Finished finished = shell(
          fmt::format("cd {} && LD_PRELOAD={} TMPDIR={} FAKE_SUITE_PLAN=plan.json FAILING_TIME={} "
                      "{} {}",
                      quoted(work()), quoted(FAILING_CALLS), quoted(temporary()), kFirstDay,
                      quoted(WARPGAUGE), command));
      if (finished.status != 0) throw std::runtime_error(command + ": " + finished.output);
    });
    old_ = files_below(here());
    old_state_ = task_.state(work());
    const Ended ended = run();
    if (!ended.succeeded()) throw std::runtime_error(task_.name + ": " + ended.said);
    new_ = files_below(here());
    new_state_ = task_.state(work());
    if (old_state_ == new_state_) throw std::runtime_error(task_.name + " changes nothing");
    restore();
  }

  void restore() const {
    if (files_below(here()) == old_) return;
    std::filesystem::remove_all(here());
    std::filesystem::create_directories(here());
    for (const auto& [name, text] : old_) {
      if (name.ends_with('/')) {
        std::filesystem::create_directories(here() / name);
      } else {
        std::ofstream(here() / name, std::ios::binary) << text;
      }
    }
  }

  // The process that does it, which has begun.
  pid_t start(const Failing& failing = {}) {
    const std::map<std::string, std::string> variables{
        {"LD_PRELOAD", FAILING_CALLS},
        {"TMPDIR", temporary()},
        {"FAKE_SUITE_PLAN", "plan.json"},
        {"FAILING_TIME", kSecondDay},
        {"FAILING_LOG", folder_ / "log"},
        {"FAILING_CALL", failing.call},
        {"FAILING_NUMBER", std::to_string(failing.number)}};
    std::vector<std::string> words{WARPGAUGE};
    const auto& more = is_new_ && !task_.again.empty() ? task_.again : task_.arguments;
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> settings;
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string setting = *each;
      if (!variables.contains(setting.substr(0, setting.find('=')))) settings.push_back(setting);
    }
    for (const auto& [name, value] : variables) settings.push_back(name + "=" + value);
    const auto arguments = pointers(words);
    const auto environment = pointers(settings);
    const std::string where = work();
    std::filesystem::remove(folder_ / "log");
    const int said = ::open((folder_ / "said").c_str(),
                            O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    int ends[2];
    if (said < 0 || nothing < 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
      throw std::runtime_error("cannot start " + task_.name);
    }
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(kLongestSeconds);
      ::dup2(nothing, STDIN_FILENO);
      ::dup2(said, STDOUT_FILENO);
      ::dup2(said, STDERR_FILENO);
      ::fcntl(ends[1], F_SETFD, 0);  // all that it starts hold it, too
      if (::chdir(where.c_str()) == 0) {
        ::execve(arguments[0], arguments.data(), environment.data());
      }
      ::_exit(127);
    }
    for (const int descriptor : {said, nothing, ends[1]}) ::close(descriptor);
    ended_ = ends[0];
    if (child < 0) throw std::runtime_error("cannot start " + task_.name);
    return child;
  }

  // Returns once it has ended, and with it all that it started.
  Ended wait(pid_t child) {
    Ended ended;
    ::waitpid(child, &ended.status, 0);
    pollfd all{ended_, POLLIN, 0};
    ended.alone = ::poll(&all, 1, 1000 * kLongestSeconds) == 1;
    ::close(ended_);
    wait_for_locks();
    ended.said = results::read_file(folder_ / "said");
    if (std::filesystem::exists(folder_ / "log")) ended.log = results::read_file(folder_ / "log");
    return ended;
  }

  Ended run(const Failing& failing = {}) { return wait(start(failing)); }

  // What is found now. The command is run again, unless all is as in one of the states, and must
  // come to the new one and leave nothing behind.
  Found look(bool run_again_anyway = false) {
    const Files now = files_below(here());
    Found found;
    if (now == old_) found.outcome = Outcome::old_state;
    if (now == new_) found.outcome = Outcome::new_state;
    if (found.outcome != Outcome::broken && !run_again_anyway) return found;
    for (const auto& [name, text] : now) {
      const bool is_aside = !task_.aside.empty() && name.starts_with("work/" + task_.aside);
      if (!old_.contains(name) && !new_.contains(name) && !is_aside) {
        found.left_behind.push_back(name);
      }
    }
    try {
      if (found.outcome == Outcome::broken) tell_state(found);
      run_again(found);
    } catch (const std::exception& error) {
      found.wrong += fmt::format("cannot be read: {}; ", error.what());
    }
    return found;
  }

 private:
  // What ends closes one file after the other, perhaps that which tells of its end before those
  // that it has locked.
  void wait_for_locks() const {
    for (const auto& entry : std::filesystem::directory_iterator(temporary())) {
      const int left = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
      for (int i = 0; i < 1000 && ::flock(left, LOCK_EX | LOCK_NB) != 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      // A process that another core has forked, and which is not the command yet, has this
      // descriptor too: closed alone, it would stay locked, and the next run would not sweep it.
      ::flock(left, LOCK_UN);
      ::close(left);
    }
  }

  static constexpr int kLongestSeconds = 120;  // one run takes a fraction of a second
  static constexpr const char* kFirstDay = "1795000000";
  static constexpr const char* kSecondDay = "1795086400";

  [[nodiscard]] std::filesystem::path here() const { return folder_ / "here"; }
  [[nodiscard]] std::filesystem::path work() const { return here() / "work"; }
  [[nodiscard]] std::filesystem::path temporary() const { return here() / "tmp"; }

  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }

  void tell_state(Found& found) const {
    Files state = task_.state(work());
    for (const std::string& name : found.left_behind) {
      state.erase(std::filesystem::path(name).lexically_relative("work"));
    }
    if (state == old_state_) {
      found.outcome = Outcome::old_state;
    } else if (state == new_state_) {
      found.outcome = Outcome::new_state;
    } else if (task_.is_sound(old_state_, state, new_state_)) {
      found.outcome = Outcome::between;
      found.between = differences(state);
    } else {
      found.wrong += "neither old nor new: " + differences(state);
    }
  }

  void run_again(Found& found) {
    is_new_ = found.outcome == Outcome::new_state;
    const Ended again = run();
    is_new_ = false;
    if (!again.succeeded()) found.wrong += "the next run fails: " + again.said + "; ";
    for (const auto& [name, text] : files_below(here())) {
      if (!new_.contains(name)) found.wrong += "the next run leaves " + name + "; ";
    }
    const Files state = task_.state(work());
    if (state == new_state_) return;
    found.wrong += "the next run does not come to the new state: " + differences(state);
  }

  [[nodiscard]] std::string differences(const Files& state) const {
    std::string text;
    const auto is = [&](const std::string& name) {
      const bool is_old = content(state, name) == content(old_state_, name);
      const bool is_new = content(state, name) == content(new_state_, name);
      return is_old && is_new ? "as ever" : is_old ? "old" : is_new ? "new" : "another";
    };
    Files all = state;
    all.insert(old_state_.begin(), old_state_.end());
    all.insert(new_state_.begin(), new_state_.end());
    for (const auto& [name, ignored] : all) text += fmt::format("{} is {}, ", name, is(name));
    return text;
  }

  Task task_;
  std::filesystem::path folder_;
  Files old_;  // all that is here
  Files new_;
  Files old_state_;  // what the task says that it is
  Files new_state_;
  bool is_new_ = false;
  int ended_ = -1;  // at its end once nobody holds the other one
};

// Does it on every core at once, each with a place of its own below `folder`.
inline void on_every_core(const Task& task, const std::filesystem::path& folder,
                          const std::function<void(Place&, unsigned)>& work) {
  std::vector<std::jthread> threads;
  for (unsigned core = 0; core < std::max(1U, std::thread::hardware_concurrency()); ++core) {
    threads.emplace_back([&, core] {
      try {
        Place place(task, folder / std::to_string(core));
        work(place, core);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
}

}  // namespace warpgauge
