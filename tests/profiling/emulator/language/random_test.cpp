// SPDX-License-Identifier: Apache-2.0
// cuRAND's names: which numbers, how they are distributed, and what is an error.
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

using warpgauge_emulator::philox;

// Of the authors' known answers (Random123, kat_vectors).
TEST(Philox, GivesTheAuthorsKnownAnswers) {
  const auto expect = [](warpgauge_emulator::RandomWords found,
                         const std::vector<std::uint32_t>& words) {
    EXPECT_EQ((std::vector{found.x, found.y, found.z, found.w}), words);
  };
  expect(philox({0, 0, 0, 0}, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect(philox({~0U, ~0U, ~0U, ~0U}, ~std::uint64_t{0}),
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

template <class State>
__global__ void start(State* states, unsigned long long offset) {
  curand_init(7, blockIdx.x * blockDim.x + threadIdx.x, offset,
              &states[blockIdx.x * blockDim.x + threadIdx.x]);
}

template <class State>
__global__ void draw_words(State* states, unsigned* out, int each) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  State state = states[thread];
  for (int i = 0; i < each; ++i) out[thread * each + i] = curand(&state);
  states[thread] = state;
}

template <class State>
class RandomStates : public testing::Test {
 protected:
  static constexpr int kThreads = 4;

  void start_at(unsigned long long offset) {
    EXPECT_EQ(join(run(start<State>, dim3(1), dim3(kThreads), states_.data(), offset).errors), "");
  }
  std::vector<unsigned> words(int each) {
    DeviceBuffer<unsigned> out(static_cast<std::size_t>(kThreads) * each);
    EXPECT_EQ(join(run(draw_words<State>, dim3(1), dim3(kThreads), states_.data(), out.data(), each)
                       .errors),
              "");
    return out.to_host();
  }

  DeviceBuffer<State> states_{kThreads};
};

using States = testing::Types<curandState, curandStatePhilox4_32_10_t, curandStateMRG32k3a>;
TYPED_TEST_SUITE(RandomStates, States);

TYPED_TEST(RandomStates, GoOnWhereTheyWereAndBeginWhereTheyAreTold) {
  this->start_at(0);
  const auto first = this->words(6);
  const auto second = this->words(2);
  for (int thread = 1; thread < this->kThreads; ++thread) {
    EXPECT_NE(first[thread * 6], first[0]) << "each thread has a sequence of its own";
  }
  this->start_at(6);
  EXPECT_EQ(this->words(2), second);
  this->start_at(0);
  EXPECT_EQ(this->words(6), first) << "the same seed";
}

__global__ void draw_before_start(curandState* states, unsigned* out) {
  out[threadIdx.x] = curand(&states[threadIdx.x]);  // too early
}

TEST(RandomStates, MustBeStarted) {
  curandState* states = nullptr;
  ASSERT_EQ(cudaMalloc(&states, sizeof *states), cudaSuccess);
  const DeviceBuffer<unsigned> out(1);
  const auto errors = run(draw_before_start, dim3(1), dim3(1), states, out.data()).errors;
  EXPECT_EQ(cudaFree(states), cudaSuccess);
  ASSERT_FALSE(errors.empty());
  EXPECT_NE(errors.front().find("nothing has written"), std::string::npos) << errors.front();
}

constexpr int kEach = 400;

__global__ void draw_each_kind(curandState* states, float* uniform, double* normal, float* logs,
                               unsigned* counts) {
  curandState* state = &states[threadIdx.x];
  for (int i = 0; i < kEach; ++i) {
    const unsigned at = threadIdx.x * kEach + i;
    uniform[at] = curand_uniform(state);
    normal[at] = i % 2 == 0 ? curand_normal_double(state) : curand_normal(state);
    logs[at] = curand_log_normal(state, 1.0F, 0.5F);
    counts[at] = curand_poisson(state, 70);
  }
}

// Mean and variance. Seeds are fixed, so what is seen is seen always.
template <class T>
std::pair<double, double> moments(const std::vector<T>& values) {
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const T value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / count};
}

template <class T>
void expect_moments(const std::vector<T>& values, double mean, double variance) {
  const auto [found_mean, found_variance] = moments(values);
  const double count = static_cast<double>(values.size());
  EXPECT_NEAR(found_mean, mean, 4 * std::sqrt(variance / count));
  EXPECT_NEAR(found_variance, variance, 0.05 * variance);
}

void expect_uniform(const std::vector<float>& values) {
  expect_moments(values, 0.5, 1.0 / 12);
  for (const float value : values) ASSERT_TRUE(value > 0 && value <= 1) << value;
}

TEST(RandomStates, GiveTheDistributionsThatAreAskedFor) {
  constexpr int kThreads = 64;
  const DeviceBuffer<curandState> states(kThreads);
  run(start<curandState>, dim3(1), dim3(kThreads), states.data(), 0ULL);
  const DeviceBuffer<float> uniform(kThreads * kEach);
  const DeviceBuffer<double> normal(kThreads * kEach);
  const DeviceBuffer<float> logs(kThreads * kEach);
  const DeviceBuffer<unsigned> counts(kThreads * kEach);
  EXPECT_EQ(join(run(draw_each_kind, dim3(1), dim3(kThreads), states.data(), uniform.data(),
                     normal.data(), logs.data(), counts.data())
                     .errors),
            "");
  expect_uniform(uniform.to_host());
  expect_moments(normal.to_host(), 0, 1);
  auto values = logs.to_host();
  for (float& value : values) value = std::log(value);
  expect_moments(values, 1, 0.25);
  expect_moments(counts.to_host(), 70, 70);
}

class Generators : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 20'000;

  void SetUp() override {
    ASSERT_EQ(curandCreateGenerator(&generator_, CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(curandCreateGeneratorHost(&of_host_, CURAND_RNG_PSEUDO_DEFAULT),
              CURAND_STATUS_SUCCESS);
    for (const auto generator : {generator_, of_host_}) {
      ASSERT_EQ(curandSetPseudoRandomGeneratorSeed(generator, 11), CURAND_STATUS_SUCCESS);
    }
  }
  void TearDown() override {
    EXPECT_EQ(curandDestroyGenerator(generator_), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandDestroyGenerator(generator_), CURAND_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(curandDestroyGenerator(of_host_), CURAND_STATUS_SUCCESS);
  }

  curandGenerator_t generator_ = nullptr;
  curandGenerator_t of_host_ = nullptr;
};

TEST_F(Generators, GiveTheSameOnHostAndDevice) {
  const DeviceBuffer<float> out(kCount);
  std::vector<float> of_host(kCount);
  EXPECT_EQ(curandGenerateUniform(generator_, out.data(), kCount), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateUniform(of_host_, of_host.data(), kCount), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(out.to_host(), of_host);
  expect_uniform(of_host);
  std::vector<float> next(kCount);
  EXPECT_EQ(curandGenerateUniform(of_host_, next.data(), kCount), CURAND_STATUS_SUCCESS);
  EXPECT_NE(next, of_host);
  EXPECT_EQ(curandSetGeneratorOffset(of_host_, kCount), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateUniform(of_host_, of_host.data(), kCount), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(next, of_host);
}

TEST_F(Generators, GiveTheDistributionsThatAreAskedFor) {
  std::vector<double> values(kCount);
  EXPECT_EQ(curandGenerateNormalDouble(of_host_, values.data(), kCount, 3, 2),
            CURAND_STATUS_SUCCESS);
  expect_moments(values, 3, 4);
  EXPECT_EQ(curandGenerateLogNormalDouble(of_host_, values.data(), kCount, 3, 2),
            CURAND_STATUS_SUCCESS);
  for (double& value : values) value = std::log(value);
  expect_moments(values, 3, 4);
  std::vector<unsigned> counts(kCount);
  EXPECT_EQ(curandGeneratePoisson(of_host_, counts.data(), kCount, 2.5), CURAND_STATUS_SUCCESS);
  expect_moments(counts, 2.5, 2.5);
  EXPECT_EQ(curandGenerateNormalDouble(of_host_, values.data(), 3, 0, 1),
            CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandGenerateUniform(generator_, nullptr, 3), CURAND_STATUS_OUT_OF_RANGE);
}

}  // namespace
}  // namespace warpgauge::emulator
