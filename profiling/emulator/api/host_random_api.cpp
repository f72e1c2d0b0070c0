// SPDX-License-Identifier: Apache-2.0
// cuRAND's generators for the host: made here, and copied to where they are wanted.
#include <algorithm>
#include <utility>
#include <vector>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/memory_api.h"
#include "profiling/emulator/include/warpgauge_emulator/host_api/random_api.h"
#include "profiling/emulator/include/warpgauge_emulator/math/philox.h"

namespace warpgauge::emulator {
namespace {

using warpgauge_emulator::normal_of;
using warpgauge_emulator::random_word;
using warpgauge_emulator::uniform_of;

bool exists(curandGenerator_t generator) {
  return device().host().generators.find(generator) != nullptr;
}

curandStatus_t create(curandGenerator_t* generator, bool on_host) {
  if (generator == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
  curandGenerator_st made;
  made.on_host = on_host;
  *generator = device().host().generators.create(made);
  return CURAND_STATUS_SUCCESS;
}

// The words of a generator, one after the other.
class Words {
 public:
  explicit Words(const curandGenerator_st& from) : seed_(from.seed), place_(from.place) {}

  std::uint32_t next() { return random_word(seed_, 0, place_++); }
  void uniform(float& value) { value = uniform_of(next()); }
  void uniform(double& value) {
    const std::uint32_t low = next();
    value = uniform_of(low, next());
  }
  [[nodiscard]] unsigned long long place() const { return place_; }

 private:
  unsigned long long seed_;
  unsigned long long place_;
};

// Fills `count` elements by fill(words, values), in the generator's stream.
template <class T, class Fill>
curandStatus_t generate(curandGenerator_t generator, T* out, std::size_t count, Fill fill) {
  if (!exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (out == nullptr && count > 0) return CURAND_STATUS_OUT_OF_RANGE;
  Words words(*generator);
  std::vector<T> values(count);
  fill(words, values);
  generator->place = words.place();
  if (generator->on_host) {
    std::copy(values.begin(), values.end(), out);
    return CURAND_STATUS_SUCCESS;
  }
  const auto copy = [out, values = std::move(values)] {
    return cudaMemcpy(out, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  };
  return in_stream(generator->stream, cudaGraphNodeTypeMemcpy, copy) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class T>
curandStatus_t generate_uniform(curandGenerator_t generator, T* out, std::size_t count) {
  return generate(generator, out, count, [](Words& words, std::vector<T>& values) {
    for (T& value : values) words.uniform(value);
  });
}

template <class T>
curandStatus_t generate_normal(curandGenerator_t generator, T* out, std::size_t count, T mean,
                               T deviation, bool exponential) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, out, count, [=](Words& words, std::vector<T>& values) {
    for (std::size_t i = 0; i < values.size(); i += 2) {
      T uniform = 0;
      T turn = 0;
      words.uniform(uniform);
      words.uniform(turn);
      const auto pair = normal_of(uniform, turn);
      values[i] = mean + deviation * pair.first;
      values[i + 1] = mean + deviation * pair.second;
    }
    if (!exponential) return;
    for (T& value : values) value = std::exp(value);
  });
}

}  // namespace
}  // namespace warpgauge::emulator

using namespace warpgauge::emulator;

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t) {
  return create(generator, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t) {
  return create(generator, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return device().host().generators.destroy(generator) ? CURAND_STATUS_SUCCESS
                                                       : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (!exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->place = 0;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (!exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->place = offset;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t) {
  return exists(generator) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (!exists(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return exists(generator) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, std::size_t count) {
  return generate(generator, out, count, [](Words& words, std::vector<unsigned>& values) {
    for (unsigned& value : values) value = words.next();
  });
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, std::size_t count) {
  return generate_uniform(generator, out, count);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out,
                                           std::size_t count) {
  return generate_uniform(generator, out, count);
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, std::size_t count,
                                    float mean, float deviation) {
  return generate_normal(generator, out, count, mean, deviation, false);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out,
                                          std::size_t count, double mean, double deviation) {
  return generate_normal(generator, out, count, mean, deviation, false);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, std::size_t count,
                                       float mean, float deviation) {
  return generate_normal(generator, out, count, mean, deviation, true);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out,
                                             std::size_t count, double mean, double deviation) {
  return generate_normal(generator, out, count, mean, deviation, true);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, std::size_t count,
                                     double mean) {
  if (!(mean > 0)) return CURAND_STATUS_OUT_OF_RANGE;
  return generate(generator, out, count, [mean](Words& words, std::vector<unsigned>& values) {
    for (unsigned& value : values) {
      value = warpgauge_emulator::poisson_of(mean, [&words] {
        double uniform = 0;
        words.uniform(uniform);
        return uniform;
      });
    }
  });
}
