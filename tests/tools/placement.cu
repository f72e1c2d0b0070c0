// SPDX-License-Identifier: Apache-2.0
// What a kernel's time depends on beside its code: the pages of physical memory that hold its data,
// their virtual addresses, where in a page they begin, the state of the TLB, the address of its
// machine code. docs/explain/measurement.md has the results.
//
//   placement [pages | tlb | begin | code]...      all by default; needs one GPU and CUPTI
//
// Prints a table a part: mean time, and the standard deviations of the means by each cause. Beside
// it lies placement.cubin, the machine code that it loads again and again.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cupti.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/bandwidth.cuh"
#include "kernels/histogram.cuh"
#include "kernels/transpose.cuh"

namespace {

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "placement: %s failed\n", what);
  std::exit(4);
}
void require(cudaError_t code, const char* what) { require(code == cudaSuccess, what); }
void require(CUresult code, const char* what) { require(code == CUDA_SUCCESS, what); }
void require(CUptiResult code, const char* what) { require(code == CUPTI_SUCCESS, what); }

constexpr std::size_t kPage = std::size_t{2} << 20;
constexpr std::size_t kArray = std::size_t{64} << 20;  // bytes of each array
constexpr std::size_t kSide = 4096;                    // of a matrix of floats in an array
constexpr std::size_t kSpan = 3 * kArray + kPage;      // three arrays, and a page for results
constexpr unsigned kMultiprocessorBlocks = 4;

// Physical memory, which can be mapped at any virtual address.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    require(cuMemCreate(&handle_, bytes_, &properties, 0), "cuMemCreate");
  }
  Pages(Pages&& other) noexcept : handle_(std::exchange(other.handle_, 0)), bytes_(other.bytes_) {}
  Pages& operator=(Pages&&) = delete;
  ~Pages() {
    if (handle_ != 0) cuMemRelease(handle_);
  }
  void map(CUdeviceptr at) const {
    require(cuMemMap(at, bytes_, 0, handle_, 0), "cuMemMap");
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    require(cuMemSetAccess(at, bytes_, &access, 1), "cuMemSetAccess");
  }
  void unmap(CUdeviceptr at) const {
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    require(cuMemUnmap(at, bytes_), "cuMemUnmap");
  }

 private:
  CUmemGenericAllocationHandle handle_ = 0;
  std::size_t bytes_;
};

CUdeviceptr reserve(std::size_t bytes) {
  CUdeviceptr at = 0;
  require(cuMemAddressReserve(&at, bytes, 0, 0, 0), "cuMemAddressReserve");
  return at;
}

std::mt19937 dice{std::random_device{}()};
std::size_t drawn(std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(dice);
}

// Kernels beside the measured ones have names that begin so.
constexpr const char* kBeside = "beside_";

__global__ void beside_flush(const uint4* buffer, std::size_t count, unsigned* sink) {
  unsigned bits = 0xffffffffU;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 value = buffer[i];
    bits &= value.x & value.y & value.z & value.w;
  }
  if (bits != 0xffffffffU) *sink = bits;
}
// Each block reads a word of each page.
__global__ void beside_touch(const unsigned char* data, std::size_t pages, unsigned* sink) {
  unsigned bits = 0;
  for (std::size_t page = threadIdx.x; page < pages; page += blockDim.x) {
    bits |= *reinterpret_cast<const volatile unsigned*>(data + page * kPage);
  }
  if (bits == 0x12345678U) *sink = bits;
}
__global__ void beside_spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
__global__ void beside_fill(unsigned* data, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761U + 12345U;
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    data[i] = x ^ x >> 16;
  }
}

std::vector<double> durations;  // ns, of the measured kernels
void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *size = 1 << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *most = 0;
}
void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
    if (std::strstr(kernel->name, kBeside) == nullptr)
      durations.push_back(static_cast<double>(kernel->end - kernel->start));
  }
  std::free(buffer);
}

class Stage {
 public:
  Stage() {
    cudaDeviceProp properties{};
    require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    blocks_ = static_cast<unsigned>(properties.multiProcessorCount);
    flushed_ = 4 * static_cast<std::size_t>(properties.l2CacheSize);
    require(cudaMalloc(&flush_, 4 * flushed_), "cudaMalloc");
    require(cudaMemset(flush_, 0xff, 4 * flushed_), "cudaMemset");
    require(cudaMalloc(&sink_, sizeof(unsigned)), "cudaMalloc");
    require(cudaMalloc(&wide_, kWidePages * kPage), "cudaMalloc");
    require(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "CUPTI");
    require(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "CUPTI");
    timed([] {}, [&] { beside_spin<<<blocks_, 32>>>(2'000'000); }, 100);  // up to its clock
  }
  [[nodiscard]] unsigned blocks() const { return blocks_; }
  // Reads other pages than those of a subject, many of them.
  void fill_tlb() const { beside_touch<<<2 * blocks_, 1024>>>(wide_, kWidePages, sink_); }
  void warm_tlb(const unsigned char* data) const {
    beside_touch<<<2 * blocks_, 128>>>(data, kSpan / kPage, sink_);
  }
  void fill(unsigned char* data, std::size_t bytes) const {
    beside_fill<<<8 * blocks_, 256>>>(reinterpret_cast<unsigned*>(data), bytes / 4);
  }
  // ns a launch behind a flush of the L2: the mean without the outer fifths.
  double timed(const std::function<void()>& before, const std::function<void()>& launch,
               int samples = 20) const {
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    require(cuptiActivityFlushAll(1), "CUPTI");
    durations.clear();
    for (int i = 0; i < samples; ++i) {
      const std::size_t first = drawn(3 * flushed_ / kPage) * kPage;
      beside_flush<<<kMultiprocessorBlocks * blocks_, 512>>>(
          reinterpret_cast<const uint4*>(flush_ + first), flushed_ / sizeof(uint4), sink_);
      before();
      beside_spin<<<1, 1>>>(20'000);
      launch();
      require(cudaDeviceSynchronize(), "a kernel");
    }
    require(cuptiActivityFlushAll(1), "CUPTI");
    std::sort(durations.begin(), durations.end());
    const std::size_t cut = durations.size() / 5;
    double sum = 0;
    for (std::size_t i = cut; i < durations.size() - cut; ++i) sum += durations[i];
    return durations.empty() ? 0 : sum / static_cast<double>(durations.size() - 2 * cut);
  }

 private:
  static constexpr std::size_t kWidePages = 16384;
  unsigned blocks_ = 0;
  std::size_t flushed_ = 0;
  unsigned char* flush_ = nullptr;
  unsigned char* wide_ = nullptr;
  unsigned* sink_ = nullptr;
};

struct Subject {
  std::string name;
  std::function<void(unsigned char*)> launch;  // on three arrays and a page of results behind
};

std::vector<Subject> subjects(const Stage& stage) {
  constexpr auto kVectors = static_cast<unsigned>(kArray / sizeof(float4));
  constexpr unsigned kTiles = kSide / kTransposeTile * (kSide / kTransposeTile);
  const auto floats = [](unsigned char* p, int array) {
    return reinterpret_cast<float*>(p + array * kArray);
  };
  const auto vectors = [](unsigned char* p, int array) {
    return reinterpret_cast<float4*>(p + array * kArray);
  };
  const auto results = [](unsigned char* p) { return reinterpret_cast<unsigned*>(p + 3 * kArray); };
  int resident = 0;
  require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, histogram_vectorized,
                                                        kHistogramBlock, 0),
          "occupancy");
  const unsigned counting = stage.blocks() * static_cast<unsigned>(resident);
  return {{"read",
           [=](unsigned char* p) {
             bandwidth_read<<<kVectors / kBandwidthOneWayTile, kBandwidthOneWayBlock>>>(
                 reinterpret_cast<uint4*>(p), results(p), kVectors);
           }},
          {"copy",
           [=](unsigned char* p) {
             bandwidth_copy<<<kVectors / kBandwidthBlock, kBandwidthBlock>>>(
                 vectors(p, 0), vectors(p, 1), kVectors);
           }},
          {"triad",
           [=](unsigned char* p) {
             bandwidth_triad<<<kVectors / kBandwidthBlock, kBandwidthBlock>>>(
                 vectors(p, 0), vectors(p, 1), 3.0F, vectors(p, 2), kVectors);
           }},
          {"transpose/naive",
           [=](unsigned char* p) {
             transpose_naive<<<kTiles, dim3(kTransposeTile, kTransposeRows)>>>(
                 floats(p, 0), floats(p, 1), kSide, kSide);
           }},
          {"histogram/vectorized", [=](unsigned char* p) {
             histogram_vectorized<<<counting, kHistogramBlock>>>(p, results(p), kArray);
           }}};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return sum / static_cast<double>(values.size());
}
double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double each : values) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// Times by two causes, several of each pair.
class TwoCauses {
 public:
  void add(int first, int second, double ns) {
    all_.push_back(ns);
    first_[first].push_back(ns);
    second_[second].push_back(ns);
    pairs_[{first, second}].push_back(ns);
  }
  void print(const std::string& name) const {
    const double mean = mean_of(all_);
    double squares = 0;
    std::size_t degrees = 0;
    for (const auto& [pair, times] : pairs_) {
      for (const double each : times) squares += std::pow(each - mean_of(times), 2);
      degrees += times.size() - 1;
    }
    std::printf("%-24s %10.2f %10.3f %10.3f %10.3f\n", name.c_str(), mean / 1000,
                100 * of_means(first_) / mean, 100 * of_means(second_) / mean,
                100 * std::sqrt(squares / static_cast<double>(degrees)) / mean);
  }

 private:
  static double of_means(const std::map<int, std::vector<double>>& groups) {
    std::vector<double> means;
    for (const auto& [which, times] : groups) means.push_back(mean_of(times));
    return deviation_of(means);
  }
  std::vector<double> all_;
  std::map<int, std::vector<double>> first_;
  std::map<int, std::vector<double>> second_;
  std::map<std::pair<int, int>, std::vector<double>> pairs_;
};

void heading(const char* first, const char* second) {
  std::printf("%-24s %10s %10s %10s %10s\n", "kernel", "time us", first, second, "rest %");
}

// Calls `take(first, second)` of all pairs in random order, three times.
void in_random_order(int firsts, int seconds, const std::function<void(int, int)>& take) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < firsts * seconds; ++i) pairs.emplace_back(i / seconds, i % seconds);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::shuffle(pairs.begin(), pairs.end(), dice);
    for (const auto& [first, second] : pairs) take(first, second);
  }
}

void by_pages(const Stage& stage) {
  constexpr int kPhysical = 16;
  constexpr int kVirtual = 8;
  std::vector<Pages> memory;
  std::vector<Pages> gaps;
  for (int i = 0; i < kPhysical; ++i) {
    memory.emplace_back(kSpan);
    gaps.emplace_back(kPage * (1 + drawn(300)));
  }
  std::vector<CUdeviceptr> addresses;
  for (int i = 0; i < kVirtual; ++i)
    addresses.push_back(reserve(kSpan + 1024 * kPage) + kPage * drawn(1000));
  const auto all = subjects(stage);
  std::map<std::string, TwoCauses> times;
  in_random_order(kPhysical, kVirtual, [&](int physical, int address) {
    memory[physical].map(addresses[address]);
    auto* data = reinterpret_cast<unsigned char*>(addresses[address]);
    stage.fill(data, kSpan);
    for (const Subject& each : all)
      times[each.name].add(physical, address, stage.timed([] {}, [&] { each.launch(data); }));
    memory[physical].unmap(addresses[address]);
  });
  heading("physical %", "virtual %");
  for (const Subject& each : all) times[each.name].print(each.name);
}

// The TLB as the flush leaves it, with the pages of the data in it, and full of others.
void by_tlb(const Stage& stage) {
  const auto all = subjects(stage);
  const Pages memory(kSpan);
  const CUdeviceptr at = reserve(kSpan);
  memory.map(at);
  auto* data = reinterpret_cast<unsigned char*>(at);
  stage.fill(data, kSpan);
  std::printf("%-24s %10s %10s %10s\n", "kernel", "time us", "warm %", "full %");
  for (const Subject& each : all) {
    const auto launch = [&] { each.launch(data); };
    const double usual = stage.timed([] {}, launch, 100);
    const double warm = stage.timed([&] { stage.warm_tlb(data); }, launch, 100);
    const double full = stage.timed([&] { stage.fill_tlb(); }, launch, 100);
    std::printf("%-24s %10.2f %+10.2f %+10.2f\n", each.name.c_str(), usual / 1000,
                100 * (warm / usual - 1), 100 * (full / usual - 1));
  }
  memory.unmap(at);
}

// The histogram's 1 KiB of bins at each KiB of the first 16 of some pages; its input stays.
void by_beginning(const Stage& stage) {
  constexpr int kPages = 6;
  const Pages input(kArray);
  const CUdeviceptr in = reserve(kArray);
  input.map(in);
  stage.fill(reinterpret_cast<unsigned char*>(in), kArray);
  const Pages bins(kPages * kPage);
  const CUdeviceptr out = reserve(kPages * kPage);
  bins.map(out);
  const unsigned blocks = stage.blocks();
  TwoCauses shared;
  TwoCauses global;
  in_random_order(16, kPages, [&](int beginning, int page) {
    auto* data = reinterpret_cast<std::uint8_t*>(in);
    auto* counts = reinterpret_cast<unsigned*>(out + page * kPage + beginning * 1024);
    const auto vectorized = [&] {
      histogram_vectorized<<<6 * blocks, kHistogramBlock>>>(data, counts, kArray);
    };
    const auto atomics = [&] {
      histogram_global_atomics<<<8 * blocks, kHistogramBlock>>>(data, counts, kArray / 16);
    };
    shared.add(beginning, page, stage.timed([] {}, vectorized));
    global.add(beginning, page, stage.timed([] {}, atomics));
  });
  heading("begins %", "page %");
  shared.print("histogram/vectorized");
  global.print("histogram/global_atomics");
  bins.unmap(out);
  input.unmap(in);
}

// The same machine code at other addresses.
void by_code(const Stage& stage) {
  constexpr int kCopies = 10;
  constexpr int kPlaces = 4;
  cudaFunction_t own = nullptr;
  require(cudaGetFuncBySymbol(&own, reinterpret_cast<const void*>(transpose_naive)), "the kernel");
  const char* name = nullptr;
  require(cuFuncGetName(&name, own), "cuFuncGetName");
  const std::filesystem::path image =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("placement.cubin");
  std::vector<CUfunction> copies;
  for (int i = 0; i < kCopies; ++i) {
    CUmodule module = nullptr;
    require(cuModuleLoad(&module, image.c_str()), "placement.cubin");
    require(cuModuleGetFunction(&copies.emplace_back(), module, name), "cuModuleGetFunction");
    void* gap = nullptr;
    require(cudaMalloc(&gap, 1 + drawn(8 << 20)), "cudaMalloc");
  }
  std::vector<unsigned char*> places(kPlaces);
  for (unsigned char*& each : places) {
    require(cudaMalloc(&each, kSpan), "cudaMalloc");
    stage.fill(each, kSpan);
  }
  TwoCauses times;
  in_random_order(kCopies, kPlaces, [&](int copy, int place) {
    unsigned char* in = places[place];
    unsigned char* out = in + kArray;
    std::size_t side = kSide;
    std::vector<void*> arguments{&in, &out, &side, &side};
    constexpr unsigned kTiles = kSide / kTransposeTile * (kSide / kTransposeTile);
    times.add(copy, place,
              stage.timed([] {},
                          [&] {
                            require(cuLaunchKernel(copies[copy], kTiles, 1, 1, kTransposeTile,
                                                   kTransposeRows, 1, 0, nullptr, arguments.data(),
                                                   nullptr),
                                    "cuLaunchKernel");
                          }));
  });
  heading("code %", "data %");
  times.print("transpose/naive");
}

}  // namespace

int main(int argc, char** argv) {
  require(cudaFree(nullptr), "the GPU");
  const Stage stage;
  const std::vector<std::pair<std::string, void (*)(const Stage&)>> parts{
      {"pages", by_pages}, {"tlb", by_tlb}, {"begin", by_beginning}, {"code", by_code}};
  for (const auto& [name, part] : parts) {
    const bool asked = argc == 1 || std::any_of(argv + 1, argv + argc,
                                                [&](const char* arg) { return name == arg; });
    if (!asked) continue;
    std::printf("\n%s\n", name.c_str());
    part(stage);
  }
}
