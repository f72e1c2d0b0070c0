// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/shards.hpp"

#define XXH_INLINE_ALL  // `warpgauge` starts on machines that lack the library
#include <fmt/format.h>
#include <xxhash.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ci/support/errors.hpp"
#include "profiling/results/session.hpp"

namespace warpgauge::ci {
namespace {

using results::kMostShards;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

ShardOf shard_from(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string_view whole = text;
  if (slash != text.npos) {
    const auto index = number(whole.substr(0, slash));
    const auto count = number(whole.substr(slash + 1));
    if (index && count && *index >= 1 && *index <= *count && *count <= kMostShards) {
      return {*index, *count};
    }
  }
  throw Error(kExitUsage, fmt::format("--shard {}: is not I/N with I from 1 to N and N at most {}, "
                                      "as in 3/8",
                                      text, kMostShards));
}

int shard_of(const std::string& id, int count) {
  int best = 1;
  std::uint64_t most = 0;
  for (int shard = 1; shard <= count; ++shard) {
    const std::uint64_t weight = XXH64(id.data(), id.size(), static_cast<std::uint64_t>(shard));
    if (shard == 1 || weight > most) {
      most = weight;
      best = shard;
    }
  }
  return best;
}

}  // namespace warpgauge::ci
