// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/series/divergence.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace warpgauge::ci {
namespace {

// Counts and sums of values by rank, for prefixes.
class RankedSums {
 public:
  explicit RankedSums(std::size_t ranks) : nodes_(ranks + 1) {}

  void add(std::size_t rank, double value) {
    for (std::size_t i = rank + 1; i < nodes_.size(); i += i & (~i + 1)) {
      nodes_[i].count += 1;
      nodes_[i].sum += value;
    }
    count_ += 1;
    sum_ += value;
  }

  [[nodiscard]] double sum() const { return sum_; }

  // Sum of the distances from the value of that rank to all that were added.
  [[nodiscard]] double distances(std::size_t rank, double value) const {
    double count = 0;
    double sum = 0;
    for (std::size_t i = rank + 1; i > 0; i -= i & (~i + 1)) {
      count += nodes_[i].count;
      sum += nodes_[i].sum;
    }
    return value * count - sum + (sum_ - sum) - value * (count_ - count);
  }

 private:
  struct Node {
    double count = 0;
    double sum = 0;
  };
  std::vector<Node> nodes_;
  double count_ = 0;
  double sum_ = 0;
};

}  // namespace

std::vector<double> divergences(std::span<const double> values) {
  const std::size_t n = values.size();
  std::vector<double> all(n + 1, 0.0);
  if (n < 4) return all;
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(n);
  for (std::size_t i = 0; i < n; ++i) order.emplace_back(values[i], i);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> rank(n);
  for (std::size_t i = 0; i < n; ++i) rank[order[i].second] = i;
  // Distances do not depend on it, and small sums lose less.
  const double middle = order[n / 2].first;

  // Of each point, the sum of its distances to those before it and to all.
  std::vector<double> to_earlier(n);
  RankedSums earlier(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double value = values[i] - middle;
    to_earlier[i] = earlier.distances(rank[i], value);
    earlier.add(rank[i], value);
  }
  std::vector<double> to_all(n);
  double below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = order[i].first - middle;
    const double above = earlier.sum() - below - value;
    const auto fewer = static_cast<double>(i);
    to_all[order[i].second] =
        value * fewer - below + above - value * (static_cast<double>(n - 1) - fewer);
    below += value;
  }

  // Sums of distances between all pairs of the first k points, and of the last n - k.
  std::vector<double> within_first(n + 1, 0.0);
  std::vector<double> within_last(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) within_first[i + 1] = within_first[i] + to_earlier[i];
  for (std::size_t i = n; i > 0; --i)
    within_last[i - 1] = within_last[i] + to_all[i - 1] - to_earlier[i - 1];
  for (std::size_t split = 2; split + 2 <= n; ++split) {
    const auto before = static_cast<double>(split);
    const auto after = static_cast<double>(n - split);
    const double between = within_first[n] - within_first[split] - within_last[split];
    const double divergence = 2 * between / (before * after) -
                              2 * within_first[split] / (before * (before - 1)) -
                              2 * within_last[split] / (after * (after - 1));
    all[split] = before * after / (before + after) * divergence;
  }
  return all;
}

}  // namespace warpgauge::ci
