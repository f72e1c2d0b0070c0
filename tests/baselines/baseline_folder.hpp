// SPDX-License-Identifier: Apache-2.0
// What the tests of approving share: a folder of baselines, and sessions to approve.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {

inline constexpr const char* kNow = "2026-11-22T00:00:00Z";

inline ApprovalRequest request(std::vector<results::Results> sessions,
                               std::vector<std::string> remove = {}) {
  ApprovalRequest request;
  request.sessions = std::move(sessions);
  request.remove = std::move(remove);
  request.by = "Ada <ada@example.org>";
  request.reason = "faster";
  request.now = kNow;
  return request;
}

class BaselineFolder : public InFolder {
 protected:
  Approval approve(const ApprovalRequest& request) {
    return ci::approve(request, folder_, built_in_policy());
  }
  Approval approve(const std::vector<results::Results>& sessions,
                   const std::vector<std::string>& remove = {}) {
    return approve(request(sessions, remove));
  }

  // The message, when the emulator's transposes are read with this in place of that.
  [[nodiscard]] std::string error_of_damaged(const std::string& good, const std::string& bad) {
    const auto path = folder_ / "emulated" / "transpose.json";
    std::string text = results::read_file(path);
    const std::size_t place = text.find(good);
    EXPECT_NE(place, text.npos) << text;
    if (place == text.npos) return "";
    text.replace(place, good.size(), bad);
    results::write_file_atomically(path, text);
    try {
      (void)read_baseline(folder_, "emulated");
    } catch (const results::FormatError& error) {
      return error.what();
    }
    return "accepted";
  }

  // The message, when nothing was changed.
  [[nodiscard]] std::string error_of(const std::vector<results::Results>& sessions,
                                     const std::vector<std::string>& remove = {}) {
    return error_of(request(sessions, remove));
  }
  [[nodiscard]] std::string error_of(const ApprovalRequest& request) {
    const auto before = all_files();
    std::string message = "accepted";
    try {
      (void)approve(request);
    } catch (const Error& error) {
      status_ = error.exit_status();
      message = error.what();
      EXPECT_EQ(all_files(), before);
    }
    return message;
  }

  [[nodiscard]] std::vector<std::vector<double>> times(const std::string& id) const {
    const auto baseline = read_baseline(folder_, "nvidia-h200");
    for (const auto& benchmark : baseline->benchmarks) {
      if (benchmark.id == id) return benchmark.metrics.at("time").sessions;
    }
    return {};
  }

  int status_ = 0;  // of the last error
};

inline Measured padded(std::vector<double> times = {}, double wavefronts = 8) {
  return {.id = "transpose/padded/8x8",
          .times_ns = std::move(times),
          .counters = {{"shared_load_wavefronts", wavefronts},
                       {"shared_load_requests", 8},
                       {"shared_load_ideal_wavefronts", 8}},
          .lines = {source_line(31, results::Access::shared_load, 8, 8, "out = tile[x];")}};
}

// Times as of a kernel of 10 µs, a little apart by session and process.
inline std::vector<double> steady(double factor, int session) {
  const double time = factor * 10'000 * (1 + 0.001 * (session % 3));
  return {time, time + 5, time + 11, time + 3, time + 8};
}

inline std::string hour(int session) {
  return "2026-11-21T" + std::string(session < 10 ? "0" : "") + std::to_string(session) + ":00:00Z";
}

inline results::Results session(int number, double factor = 1,
                                const std::string& driver = "580.1") {
  results::Device device = h200();
  device.uuid = "GPU-" + std::to_string(number % 4);
  device.driver = driver;
  return results_of(
      device,
      {padded(steady(factor, number)), {.id = "scan/x/1", .times_ns = steady(1, number + 1)}},
      hour(number));
}

inline std::vector<results::Results> sessions(int from, int to) {
  std::vector<results::Results> all;
  for (int i = from; i < to; ++i) all.push_back(session(i));
  return all;
}

}  // namespace warpgauge::ci
