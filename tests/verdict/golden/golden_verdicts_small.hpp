// SPDX-License-Identifier: Apache-2.0
// What the golden tests of `warpgauge compare` on small results share.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/verdict/golden/golden_verdicts.hpp"

namespace warpgauge::golden {

class GoldenVerdicts : public Golden<InFolder> {
 protected:
  using Edit = std::function<void(Json&)>;

  // A results file, whose JSON may be edited before it is written.
  void write_results(const std::string& name, const results::Device& device,
                     const std::vector<Measured>& benchmarks, const Edit& edit = {}) {
    Json json = Json::parse(results_text(device, benchmarks, hour(12)));
    if (edit) edit(json);
    write(name, json.dump());
  }

  // Both sides from files.
  void compare_files(const std::string& name, const std::vector<Measured>& before,
                     const std::vector<Measured>& after, const Edit& edit_after = {},
                     const std::string& options = "", const results::Device& device = h200()) {
    write_results("before.json", device, before);
    write_results("after.json", device, after, edit_after);
    compare(name, "before.json", "after.json", options);
  }

  // Against a stored baseline of so many sessions.
  void compare_stored(const std::string& name, const std::vector<Measured>& before,
                      const std::vector<Measured>& after, int sessions = 5,
                      const std::string& options = "", const results::Device& device = h200()) {
    approve(before, sessions, device);
    write_results("after.json", device, in_session(after, sessions));
    compare(name, "baselines", "after.json", options);
  }

  void approve(const std::vector<Measured>& benchmarks, int sessions,
               const results::Device& device) {
    std::filesystem::remove_all(folder_ / "baselines");
    std::string files;
    for (int i = 0; i < sessions; ++i) {
      const std::string name = "session" + std::to_string(i) + ".json";
      write(name, results_text(device, in_session(benchmarks, i), hour(i)));
      files += name + " ";
    }
    const Finished finished = warpgauge("approve " + files + "--reason first --policy policy.toml");
    ASSERT_EQ(finished.status, 0) << finished.output;
  }

  void compare_plain(const std::string& name, const std::vector<std::string>& before,
                     const std::vector<std::string>& after, const std::string& options = "") {
    write("before.json", plain_text(before));
    write("after.json", plain_text(after));
    compare(name, "before.json", "after.json", options);
  }
};

inline Measured counted(const std::string& id, std::map<std::string, double> counters) {
  return {.id = id, .counters = std::move(counters)};
}

inline Measured timed(const std::string& id, double time_ns) {
  return {.id = id, .times_ns = steady_ns(time_ns)};
}

}  // namespace warpgauge::golden
