// SPDX-License-Identifier: Apache-2.0
// How a family of kernels is put under Google Benchmark. All that a file in benchmarks/ needs:
//
//   class Transpose : public KernelFixture { prepare, work, check };
//   VARIANT(Transpose, naive) { launch(transpose_naive, grid(), block(), …); }
//   SIZES(Transpose, .emulated = {{256, 192}}, .gpu = {{4096, 4096}});
//
// The benchmark is then known as transpose/naive/256x192.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/backend.hpp"
#include "profiling/check.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge {

using results::Work;

// Extents of a problem, one a dimension, in the order in which the id shows them.
using Sizes = std::vector<std::size_t>;

// The sizes at which a family is measured, by kind of device.
struct SuiteSizes {
  std::vector<Sizes> emulated;
  std::vector<Sizes> gpu;
};

class Journal;

// What a process was started to do; outlives every fixture.
struct Session {
  Backend& backend;
  results::Pass pass;
  Journal& journal;
};

// Base of every family. One object measures one benchmark once.
class KernelFixture : public benchmark::Fixture {
 public:
  // Puts the input, made from a fixed seed, and a poisoned output on the device.
  virtual void prepare(const Sizes& size) = 0;

  // The least work that the problem needs. Asked after prepare().
  [[nodiscard]] virtual Work work() const = 0;

  // Compares the device's output with a reference made on the CPU. Asked after the last launch;
  // nothing that was measured counts unless it passes.
  [[nodiscard]] virtual Check check() const = 0;

  // Called by the registry before Run().
  void bind(const Session& session, std::string id, Sizes size);

 protected:
  // Enqueues the variant's kernels once; the body of VARIANT.
  virtual void run_variant() = 0;

  void BenchmarkCase(benchmark::State& state) override;

 private:
  void observe(benchmark::State& state, results::Record& record);

  const Session* session_ = nullptr;
  std::string id_;
  Sizes size_;
};

namespace detail {
using MakeFixture = std::function<std::unique_ptr<KernelFixture>()>;
bool add_variant(const char* family, const char* variant, MakeFixture make);
bool add_sizes(const char* family, SuiteSizes sizes);
}  // namespace detail

}  // namespace warpgauge

// One kernel of a family; the body that follows enqueues it once.
#define VARIANT(Family, variant) VARIANT_OF(Family, variant, Family)

// The same for a variant that differs in more than its kernel: Base is derived from Family.
#define VARIANT_OF(Family, variant, Base)                                                    \
  namespace {                                                                                \
  class Family##_##variant final : public Base {                                             \
    void run_variant() override;                                                             \
  };                                                                                         \
  [[maybe_unused]] const bool Family##_##variant##_added = ::warpgauge::detail::add_variant( \
      #Family, #variant, [] { return std::make_unique<Family##_##variant>(); });             \
  }                                                                                          \
  void Family##_##variant::run_variant()

// The sizes of a family, as designated members of SuiteSizes.
#define SIZES(Family, ...)                                                           \
  namespace {                                                                        \
  [[maybe_unused]] const bool Family##_sizes_added =                                 \
      ::warpgauge::detail::add_sizes(#Family, ::warpgauge::SuiteSizes{__VA_ARGS__}); \
  }
