// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/busy.hpp"

#include <algorithm>

namespace warpgauge::launches {

void Busy::add(std::uint64_t start_ns, std::uint64_t end_ns, bool waits) {
  if (launches_ == 0) first_ns_ = last_ns_ = start_ns;
  ++launches_;
  if (!waits) gpu_ns_ += end_ns - start_ns;
  if (start_ns < first_ns_) {
    const std::uint64_t to = std::min(end_ns, first_ns_);
    busy_ns_ += to - start_ns;
    if (to < first_ns_) insert(0, {to, first_ns_});
    first_ns_ = start_ns;
    start_ns = to;
  }
  fill(start_ns, end_ns);
  if (start_ns > last_ns_) insert(gaps_.size(), {last_ns_, start_ns});
  const std::uint64_t from = std::max(start_ns, last_ns_);
  if (end_ns > from) busy_ns_ += end_ns - from;
  last_ns_ = std::max(last_ns_, end_ns);
}

// What of it nothing was known to run in.
void Busy::fill(std::uint64_t start_ns, std::uint64_t end_ns) {
  if (start_ns >= end_ns) return;
  const auto past =
      std::lower_bound(gaps_.begin(), gaps_.end(), end_ns,
                       [](const Gap& gap, std::uint64_t ns) { return gap.from_ns < ns; });
  for (auto i = static_cast<std::size_t>(past - gaps_.begin());
       i > 0 && gaps_[i - 1].to_ns > start_ns; --i) {
    Gap& gap = gaps_[i - 1];
    const std::uint64_t from = std::max(start_ns, gap.from_ns);
    const std::uint64_t to = std::min(end_ns, gap.to_ns);
    busy_ns_ += to - from;
    if (gap.from_ns < from) {  // those before end before it begins
      const Gap rest{to, gap.to_ns};
      gap.to_ns = from;
      if (rest.from_ns < rest.to_ns) insert(i, rest);
      return;
    }
    if (to < gap.to_ns) {
      gap.from_ns = to;
    } else {
      gaps_.erase(gaps_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
  }
}

void Busy::insert(std::size_t before, Gap gap) {
  gaps_.insert(gaps_.begin() + static_cast<std::ptrdiff_t>(before), gap);
  // Half at a time, so that leaving out the oldest costs little.
  if (gaps_.size() > most_gaps_) {
    gaps_.erase(gaps_.begin(), gaps_.begin() + static_cast<std::ptrdiff_t>(most_gaps_ / 2 + 1));
  }
}

}  // namespace warpgauge::launches
