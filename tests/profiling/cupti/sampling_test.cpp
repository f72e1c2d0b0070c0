// SPDX-License-Identifier: Apache-2.0
// When sampling stops, on a clock of the test's own and on noise of known size.
#include "profiling/cupti/timing/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "profiling/cupti/timing/placement.hpp"
#include "profiling/harness/device_memory.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::cupti {
namespace {

using results::SamplingEnd;

constexpr double kStepNs = 32;

constexpr std::size_t kBatchSize = 15;
constexpr std::size_t kBatchesARound = 9;
constexpr std::size_t kSamplesARound = kBatchSize * kBatchesARound;

// A device whose samples and slowdowns come from a script, and whose clock only sampling moves.
struct Device {
  std::function<double()> duration = [] { return 1000.0; };
  std::vector<bool> slowed = {};  // answers; afterwards: no
  std::size_t batches_a_round = kBatchesARound;
  std::function<double()> of_place = [] { return 0.0; };  // what a place adds
  Seconds now{0};
  std::vector<double> samples = {};
  std::vector<std::size_t> asked_after = {};  // samples

  Sampled sample(const SamplingLimits& limits = {}) {
    const auto take_round = [&] {
      std::vector<Batch> round(batches_a_round);
      for (Batch& batch : round) {
        const double more = of_place();
        while (batch.size() < kBatchSize) batch.push_back(duration() + more);
        samples.insert(samples.end(), batch.begin(), batch.end());
      }
      now += kRound;
      return round;
    };
    const auto is_slowed = [&] {
      asked_after.push_back(samples.size());
      const std::size_t index = asked_after.size() - 1;
      return index < slowed.size() && slowed[index];
    };
    return take_samples(take_round, is_slowed, limits, [&] { return now; });
  }
};

TEST(TakeSamples, StopsAsSoonAsTheFigureIsKnownWell) {
  Device device;
  const Sampled sampled = device.sample();
  EXPECT_EQ(sampled.how.ended_by, SamplingEnd::precision);
  EXPECT_EQ(sampled.how.standard_error_ns, 0);
  EXPECT_EQ(sampled.counts, std::vector<bool>(kSamplesARound, true));
}

TEST(TakeSamples, TakesMoreOfWhatIsNoisier) {
  std::size_t before = 0;
  for (const double noise_ns : {20, 80, 160}) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(2000, noise_ns);
    Device device{.duration = [&] { return normal(random); }};
    EXPECT_EQ(device.sample({.budget = Seconds(60)}).how.ended_by, SamplingEnd::precision);
    EXPECT_GT(device.samples.size(), before) << noise_ns;
    before = device.samples.size();
  }
}

// Samples of one place tell of it alone, so that the error is that of so many places.
TEST(TakeSamples, PlacesThatDifferAskForMorePlaces) {
  std::mt19937 random(7);
  std::normal_distribution<double> place(0, 40);
  Device device{.of_place = [&] { return place(random); }};
  EXPECT_EQ(device.sample({.budget = Seconds(60)}).how.ended_by, SamplingEnd::precision);
  EXPECT_GT(device.samples.size(), kBatchSize * 1'000);  // (40 ns / 1 ns)² places, but for luck
}

TEST(TakeSamples, StopsWhenTheBudgetIsSpent) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(2000, 1000);
  Device device{.duration = [&] { return std::abs(normal(random)); }};
  const Sampled sampled = device.sample({.budget = Seconds(0.1)});
  EXPECT_EQ(sampled.how.ended_by, SamplingEnd::budget);
  EXPECT_GE(device.now.count(), 0.1);
  EXPECT_LT(device.now, Seconds(0.1) + kRound);
  EXPECT_GT(sampled.how.standard_error_ns.value_or(0), SamplingLimits().error_ns);
}

// However long a round takes, there are enough batches to compute an error.
TEST(TakeSamples, AMinimumIsTakenWhateverItCosts) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(5e7, 5e6);
  Device device{.duration = [&] { return normal(random); }, .batches_a_round = 1};
  EXPECT_EQ(device.sample({.budget = Seconds(0)}).how.ended_by, SamplingEnd::budget);
  EXPECT_EQ(device.samples.size(), SamplingLimits().fewest_batches * kBatchSize);
}

TEST(TakeSamples, NothingToTimeEndsIt) {
  Device device{.batches_a_round = 0};
  EXPECT_TRUE(device.sample().counts.empty());
  EXPECT_EQ(device.now, kRound);
}

TEST(TakeSamples, AsksBeforeTheFirstRoundAndAfterEach) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(2000, 1000);
  Device device{.duration = [&] { return std::abs(normal(random)); }};
  static_cast<void>(device.sample({.budget = 3 * kRound}));
  EXPECT_EQ(device.asked_after,
            (std::vector<std::size_t>{0, kSamplesARound, 2 * kSamplesARound, 3 * kSamplesARound}));
}

TEST(TakeSamples, NeitherSideOfASlowdownCountsNorTeachesAnything) {
  Device device{.slowed = {false, true, false}};
  device.duration = [&] { return device.now < 1.5 * kRound ? 9000.0 : 1000.0; };
  const Sampled sampled = device.sample();
  EXPECT_EQ(sampled.counts.size(), 3 * kSamplesARound);
  for (std::size_t i = 0; i < sampled.counts.size(); ++i) {
    EXPECT_EQ(sampled.counts[i], i >= 2 * kSamplesARound) << i;
  }
  EXPECT_EQ(sampled.how.standard_error_ns, 0);
}

TEST(TakeSamples, ASlowdownThatDoesNotEndIsNoEndlessLoop) {
  Device device{.slowed = std::vector<bool>(100'000, true)};
  const Sampled sampled = device.sample();
  EXPECT_EQ(sampled.how.ended_by, SamplingEnd::budget);
  EXPECT_FALSE(sampled.how.standard_error_ns.has_value());
  EXPECT_EQ(sampled.counts, std::vector<bool>(device.samples.size(), false));
}

TEST(BatchSize, LeavesTimeForManyPlaces) {
  EXPECT_EQ(batch_size(Seconds(1e-4), Seconds(1e-3)), 15U);  // few, since places differ
  EXPECT_EQ(batch_size(Seconds(1e-4), Seconds(4e-3)), 20U);  // half as long as moving takes
  EXPECT_EQ(batch_size(Seconds(1e-4), Seconds(1)), 25U);
  EXPECT_EQ(batch_size(Seconds(1e-3), Seconds(0)), 3U);
  EXPECT_EQ(batch_size(Seconds(1), Seconds(1)), 1U);
}

TEST(BatchSize, AnyClockGivesOne) {
  for (const double seconds : {0.0, 1e-300, std::numeric_limits<double>::quiet_NaN()}) {
    const std::size_t size = batch_size(Seconds(seconds), Seconds(seconds));
    EXPECT_GE(size, 6U) << seconds;
    EXPECT_LE(size, 25U) << seconds;
  }
}

TEST(Placement, OfKernelsOfManyMillisecondsStays) {
  const auto relocate = [] {};
  EXPECT_TRUE(Placement(relocate, Seconds(0.004)).moves());
  EXPECT_FALSE(Placement(relocate, Seconds(0.005)).moves());
  EXPECT_FALSE(Placement(nullptr, Seconds(0.004)).moves());
}

TEST(Placement, AMoveWaitsUntilWhatItFreedIsCleared) {
  constexpr std::size_t kFreed = std::size_t{2} << 30;
  Placement placement([] { device_memory().note_freed(kFreed); }, Seconds(1e-4));
  const Seconds start = steady_time();
  placement.move();
  EXPECT_GE(steady_time() - start, clearing_time(kFreed));
  EXPECT_GE(clearing_time(kFreed), Seconds(0.005)) << "an H200 takes 5.0 ms under load";
  EXPECT_EQ(device_memory().take_freed_bytes(), 0U);
  EXPECT_EQ(clearing_time(0), Seconds(0)) << "what comes from the arena goes back to it";
}

TEST(Placement, WaitingForTheDriverIsNoSlowMove) {
  Placement placement([] { device_memory().note_freed(std::size_t{9} << 30); }, Seconds(1e-4));
  for (int i = 0; i < 4; ++i) placement.move();
  EXPECT_TRUE(placement.moves());
  EXPECT_EQ(placement.moved(), 4);
}

TEST(StandardError, IsThatOfTheMeanOfBatches) {
  EXPECT_DOUBLE_EQ(standard_error({1, 2, 3, 4}).value_or(0), std::sqrt(5.0 / 3 / 4));
  EXPECT_FALSE(standard_error({5}).has_value());
}

// What is promised of the figure: over many processes it spreads by what the limits allow, and a
// change far below a timestamp's step shows. Noise and step are those of a 2 µs kernel on an H200.
TEST(TakeSamples, AChangeOfOnePerCentShowsThroughTheStepsOfTheTimestamps) {
  std::mt19937 random(11);
  const auto figures = [&](double duration_ns) {
    std::normal_distribution<double> normal(duration_ns, 100);
    std::uniform_real_distribution<double> phase(0, kStepNs);
    std::vector<double> of_processes;
    for (int process = 0; process < 200; ++process) {
      Device device{.duration = [&] {
        const double start = phase(random);
        return kStepNs * std::floor((start + normal(random)) / kStepNs);
      }};
      static_cast<void>(device.sample());
      of_processes.push_back(results::process_figure(device.samples));
    }
    return of_processes;
  };
  const auto mean = [](const std::vector<double>& values) {
    return results::trimmed_mean(values, 0);
  };
  const auto before = figures(2000);
  const auto after = figures(2020);
  EXPECT_NEAR(mean(after) - mean(before), 20, 2);
  const double spread = standard_error(before).value_or(0) * std::sqrt(200.0);
  EXPECT_LT(spread / mean(before), 0.003);
}

// A clock that the samples move.
struct Settling {
  std::vector<double> durations;  // seconds; then the last one
  Seconds now{0};
  std::size_t runs = 0;

  Seconds warm_up() {
    return cupti::warm_up(
        [&] { now += Seconds(durations[std::min(runs++, durations.size() - 1)]); },
        [&] { return now; });
  }
};

TEST(WarmUp, GoesOnUntilSamplesTakeAsLongAsBefore) {
  Settling steady{.durations = {0.001}};
  EXPECT_NEAR(steady.warm_up().count(), 0.001, 1e-12);
  EXPECT_LE(steady.now, 1.5 * kShortestWarmUp);

  std::vector<double> ramp;
  for (double duration = 0.004; duration > 0.001; duration *= 0.95) ramp.push_back(duration);
  ramp.push_back(0.001);
  Settling settling{.durations = ramp};
  EXPECT_NEAR(settling.warm_up().count(), 0.001, 1e-5);
  EXPECT_GT(settling.runs, ramp.size());
}

TEST(WarmUp, EndsEvenIfNothingSettles) {
  Settling restless{.durations = {}};
  for (int i = 0; i < 10'000; ++i) restless.durations.push_back(0.001 * (i / 5 % 2 + 1));
  static_cast<void>(restless.warm_up());
  EXPECT_GE(restless.now, kLongestWarmUp);
  EXPECT_LE(restless.now, 1.1 * kLongestWarmUp);
}

TEST(WarmUp, RunsASampleThatOutlastsItTwiceOnly) {
  Settling slow{.durations = {1}};
  EXPECT_EQ(slow.warm_up(), Seconds(1));
  EXPECT_EQ(slow.runs, 2U);
}

}  // namespace
}  // namespace warpgauge::cupti
