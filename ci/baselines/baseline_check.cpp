// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline_check.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_files.hpp"
#include "ci/baselines/baseline_json.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

class DeviceCheck {
 public:
  DeviceCheck(const Baseline& baseline, const std::string& now, BaselineCheck& check)
      : baseline_(baseline), now_(now), check_(check) {}

  void run() {
    ++check_.devices;
    check_.families += baseline_.families.size();
    const fs::path waiting = waiting_files(baseline_.folder);
    if (!waiting.empty()) {
      check_.faults.push_back(fmt::format(
          "{}: an approval was stopped before all its files were in place: they are read from "
          "there; run the approval again, which puts them into place",
          waiting.string()));
    }
    const std::map<std::string, fs::path> files = baseline_files(baseline_.folder);
    std::set<std::string> used;
    std::set<std::string> anchors;
    for (const auto& [name, family] : baseline_.families) {
      check_.benchmarks += family.size();
      check_text(files.at(name + ".json"), to_text(family));
      for (const auto& [id, approved] : family) {
        for (const std::string& label : sessions_of(approved)) used.insert(label);
        if (approved.anchored) anchors.insert(approved.anchored->anchor);
        check_carried(id, approved);
      }
    }
    Baseline whole = baseline_;
    if (whole.named) whole.named = names_of_families(whole);
    check_text(files.at(kDeviceFile), device_text(whole));
    const std::string why = baseline_.timed.empty() ? "" : why_no_time_until(now_, baseline_.timed);
    if (!why.empty()) fault("timed: " + why);
    for (const auto& [label, session] : baseline_.sessions) {
      if (!used.contains(label)) fault(fmt::format("session '{}' is of no benchmark", label));
      check_session(label, session);
    }
    for (const auto& [label, anchor] : baseline_.anchors) {
      if (!anchors.contains(label)) fault(fmt::format("anchor '{}' is of no benchmark", label));
      const std::string no_time = why_no_time_until(now_, anchor.set);
      if (!no_time.empty()) fault(fmt::format("anchor '{}': {}", label, no_time));
    }
  }

 private:
  void fault(const std::string& what) {
    check_.faults.push_back(
        fmt::format("{}: {}; restore it from version control, delete it if git does not know it, "
                    "or approve again",
                    baseline_.folder.string(), what));
  }

  void check_text(const fs::path& file, const std::string& text) {
    if (results::read_file(file, results::kBaselineLimit) == text) return;
    fault(fmt::format("{} is not as an approval writes it: it was edited or merged by hand",
                      file.filename().string()));
  }

  // A session stands for one build, and so do all figures of it.
  void check_carried(const std::string& id, const Approved& approved) {
    for (const auto& [metric, sessions] : approved.statistical) {
      for (const SessionFigures& each : sessions) {
        const bool is_marked = !baseline_.sessions.at(each.session).carried.empty();
        if (each.carried.has_value() == is_marked) continue;
        fault(fmt::format("{}: {}: of session '{}' {} carried over, and the other is not", id,
                          metric, each.session, is_marked ? "the session is" : "the figures are"));
      }
    }
  }

  void check_session(const std::string& label, const ApprovedSession& session) {
    if (session.session.device.key != baseline_.folder.filename()) {
      fault(fmt::format("session '{}' is of the device '{}'", label, session.session.device.key));
    }
    for (const std::string& time : {session.session.created, session.approved}) {
      const std::string why = why_no_time_until(now_, time);
      if (!why.empty()) fault(fmt::format("session '{}': {}", label, why));
    }
  }

  const Baseline& baseline_;
  const std::string& now_;
  BaselineCheck& check_;
};

}  // namespace

BaselineCheck check_baselines(const fs::path& folder,
                              const std::function<std::vector<std::string>()>& devices,
                              const std::string& now) {
  return read_locked(folder, [&] {
    BaselineCheck check;
    for (const std::string& device : devices()) {
      try {
        const auto baseline = load_baseline(folder, device);
        if (!baseline) continue;
        refuse_hot_beside_cold(*baseline);
        DeviceCheck(*baseline, now, check).run();
      } catch (const std::exception& error) {
        check.faults.emplace_back(error.what());
      }
    }
    return check;
  });
}

}  // namespace warpgauge::ci
