// SPDX-License-Identifier: Apache-2.0
// Registers a family of kernels with Google Benchmark. A file in benchmarks/ needs nothing else:
//
//   class Transpose : public KernelFixture { prepare, work, check, poison_result };
//   VARIANT(Transpose, naive) { launch(transpose_naive, grid(), block(), …); }
//   SIZES(Transpose, .emulated = {{256, 192}}, .gpu = {{4096, 4096}});
//
// The benchmark's id is then transpose/naive/256x192.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiling/harness/backend.hpp"
#include "profiling/harness/check.hpp"
#include "profiling/harness/random_input.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge {

using results::Work;

// Extents of a problem, one per dimension, in the order in which the id shows them.
using Sizes = std::vector<std::size_t>;

// The sizes at which a family is measured.
struct SuiteSizes {
  std::vector<Sizes> emulated = {};  // by the gate, on the emulator; on a GPU on request
  std::vector<Sizes> gpu = {};       // by the gate, on a GPU
  std::vector<Sizes> large = {};     // on a GPU on request: far larger than its caches
  std::vector<Sizes> tested = {};    // by tests only, on every device: sizes that find bugs
  std::vector<Sizes> huge = {};      // by tests only, on a GPU: more than 2^31 elements
};

// The arguments for which a family's class template is instantiated: element types or tags.
template <class... Case>
struct Cases {};

// The name of a case in ids.
template <class Case>
inline constexpr const char* kCaseName = nullptr;
template <>
inline constexpr const char* kCaseName<float> = "float";
template <>
inline constexpr const char* kCaseName<double> = "double";
template <>
inline constexpr const char* kCaseName<std::int32_t> = "int32";
template <>
inline constexpr const char* kCaseName<std::int64_t> = "int64";

class Journal;

// What this process does with each benchmark; outlives every fixture.
struct Session {
  Backend& backend;
  results::Pass pass;
  Journal& journal;
  bool profile = false;   // run each benchmark once, for a profiler, and measure nothing
  bool hot = false;       // time with the caches as the last launch left them
  bool launches = false;  // launch once, and record how, on what input and what that counts
};

// Base class of every family. One object measures one benchmark once. More objects of the same
// benchmark are made during the measurement: they hold its data at other addresses, or, for a
// launch that is checked, other data from another seed.
class KernelFixture : public benchmark::Fixture {
 public:
  // Allocates the input, made from seed(), and a poisoned output on the device.
  virtual void prepare(const Sizes& size) = 0;

  // The least work that the problem needs. Called after prepare().
  [[nodiscard]] virtual Work work() const = 0;

  // Compares the device's output with a reference made on the CPU. Called after the last launch; if
  // it fails, all measurements are discarded. The counters pass checks in full.
  [[nodiscard]] virtual Check check(Coverage coverage) const = 0;

  // Overwrites with bytes of 0xff everything that the kernels write and check() reads, so that one
  // launch's result cannot pass for the next one's. Called by tests, after prepare().
  virtual void poison_result() = 0;

  // Figures that the fixture measures itself, such as cycles by the kernel's own clock. Called
  // after the check, in the time pass only. Reports show them; they are never gated.
  [[nodiscard]] virtual std::map<std::string, double> figures() { return {}; }

  // Called by the registry before Run(). make: creates another fixture of the same benchmark.
  void bind(const Session& session, std::string id, Sizes size,
            std::function<std::unique_ptr<KernelFixture>()> make);

  // Uses other input than the gate's. Call before prepare().
  void set_seed(std::uint64_t seed) { seed_ = seed; }

  // Enqueues the variant's kernels once. Call after prepare().
  void enqueue() { run_variant(); }

 protected:
  // The seed from which prepare() makes the input.
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  // Enqueues the variant's kernels once; the body of VARIANT.
  virtual void run_variant() = 0;

  void BenchmarkCase(benchmark::State& state) override;

 private:
  void observe(benchmark::State& state, results::Record& record);

  const Session* session_ = nullptr;
  std::string id_;
  Sizes size_;
  std::function<std::unique_ptr<KernelFixture>()> make_;
  std::uint64_t seed_ = kInputSeed;
};

namespace detail {
using MakeFixture = std::function<std::unique_ptr<KernelFixture>()>;
// case_name: of the class template's argument, or nullptr.
bool add_variant(const char* family, const char* case_name, const char* variant, MakeFixture make);
bool add_sizes(const char* family, SuiteSizes sizes);

template <template <class> class Fixture, class... Case>
bool add_variants(const char* family, const char* variant, Cases<Case...>) {
  return (add_variant(family, kCaseName<Case>, variant,
                      [] { return std::make_unique<Fixture<Case>>(); }) &&
          ...);
}
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
      #Family, nullptr, #variant, [] { return std::make_unique<Family##_##variant>(); });    \
  }                                                                                          \
  void Family##_##variant::run_variant()

// The same for a family that is a class template, once for each of its Cases. In the body, Case is
// the template's argument, and members need `this->`. Each case is a family of its own in ids:
// VARIANT_FOR(Reduction, warp_shuffle, Cases<float, double>) adds reduction_float/warp_shuffle and
// reduction_double/warp_shuffle.
#define VARIANT_FOR(Family, variant, ...)                                                      \
  namespace {                                                                                  \
  template <class Case>                                                                        \
  class Family##_##variant final : public Family<Case> {                                       \
    void run_variant() override;                                                               \
  };                                                                                           \
  [[maybe_unused]] const bool Family##_##variant##_added =                                     \
      ::warpgauge::detail::add_variants<Family##_##variant>(#Family, #variant, __VA_ARGS__{}); \
  }                                                                                            \
  template <class Case>                                                                        \
  void Family##_##variant<Case>::run_variant()

// The sizes of a family, in all its cases, as designated members of SuiteSizes.
#define SIZES(Family, ...)                                                           \
  namespace {                                                                        \
  [[maybe_unused]] const bool Family##_sizes_added =                                 \
      ::warpgauge::detail::add_sizes(#Family, ::warpgauge::SuiteSizes{__VA_ARGS__}); \
  }
