// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces: which element a place names, what is between elements, and what is
// outside. The figures are worked out by hand from the CUDA C++ Programming Guide, "Texture
// Fetching".
#include <cuda_runtime.h>

#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

template <class T>
__global__ void read_plane(cudaTextureObject_t texture, const float2* at, T* out) {
  out[threadIdx.x] = tex2D<T>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}

template <class T>
__global__ void read_line(cudaTextureObject_t texture, const float2* at, T* out) {
  out[threadIdx.x] = tex1D<T>(texture, at[threadIdx.x].x);
}

__global__ void read_words(cudaTextureObject_t texture, int first, int* out) {
  tex1Dfetch(&out[threadIdx.x], texture, first + static_cast<int>(threadIdx.x));
}

__global__ void read_cube(cudaTextureObject_t texture, const float3* at, float* out) {
  const float3 to = at[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(texture, to.x, to.y, to.z);
}

__global__ void read_layers(cudaTextureObject_t texture, int layers, float* out) {
  for (int i = 0; i < layers; ++i) out[i] = tex2DLayered<float>(texture, 1.5F, 0.5F, i);
}

__global__ void read_volume(cudaTextureObject_t texture, float* out) {
  out[0] = tex3D<float>(texture, 1, 1, 1);  // the middle of eight elements
}

__global__ void turn_over(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int by) {
  const int x = static_cast<int>(threadIdx.x);
  const auto value = surf2Dread<float>(from, 4 * x, 0);
  surf2Dwrite(value, to, 4 * (width - 1 - x) + by, 0);
}

// From as many places, and then all that the kernels' heap has, but 2 MiB.
template <int Places>
__global__ void read_at_many_places(cudaTextureObject_t texture, float* sum, int* allocated) {
  float here = 0;
  [&]<int... I>(std::integer_sequence<int, I...>) {
    ((here += tex2D<float>(texture, static_cast<float>(I % 3) + 0.5F, 0.5F)), ...);
  }
  (std::make_integer_sequence<int, Places>());
  sum[blockIdx.x * blockDim.x + threadIdx.x] = here;
  if (blockIdx.x + 1 < gridDim.x || threadIdx.x > 0) return;
  void* memory = malloc(std::size_t{62} << 20);
  *allocated = memory == nullptr ? 0 : 1;
  free(memory);
}

class TextureTest : public testing::Test {
 protected:
  template <class T>
  void fill(const std::vector<T>& values, std::size_t width, std::size_t height) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    ASSERT_EQ(cudaMallocArray(&array_, &format, width, height), cudaSuccess);
    ASSERT_EQ(cudaMemcpy2DToArray(array_, 0, 0, values.data(), width * sizeof(T), width * sizeof(T),
                                  height == 0 ? 1 : height, cudaMemcpyHostToDevice),
              cudaSuccess);
    resource_.resType = cudaResourceTypeArray;
    resource_.res.array.array = array_;
  }

  template <class T>
  std::vector<T> read(void (*kernel)(cudaTextureObject_t, const float2*, T*),
                      const std::vector<float2>& places) {
    cudaTextureObject_t texture = 0;
    EXPECT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr), cudaSuccess);
    const DeviceBuffer<float2> at(places);
    const DeviceBuffer<T> out(places.size());
    observation_ = run(kernel, dim3(1), dim3(static_cast<unsigned>(places.size())), texture,
                       static_cast<const float2*>(at.data()), out.data());
    EXPECT_EQ(join(observation_.errors), "");
    EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
    return out.to_host();
  }

  void set(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized = false) {
    description_ = {};
    for (auto& each : description_.addressMode) each = mode;
    description_.filterMode = filter;
    description_.normalizedCoords = normalized ? 1 : 0;
  }

  void TearDown() override { EXPECT_EQ(cudaFreeArray(array_), cudaSuccess); }

  cudaArray_t array_ = nullptr;
  cudaResourceDesc resource_{};
  cudaTextureDesc description_{};
  Observation observation_;
};

using Floats = std::vector<float>;

TEST_F(TextureTest, NamesTheElementThatAPlaceIsIn) {
  fill(Floats{1, 2, 3, 4, 5, 6}, 3, 2);
  set(cudaAddressModeClamp, cudaFilterModePoint);
  EXPECT_EQ(read(read_plane<float>, {{0, 0}, {0.99F, 1}, {2.5F, 1.5F}, {-5, 9}, {9, -5}}),
            (Floats{1, 4, 6, 4, 3}));
  set(cudaAddressModeBorder, cudaFilterModePoint);
  description_.borderColor[0] = 7;
  EXPECT_EQ(read(read_plane<float>, {{-0.1F, 0}, {2.9F, 1.9F}, {3, 0}}), (Floats{7, 6, 7}));
  set(cudaAddressModeWrap, cudaFilterModePoint, true);
  EXPECT_EQ(read(read_plane<float>, {{0, 0}, {1, 0.5F}, {-0.1F, 0}, {1.4F, 0}}),
            (Floats{1, 4, 3, 2}));
  set(cudaAddressModeMirror, cudaFilterModePoint, true);
  EXPECT_EQ(read(read_plane<float>, {{-0.1F, 0}, {1.1F, 0}, {1.9F, 1.2F}, {2.1F, 0}}),
            (Floats{1, 3, 4, 1}));
}

TEST_F(TextureTest, IsLinearBetweenTheMiddlesOfElements) {
  fill(Floats{0, 8, 16, 80}, 2, 2);
  set(cudaAddressModeClamp, cudaFilterModeLinear);
  EXPECT_EQ(read(read_plane<float>, {{0.5F, 0.5F}, {1, 0.5F}, {1, 1}, {0, 0}, {1.75F, 1.5F}}),
            (Floats{0, 4, 26, 0, 80}));
  // Weights have 8 bits.
  EXPECT_EQ(read(read_plane<float>, {{0.5F + 1 / 512.0F + 0.0001F, 0.5F}, {0.5F + 0.0001F, 0.5F}}),
            (Floats{8 / 256.0F, 0}));
  set(cudaAddressModeBorder, cudaFilterModeLinear);
  EXPECT_EQ(read(read_plane<float>, {{2, 0.5F}}), (Floats{4}));
}

TEST_F(TextureTest, GivesIntegersAsTheyAreOrAsPartsOfTheLargest) {
  fill(std::vector<uchar4>{{0, 51, 102, 255}, {1, 2, 3, 4}}, 2, 0);
  set(cudaAddressModeClamp, cudaFilterModePoint);
  const std::vector<uchar4> whole = read(read_line<uchar4>, {{0, 0}, {1, 0}});
  EXPECT_EQ(whole[0].y, 51);
  EXPECT_EQ(whole[1].w, 4);
  description_.readMode = cudaReadModeNormalizedFloat;
  const std::vector<float4> parts = read(read_line<float4>, {{0, 0}});
  EXPECT_EQ(parts[0].x, 0);
  EXPECT_EQ(parts[0].y, 0.2F);
  EXPECT_EQ(parts[0].z, 0.4F);
  EXPECT_EQ(parts[0].w, 1);
}

TEST_F(TextureTest, ReadsRowsAndWordsOfMemory) {
  const DeviceBuffer<int> words(std::vector<int>{10, 11, 12, 13, 14, 15, 16, 17});
  resource_.resType = cudaResourceTypeLinear;
  resource_.res.linear.devPtr = words.data();
  resource_.res.linear.desc = cudaCreateChannelDesc<int>();
  resource_.res.linear.sizeInBytes = 4 * sizeof(int);
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr), cudaSuccess);
  const DeviceBuffer<int> out(3);
  EXPECT_EQ(join(run(read_words, dim3(1), dim3(3), texture, 2, out.data()).errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<int>{12, 13, 0}));
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);

  resource_.resType = cudaResourceTypePitch2D;
  resource_.res.pitch2D = {words.data(), cudaCreateChannelDesc<int>(), 2, 2, 4 * sizeof(int)};
  set(cudaAddressModeClamp, cudaFilterModePoint);
  EXPECT_EQ(read(read_plane<int>, {{1, 0}, {0, 1}, {5, 5}}), (std::vector<int>{11, 14, 15}));
}

TEST_F(TextureTest, HasLayersFacesAndDepth) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  Floats values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  ASSERT_EQ(cudaMalloc3DArray(&array_, &format, make_cudaExtent(2, 2, 6), cudaArrayCubemap),
            cudaSuccess);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), 2 * sizeof(float), 2, 2);
  copy.dstArray = array_;
  copy.extent = make_cudaExtent(2, 2, 6);
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  resource_.resType = cudaResourceTypeArray;
  resource_.res.array.array = array_;
  set(cudaAddressModeClamp, cudaFilterModePoint);
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr), cudaSuccess);
  const DeviceBuffer<float> out(6);
  run(read_layers, dim3(1), dim3(1), texture, 6, out.data());
  EXPECT_EQ(out.to_host(), (Floats{1, 5, 9, 13, 17, 21}));
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);

  set(cudaAddressModeClamp, cudaFilterModePoint, true);
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr), cudaSuccess);
  // To the right and the top of each face, as one who looks at it from the middle sees them.
  const DeviceBuffer<float3> to(std::vector<float3>{{1, 0.5F, -0.5F},
                                                    {-1, 0.5F, 0.5F},
                                                    {0.5F, 1, -0.5F},
                                                    {0.5F, -1, 0.5F},
                                                    {0.5F, 0.5F, 1},
                                                    {-0.5F, 0.5F, -1}});
  run(read_cube, dim3(1), dim3(6), texture, static_cast<const float3*>(to.data()), out.data());
  EXPECT_EQ(out.to_host(), (Floats{1, 5, 9, 13, 17, 21}));
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);

  set(cudaAddressModeClamp, cudaFilterModeLinear);
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr), cudaSuccess);
  run(read_volume, dim3(1), dim3(1), texture, out.data());
  EXPECT_EQ(out.to_host()[0], 3.5F);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
}

TEST_F(TextureTest, IsWrittenAsASurface) {
  fill(Floats{1, 2, 3}, 3, 1);
  cudaArray_t other = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  ASSERT_EQ(cudaMallocArray(&other, &format, 3, 1, cudaArraySurfaceLoadStore), cudaSuccess);
  cudaSurfaceObject_t from = 0;
  cudaSurfaceObject_t to = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&from, &resource_), cudaSuccess);
  resource_.res.array.array = other;
  ASSERT_EQ(cudaCreateSurfaceObject(&to, &resource_), cudaSuccess);
  const Observation observation = run(turn_over, dim3(1), dim3(3), from, to, 3, 0);
  EXPECT_EQ(join(observation.errors), "");
  Floats values(3);
  EXPECT_EQ(cudaMemcpy2DFromArray(values.data(), 12, other, 0, 0, 12, 1, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(values, (Floats{3, 2, 1}));
  expect_in(run(turn_over, dim3(1), dim3(3), from, to, 3, 4).errors,
            {"access outside of a surface"});
  EXPECT_EQ(cudaFreeArray(other), cudaSuccess);
}

TEST_F(TextureTest, SaysThatNoFigureCountsIt) {
  fill(Floats{1, 2, 3}, 3, 1);
  set(cudaAddressModeClamp, cudaFilterModePoint);
  read(read_plane<float>, {{0, 0}, {1, 0}});
  ASSERT_EQ(observation_.remarks.size(), 1U) << join(observation_.remarks);
  expect_in(observation_.remarks, {"access to a texture or surface, which no figure counts: kernel",
                                   "texture_test.cpp:"});
}

TEST_F(TextureTest, MayBeReadFromManyPlaces) {
  fill(Floats{1, 2, 3}, 3, 1);
  set(cudaAddressModeClamp, cudaFilterModePoint);
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr), cudaSuccess);
  constexpr int kPlaces = 75;
  DeviceBuffer<float> sum(64 * 128);
  const DeviceBuffer<int> allocated(1);
  const Observation observation =
      run(read_at_many_places<kPlaces>, dim3(64), dim3(128), texture, sum.data(), allocated.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.remarks.size(), 1U) << "all places are of one line";
  for (const float value : sum.to_host()) ASSERT_EQ(value, kPlaces * 2.0F);
  EXPECT_EQ(allocated.to_host()[0], 1) << "the heap is the kernel's alone";
}

TEST_F(TextureTest, RefusesWhatItCannotBe) {
  fill(std::vector<int>{1, 2}, 2, 0);
  set(cudaAddressModeClamp, cudaFilterModeLinear);
  cudaTextureObject_t texture = 0;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr),
            cudaErrorInvalidFilterSetting);
  resource_.resType = cudaResourceTypeMipmappedArray;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &resource_, &description_, nullptr),
            cudaErrorNotSupported);
  EXPECT_EQ(cudaMemcpyToArray(array_, 4, 0, &texture, 8, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  const DeviceBuffer<int> out(1);
  expect_in(run(read_words, dim3(1), dim3(1), cudaTextureObject_t{64}, 0, out.data()).errors,
            {"no such texture"});
}

}  // namespace
}  // namespace warpgauge::emulator
