// SPDX-License-Identifier: Apache-2.0
// Floors that recorded sessions ask for, as a policy writes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/gate/calibrate.hpp"
#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// By which identical code gets a verdict, and raises no alarm: one for all benchmarks, that suits
// three of four, and one each for those that ask for more. They name the clock and the device of
// the sessions, and of a program its command, so that they hold for no other; absolute floor and
// resolution stay the policy's. No relative floor is below 0.5 %: a few sessions do not show how
// far a machine drifts in months. Of one session of ours, floors of two that are apart stay the
// policy's too; of one of a program none is below the policy's.
//
// Throws as calibrate().
[[nodiscard]] std::vector<Policy::Floor> floors_of(const std::vector<results::Results>& sessions,
                                                   const Policy& policy,
                                                   CalibrationOptions options);

// The same of one session, on a device of which the policy has no floors of its own, which for a
// program are those that name the device or its command. Empty where it has some, and of a program
// that needs no more than what the policy says of all.
//
// Throws as calibrate().
[[nodiscard]] std::vector<Policy::Floor> floors_of_new_device(const results::Results& session,
                                                              const Policy& policy, Effort effort);

// What to do with the floors that these results ask for: "append them to the policy", or how to
// make a file of the built-in one.
[[nodiscard]] std::string how_to_take_floors(const Policy& policy,
                                             const std::filesystem::path& results);

// The policy's text without its [[floor]] tables of the same clock, devices and command, each from
// its head to the next blank line or table. Throws as parse_policy().
[[nodiscard]] std::string without_floors_like(const Policy::Floor& floor, const std::string& text);

// [[floor]] tables, to be appended to a policy.
[[nodiscard]] std::string floors_toml(const std::vector<Policy::Floor>& floors);

}  // namespace warpgauge::ci
