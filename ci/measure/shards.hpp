// SPDX-License-Identifier: Apache-2.0
// Which part of a run's benchmarks falls to which of several runs that share it.
#pragma once

#include <string>

namespace warpgauge::ci {

struct ShardOf {
  int index = 1;  // counted from 1
  int count = 1;
};

// "3/8". Throws Error (usage).
[[nodiscard]] ShardOf shard_from(const std::string& text);

// The shard, counted from 1, that a benchmark falls to: by its id alone, so that no other benchmark
// moves it, on every machine alike. Of another count, as few as possible move: rendezvous hashing
// (Thaler & Ravishankar, 1998) with XXH64.
[[nodiscard]] int shard_of(const std::string& id, int count);

}  // namespace warpgauge::ci
