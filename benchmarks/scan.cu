// SPDX-License-Identifier: Apache-2.0
#include "kernels/scan.cuh"

#ifdef __CUDACC__
#include <cub/device/device_scan.cuh>

#include "benchmarks/library_rows.hpp"
#endif

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

struct Inclusive;
struct Exclusive;
template <>
inline constexpr const char* warpgauge::kCaseName<Inclusive> = "inclusive";
template <>
inline constexpr const char* warpgauge::kCaseName<Exclusive> = "exclusive";

namespace {

using namespace warpgauge;

// Prefix sums on the host, which wrap around. Keeps the sum at the start of every stretch and adds
// up from there.
class PrefixSums {
 public:
  PrefixSums(std::size_t n, bool inclusive, std::uint64_t seed)
      : inclusive_(inclusive), seed_(seed) {
    const std::size_t stretches = parts_of(n, kStretch);
    before_.resize(stretches + 1);
    std::size_t stretch = 0;
    for (const auto& part : map_parts(stretches, [&](std::size_t begin, std::size_t end) {
           std::vector<std::uint32_t> sums;
           for (std::size_t s = begin; s < end; ++s) sums.push_back(stretch_sum(s, n));
           return sums;
         })) {
      for (const std::uint32_t sum : part) {
        before_[stretch + 1] = before_[stretch] + sum;
        ++stretch;
      }
    }
  }

  // Fast for successive indices.
  [[nodiscard]] int operator()(std::size_t i) {
    if (i != next_) {
      next_ = i / kStretch * kStretch;
      sum_ = before_[i / kStretch];
      while (next_ < i) sum_ += element(next_++);
    }
    const std::uint32_t before = sum_;
    sum_ += element(next_++);
    return static_cast<int>(inclusive_ ? sum_ : before);
  }

 private:
  static constexpr std::size_t kStretch = 1024;

  [[nodiscard]] std::uint32_t element(std::size_t i) const {
    return static_cast<std::uint32_t>(random_element<int>(i, seed_));
  }

  [[nodiscard]] std::uint32_t stretch_sum(std::size_t stretch, std::size_t n) const {
    std::uint32_t sum = 0;
    for (std::size_t i = stretch * kStretch; i < (stretch + 1) * kStretch && i < n; ++i) {
      sum += element(i);
    }
    return sum;
  }

  bool inclusive_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> before_;
  std::size_t next_ = 0;  // whose sum of all before is sum_
  std::uint32_t sum_ = 0;
};

// Size: elements.
template <class Kind>
class Scan : public KernelFixture {
 public:
  static constexpr bool kInclusive = std::is_same_v<Kind, Inclusive>;

  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<int>(n_, seed());
    out_ = DeviceBuffer<int>(n_);
    std::size_t tiles = n_;
    do {
      tiles = parts_of(tiles, kScanTile);
      totals_.emplace_back(tiles);
      offsets_.emplace_back(tiles);
    } while (tiles > 1);
    states_ = DeviceBuffer<LookbackState>(parts_of(n_, kLookbackTile));
    next_tile_ = DeviceBuffer<unsigned>(1);
  }

  Work work() const override {
    const double bytes = static_cast<double>(n_ * sizeof(int));
    return {.bytes_read = bytes, .bytes_written = bytes, .operations = static_cast<double>(n_)};
  }

  // Exact: integers.
  Check check(Coverage coverage) const override {
    return compare(out_, PrefixSums(n_, kInclusive, seed()), Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  // `kernel` scans tiles, `kernel_of_totals` the tiles' totals, exclusively; with `threads` a
  // block.
  template <class Kernel, class KernelOfTotals>
  void scan_tiles(Kernel kernel, KernelOfTotals kernel_of_totals, unsigned threads) {
    launch(kernel, blocks_of(n_), threads, in_.data(), out_.data(), totals_[0].data(), n_);
    std::size_t level = 0;
    for (; totals_[level].size() > 1; ++level) {
      const std::size_t count = totals_[level].size();
      launch(kernel_of_totals, blocks_of(count), threads, totals_[level].data(),
             offsets_[level].data(), totals_[level + 1].data(), count);
    }
    for (; level > 0; --level) {
      // The topmost totals are of one tile, which needs no offset.
      if (level < totals_.size() - 1) add_offsets(offsets_[level - 1], offsets_[level]);
    }
    if (totals_[0].size() > 1) add_offsets(out_, offsets_[0]);
  }

  static unsigned blocks_of(std::size_t count) {
    return static_cast<unsigned>(parts_of(count, kScanTile));
  }

  std::size_t n_ = 0;
  DeviceBuffer<int> in_;
  DeviceBuffer<int> out_;
  DeviceBuffer<LookbackState> states_;
  DeviceBuffer<unsigned> next_tile_;
  DeviceBuffer<unsigned char> library_memory_;

 private:
  static void add_offsets(DeviceBuffer<int>& values, const DeviceBuffer<int>& offsets) {
    launch(scan_add_offsets, blocks_of(values.size()), kScanTile, values.data(), offsets.data(),
           values.size());
  }

  // By level: the totals of the lower level's tiles, and the sums of all totals before each.
  std::vector<DeviceBuffer<int>> totals_;
  std::vector<DeviceBuffer<int>> offsets_;
};

using Kinds = Cases<Inclusive, Exclusive>;

VARIANT_FOR(Scan, hillis_steele, Kinds) {
  this->scan_tiles(scan_hillis_steele<this->kInclusive>, scan_hillis_steele<false>, kScanTile);
}
VARIANT_FOR(Scan, blelloch, Kinds) {
  this->scan_tiles(scan_blelloch<this->kInclusive, false>, scan_blelloch<false, false>,
                   kScanTile / 2);
}
VARIANT_FOR(Scan, blelloch_padded, Kinds) {
  this->scan_tiles(scan_blelloch<this->kInclusive, true>, scan_blelloch<false, true>,
                   kScanTile / 2);
}
VARIANT_FOR(Scan, warp_shuffle, Kinds) {
  this->scan_tiles(scan_warp_shuffle<this->kInclusive>, scan_warp_shuffle<false>, kScanTile);
}
VARIANT_FOR(Scan, lookback, Kinds) {
  constexpr unsigned kClearBlock = 256;
  const std::size_t tiles = this->states_.size();
  launch(scan_lookback_clear, static_cast<unsigned>(parts_of(tiles, kClearBlock)), kClearBlock,
         this->states_.data(), this->next_tile_.data(), tiles);
  launch(scan_lookback<this->kInclusive>, static_cast<unsigned>(tiles), kLookbackBlock,
         this->in_.data(), this->out_.data(), this->states_.data(), this->next_tile_.data(),
         this->n_);
}

#ifdef __CUDACC__
VARIANT_FOR(Scan, cub, Kinds) {
  if (this->n_ == 0) return;
  call_cub(this->library_memory_, [&](void* memory, std::size_t& bytes) {
    const auto n = static_cast<std::int64_t>(this->n_);
    return this->kInclusive ? cub::DeviceScan::InclusiveSum(memory, bytes, this->in_.data(),
                                                            this->out_.data(), n)
                            : cub::DeviceScan::ExclusiveSum(memory, bytes, this->in_.data(),
                                                            this->out_.data(), n);
  });
}
#endif

SIZES(Scan, .emulated = {{4096}, {20000}}, .gpu = {{16777216}}, .large = {{268435456}},
      .tested = {{0},
                 {1},
                 {2},
                 {31},
                 {32},
                 {33},
                 {97},
                 {511},
                 {512},
                 {513},
                 {1009},
                 {4097},
                 {16383},
                 {16384},
                 {16385},
                 {300007}},
      .huge = {{2147483659}})

}  // namespace
