// SPDX-License-Identifier: Apache-2.0
// The museum's suite: each exhibit's input, its least work and its reference. All of this is the
// same before, after and in the twins; only the kernels in exhibits/ are built in another way.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"
#include "tests/museum/exhibits/exhibits.hpp"

namespace {

using namespace warpgauge;

// Size: n, a square and a multiple of 65536.
template <class In, class Out>
class Exhibit : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = static_cast<unsigned>(size[0]);
    in_ = random_buffer<In>(elements_in(), seed());
    out_ = DeviceBuffer<Out>(elements_out());
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>(in_.size() * sizeof(In)),
            .bytes_written = static_cast<double>(out_.size() * sizeof(Out))};
  }

  void poison_result() override { out_.poison(); }

 protected:
  [[nodiscard]] virtual std::size_t elements_in() const { return n_; }
  [[nodiscard]] virtual std::size_t elements_out() const { return n_; }

  [[nodiscard]] In in(std::size_t i) const { return random_element<In>(i, seed()); }

  unsigned n_ = 0;
  DeviceBuffer<In> in_;
  DeviceBuffer<Out> out_;
};

using Floats = Exhibit<float, float>;
constexpr Tolerance kRounded{.relative = 1e-4};

// 4·n bytes.
class VectorLoads : public Exhibit<unsigned char, unsigned char> {
  std::size_t elements_in() const override { return std::size_t{4} * n_; }
  std::size_t elements_out() const override { return std::size_t{4} * n_; }
  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t i) { return in(i) ^ 0x5a; }, Tolerance{}, coverage);
  }
};

class Spills : public Floats {
  std::size_t elements_out() const override { return n_ / museum::kSpillRows; }
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          double sum = 0;
          for (unsigned row = museum::kSpillRows; row-- > 0;)
            sum = sum * 0.5 + in(std::size_t{row} * out_.size() + i);
          return sum;
        },
        kRounded, coverage);
  }
};

// Rows of 4095 columns, in tiles of 100.
class Position : public Floats {
 protected:
  static constexpr unsigned kColumns = 4095;
  static constexpr unsigned kTile = 100;
  [[nodiscard]] unsigned rows() const { return n_ / (kColumns + 1); }

 private:
  std::size_t elements_in() const override { return std::size_t{rows()} * kColumns; }
  std::size_t elements_out() const override { return elements_in(); }
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          const std::size_t column = i % kColumns;
          const std::size_t first = column / kTile * kTile;
          const std::size_t length = std::min<std::size_t>(kTile, kColumns - first);
          return in(i - column + first + (length - 1 - (column - first)));
        },
        Tolerance{}, coverage);
  }
};

// Planes of 256 by 256.
class IndexType : public Floats {
 protected:
  static constexpr unsigned kSide = 256;
  [[nodiscard]] unsigned planes() const { return n_ / (kSide * kSide); }

 private:
  Check check(Coverage coverage) const override {
    const std::vector<float> cells = in_.to_host(0, n_);
    const auto cell = [&](std::size_t z, std::size_t y, std::size_t x) -> double {
      if (z == 0 || y == 0 || x == 0 || z > planes() || y > kSide || x > kSide) return 0;
      return cells[((z - 1) * kSide + (y - 1)) * kSide + (x - 1)];
    };
    return compare(
        out_,
        [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 27; ++k)
            sum +=
                cell(i / (kSide * kSide) + k / 9, i / kSide % kSide + k / 3 % 3, i % kSide + k % 3);
          return sum;
        },
        kRounded, coverage);
  }
};

class Occupancy : public Exhibit<unsigned, unsigned> {
  std::size_t elements_in() const override { return n_ / 16; }
  std::size_t elements_out() const override { return n_ / 16; }
  Check check(Coverage coverage) const override {
    std::vector<unsigned> table(museum::kTable);
    for (unsigned k = 0; k < museum::kTable; ++k)
      table[k] = (in(k) & ~31U) % museum::kTable + k % 32;
    return compare(
        out_,
        [&](std::size_t i) {
          unsigned at = static_cast<unsigned>(i) % museum::kTable;
          for (unsigned hop = 0; hop < museum::kHops; ++hop) at = table[at];
          return at;
        },
        Tolerance{}, coverage);
  }
};

class Padding : public Floats {
 protected:
  [[nodiscard]] unsigned side() const { return static_cast<unsigned>(std::lround(std::sqrt(n_))); }

 private:
  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t i) { return in(i % side() * side() + i / side()); }, Tolerance{},
        coverage);
  }
};

// n/8 elements in rings of 256.
class Barrier : public Floats {
  std::size_t elements_in() const override { return n_ / 8; }
  std::size_t elements_out() const override { return n_ / 8; }
  Check check(Coverage coverage) const override {
    constexpr std::size_t kRing = 256;
    std::size_t held = n_;  // the ring that `ring` is of; none yet
    std::vector<double> ring(kRing);
    return compare(
        out_,
        [this, held, ring](std::size_t i) mutable {
          if (held != i / kRing) {
            held = i / kRing;
            for (std::size_t k = 0; k < kRing; ++k) ring[k] = in(held * kRing + k);
            for (unsigned step = 0; step < museum::kBarrierSteps; ++step) {
              const std::vector<double> now = ring;
              for (std::size_t k = 0; k < kRing; ++k)
                ring[k] = (now[(k + kRing - 1) % kRing] + now[k] + now[(k + 1) % kRing]) / 3;
            }
          }
          return ring[i % kRing];
        },
        kRounded, coverage);
  }
};

class Flag : public Floats {
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          const double x = in(i);
          double sum = 0;
          double factor = 1;
          for (unsigned k = 0; k < museum::kTerms; ++k) {
            sum += factor * x;
            factor = factor / 2 + x * 0x1p-20;
          }
          return sum;
        },
        kRounded, coverage);
  }
};

class Aliasing : public Floats {
 public:
  void prepare(const Sizes& size) override {
    Floats::prepare(size);
    weights_ = random_buffer<float>(museum::kWeights, seed() + 1);
  }

 protected:
  DeviceBuffer<float> weights_;

 private:
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          double sum = 0;
          for (unsigned w = museum::kWeights; w-- > 0;)
            sum = sum * in(i) + random_element<float>(w, seed() + 1);
          return sum;
        },
        kRounded, coverage);
  }
};

class Divergence : public Floats {
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          const float x = in(i);
          const double y = x < 0.5F ? x : 1 - x;
          double sum = 0;
          for (unsigned k = 0; k < museum::kTerms; ++k) sum = sum * y + 0.5;
          return sum;
        },
        kRounded, coverage);
  }
};

class Atomics : public Floats {
 public:
  void prepare(const Sizes& size) override {
    Floats::prepare(size);
    in_ = whole_number_buffer<float>(n_, 2, seed());  // whose sums are exact
  }

 private:
  std::size_t elements_out() const override { return museum::kSums; }
  Check check(Coverage coverage) const override {
    const std::vector<float> all = in_.to_host(0, n_);
    std::vector<double> sums(museum::kSums);
    for (std::size_t i = 0; i < n_; ++i) sums[i / (n_ / museum::kSums)] += all[i];
    return compare(
        out_, [&](std::size_t i) { return sums[i]; }, Tolerance{}, coverage);
  }
};

class Literal : public Floats {
  std::size_t elements_out() const override { return n_ / 16; }
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 16; ++k) {
            const double value = in(i / 256 * 4096 + k * 256 + i % 256);
            sum += value < 0.5 ? value : 0;
          }
          return sum;
        },
        kRounded, coverage);
  }
};

class CompareAndSwap : public Exhibit<unsigned, float> {
  std::size_t elements_in() const override { return n_ / 4; }
  std::size_t elements_out() const override { return museum::kBins; }
  Check check(Coverage coverage) const override {
    const std::vector<unsigned> all = in_.to_host(0, in_.size());
    std::vector<double> bins(museum::kBins);
    for (const unsigned each : all) bins[each % museum::kBins] -= 1;
    return compare(
        out_, [&](std::size_t i) { return bins[i]; }, Tolerance{}, coverage);
  }
};

VARIANT_OF(Museum, vector_loads, VectorLoads) {
  museum::vector_loads(in_.data(), out_.data(), in_.size());
}
VARIANT_OF(Museum, spills, Spills) {
  museum::spills(in_.data(), out_.data(), n_ / museum::kSpillRows);
}
VARIANT_OF(Museum, position, Position) {
  museum::position(in_.data(), out_.data(), rows(), kColumns, kTile);
}
VARIANT_OF(Museum, index_type, IndexType) {
  museum::index_type(in_.data(), out_.data(), planes(), kSide, kSide);
}
VARIANT_OF(Museum, occupancy, Occupancy) { museum::occupancy(in_.data(), out_.data(), n_ / 16, 0); }
VARIANT_OF(Museum, padding, Padding) { museum::padding(in_.data(), out_.data(), side()); }
VARIANT_OF(Museum, barrier, Barrier) { museum::barrier(in_.data(), out_.data(), n_ / 8); }
VARIANT_OF(Museum, flag, Flag) { museum::flag(in_.data(), out_.data(), n_); }
VARIANT_OF(Museum, aliasing, Aliasing) {
  museum::aliasing(in_.data(), weights_.data(), out_.data(), n_);
}
VARIANT_OF(Museum, divergence, Divergence) { museum::divergence(in_.data(), out_.data(), n_); }
VARIANT_OF(Museum, atomics, Atomics) { museum::atomics(in_.data(), out_.data(), n_); }
VARIANT_OF(Museum, literal, Literal) { museum::literal(in_.data(), out_.data(), n_); }
VARIANT_OF(Museum, compare_and_swap, CompareAndSwap) {
  museum::compare_and_swap(in_.data(), out_.data(), n_ / 4);
}

SIZES(Museum, .emulated = {{65536}}, .gpu = {{16777216}})

}  // namespace
