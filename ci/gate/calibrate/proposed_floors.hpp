// SPDX-License-Identifier: Apache-2.0
// The floors that recorded sessions need, as a policy writes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/gate/calibrate/calibrate.hpp"
#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// With them identical code gets a verdict and raises no alarm. One floor is for all benchmarks, and
// suits three of four; those that need more have their own. They name the clock and the device of
// the sessions, and a program's command, so they hold for no other. Absolute floor and resolution
// stay the policy's. No relative floor is below 0.5 %: a few sessions do not show how far a machine
// drifts in months. One session does not show how sessions differ: for a suite the floor between
// sessions then stays the policy's, and for a program no floor is below the policy's.
//
// Throws as calibrate().
[[nodiscard]] std::vector<Policy::Floor> floors_of(const std::vector<results::Results>& sessions,
                                                   const Policy& policy,
                                                   CalibrationOptions options);

// The same from one session, on a device that no floor of the policy names; for a program, that no
// floor of the policy names together with its command. Empty if there is one, or if a program needs
// no more than the policy's floor for all programs.
//
// Throws as calibrate().
[[nodiscard]] std::vector<Policy::Floor> floors_of_new_device(const results::Results& session,
                                                              const Policy& policy, Effort effort);

// The command that adds them to the policy; empty: that is the built-in one, which is no file.
[[nodiscard]] std::string floors_command(const Policy& policy, const std::filesystem::path& floors);

// What to do with the file of floors that these results need: the command that appends it to the
// policy, or the one that makes a file of the built-in policy.
[[nodiscard]] std::string how_to_take_floors(const Policy& policy,
                                             const std::filesystem::path& floors,
                                             const std::filesystem::path& results);

// The policy's text without its [[floor]] tables of the same clock, devices and command, each from
// its head to the next blank line or table. Throws as parse_policy().
[[nodiscard]] std::string without_floors_like(const Policy::Floor& floor, const std::string& text);

// [[floor]] tables, to be appended to a policy.
[[nodiscard]] std::string floors_toml(const std::vector<Policy::Floor>& floors);

}  // namespace warpgauge::ci
