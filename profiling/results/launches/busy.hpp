// SPDX-License-Identifier: Apache-2.0
// Several kernels as one: how long they took, and how long at least one ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgauge::launches {

class Busy {
 public:
  // most_gaps: of the times in which nothing ran, so many of the last may still be filled by
  // kernels that come later than they ran, as those of another GPU do.
  explicit Busy(std::size_t most_gaps) : most_gaps_(most_gaps) {}

  // waits: for others, so that what it takes is not of its own.
  void add(std::uint64_t start_ns, std::uint64_t end_ns, bool waits = false);

  [[nodiscard]] std::uint64_t launches() const { return launches_; }
  [[nodiscard]] std::uint64_t gpu_ns() const {
    return gpu_ns_;
  }  // of all that do not wait together
  [[nodiscard]] std::uint64_t busy_ns() const { return busy_ns_; }  // in which at least one ran
  [[nodiscard]] std::uint64_t span_ns() const { return last_ns_ - first_ns_; }

 private:
  struct Gap {
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = 0;
  };

  void fill(std::uint64_t start_ns, std::uint64_t end_ns);
  void insert(std::size_t before, Gap gap);

  std::size_t most_gaps_;
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t busy_ns_ = 0;
  std::uint64_t gpu_ns_ = 0;
  std::uint64_t launches_ = 0;
  std::vector<Gap> gaps_;  // in their order, between first_ns_ and last_ns_
};

}  // namespace warpgauge::launches
