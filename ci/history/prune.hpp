// SPDX-License-Identifier: Apache-2.0
// Takes old runs out of a history, and gives back the room that they took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct PruneRequest {
  std::vector<std::string> device_keys;
  std::size_t keep = 1;                  // newest runs of each device, as measured
  std::optional<std::int64_t> measured;  // seconds since 1970; only what was measured before goes
};

struct Pruned {
  std::size_t removed = 0;
  std::size_t kept = 0;
};

// By device. All of it happens in one transaction; then the database is vacuumed. Throws Error (not
// measured) with the database's words, as History's members do.
std::map<std::string, Pruned> prune_history(const std::string& where, const PruneRequest& request);

}  // namespace warpgauge::ci
