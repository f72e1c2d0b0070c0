// SPDX-License-Identifier: Apache-2.0
// Two suites whose processes are interleaved on one device, so that what drifts in the meantime
// meets both alike.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ci/measure/measurement.hpp"

namespace warpgauge::ci {

enum class Side { before, after };

// As many of each: pairs of one process a side, of which each second one has the order of the one
// before it reversed, as in ABBA; which side begins each two pairs is drawn by `random`.
[[nodiscard]] std::vector<Side> interleaved_order(int processes, std::mt19937_64& random);

// The members of Measurement of this name, for both sides; see there for what they throw. Messages
// of the suite before begin with `name_before`.
class Interleaved {
 public:
  // On the device of `holder`, if there is one, which must outlive it. Throws Error (no verdict)
  // where the filter matches no benchmark of the suite before.
  Interleaved(RunOptions before, const std::string& name_before, RunOptions after,
              std::uint64_t seed, const Measurement* holder = nullptr);
  Interleaved(const Interleaved&) = delete;
  Interleaved& operator=(const Interleaved&) = delete;

  void observe_all();
  // … of which only these are timed.
  void observe_all(const std::set<std::string>& timed);
  void look();
  void count_lines(const std::set<std::string>& ids);
  void leave_untimed(const std::map<std::string, std::string>& reasons);
  void time_again(const std::set<std::string>& ids, int processes);
  [[nodiscard]] bool has_clock() const { return before_.has_clock() && after_.has_clock(); }
  [[nodiscard]] bool has_sentinel() const {
    return before_.has_sentinel() && after_.has_sentinel();
  }
  [[nodiscard]] results::RunRecord before() const { return before_.result(); }
  [[nodiscard]] results::RunRecord after() const { return after_.result(); }

  // In which the processes that timed were started, A of the one before and B of the other:
  // "ABBABAAB". Empty: nothing was timed.
  [[nodiscard]] const std::string& order() const { return order_; }

 private:
  [[nodiscard]] RunOptions as_one_of_both(RunOptions options);

  std::string name_before_;
  int processes_;
  std::mt19937_64 random_;
  std::string order_;
  std::size_t process_ = 0;  // of this round
  std::size_t of_processes_ = 0;
  std::chrono::steady_clock::time_point start_;
  Measurement after_;  // holds the device, unless another one does
  Measurement before_;
};

}  // namespace warpgauge::ci
