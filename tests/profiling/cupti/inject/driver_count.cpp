// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD that counts the calls by which a process launches kernels, without
// CUPTI: it stands between the process and the driver's functions, where these are looked up by
// dlsym or cuGetProcAddress or, under their usual names, by linking. It leaves its counts in a
// mapped file, which outlives the process however that ends. It does not count launches on several
// devices at once, nor what graphs launch by conditions or from the device; nodes of a graph that
// are switched off count.
#include "tests/profiling/cupti/inject/driver_count.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

// The header names what it declares as the newest version.
#undef cuGetProcAddress
#undef cuGraphInstantiate

namespace {

using warpgauge::launches::DriverCount;

DriverCount nowhere;
DriverCount* counts = &nowhere;

void add(std::uint64_t DriverCount::*which, std::uint64_t number) {
  std::atomic_ref<std::uint64_t>(counts->*which).fetch_add(number, std::memory_order_relaxed);
}

void begin_to_count() {
  counts = &nowhere;
  const char* const folder = std::getenv(warpgauge::launches::kDriverCountFolder);
  if (folder == nullptr) return;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::string path = std::string(folder) + "/" + std::to_string(::getpid()) + "-" +
                           std::to_string(now.tv_sec) + "-" + std::to_string(now.tv_nsec) +
                           warpgauge::launches::kDriverCountSuffix;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || ::ftruncate(file, sizeof(DriverCount)) != 0) return std::perror(path.c_str());
  void* const mapped =
      ::mmap(nullptr, sizeof(DriverCount), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (mapped != MAP_FAILED) counts = static_cast<DriverCount*>(mapped);
}

using FindSymbol = void* (*)(void*, const char*) noexcept;

#ifdef __aarch64__
constexpr const char* kOldestVersion = "GLIBC_2.17";
#else
constexpr const char* kOldestVersion = "GLIBC_2.2.5";
#endif

FindSymbol real_dlsym() {
  static const auto found =
      reinterpret_cast<FindSymbol>(::dlvsym(RTLD_NEXT, "dlsym", kOldestVersion));
  return found;
}

// Whether it lies in this library, which a search of all libraries finds first.
bool is_here(void* function) {
  Dl_info of_function{};
  Dl_info of_this{};
  return ::dladdr(function, &of_function) != 0 &&
         ::dladdr(reinterpret_cast<void*>(&add), &of_this) != 0 &&
         of_function.dli_fbase == of_this.dli_fbase;
}

template <class Function>
Function of_driver(const char* name) {
  static void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY);
  return driver == nullptr ? nullptr : reinterpret_cast<Function>(real_dlsym()(driver, name));
}

// Each function has two versions, of which the second one's default stream is the thread's.
constexpr int kVersions = 2;

template <int version>
bool captures(CUstream stream) {
  using Asks = CUresult (*)(CUstream, CUstreamCaptureStatus*);
  static const auto asks =
      of_driver<Asks>(version == 0 ? "cuStreamIsCapturing" : "cuStreamIsCapturing_ptsz");
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return asks != nullptr && asks(stream, &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

template <int version, class Call>
CUresult launched(CUstream stream, const Call& call) {
  const bool captured = captures<version>(stream);
  const CUresult result = call();
  if (result == CUDA_SUCCESS && !captured) add(&DriverCount::launches, 1);
  return result;
}

using LaunchKernel = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, CUstream, void**, void**);
std::array<LaunchKernel, kVersions> real_launch_kernel;

template <int version>
CUresult launch_kernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                       CUstream stream, void** parameters, void** extra) {
  return launched<version>(stream, [&] {
    return real_launch_kernel[version](kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                       shared_bytes, stream, parameters, extra);
  });
}

using LaunchKernelEx = CUresult (*)(const CUlaunchConfig*, CUfunction, void**, void**);
std::array<LaunchKernelEx, kVersions> real_launch_kernel_ex;

template <int version>
CUresult launch_kernel_ex(const CUlaunchConfig* config, CUfunction kernel, void** parameters,
                          void** extra) {
  return launched<version>(config->hStream, [&] {
    return real_launch_kernel_ex[version](config, kernel, parameters, extra);
  });
}

using LaunchCooperative = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                       unsigned, unsigned, CUstream, void**);
std::array<LaunchCooperative, kVersions> real_launch_cooperative;

template <int version>
CUresult launch_cooperative(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, CUstream stream, void** parameters) {
  return launched<version>(stream, [&] {
    return real_launch_cooperative[version](kernel, grid_x, grid_y, grid_z, block_x, block_y,
                                            block_z, shared_bytes, stream, parameters);
  });
}

std::mutex graphs_lock;
std::unordered_map<CUgraphExec, std::uint64_t> kernels_of_graph;

std::uint64_t kernels_in(CUgraph graph) {
  static const auto nodes_of = of_driver<decltype(&cuGraphGetNodes)>("cuGraphGetNodes");
  static const auto type_of = of_driver<decltype(&cuGraphNodeGetType)>("cuGraphNodeGetType");
  static const auto child_of =
      of_driver<decltype(&cuGraphChildGraphNodeGetGraph)>("cuGraphChildGraphNodeGetGraph");
  std::size_t number = 0;
  if (nodes_of(graph, nullptr, &number) != CUDA_SUCCESS) return 0;
  std::string room(number * sizeof(CUgraphNode), '\0');
  auto* const nodes = reinterpret_cast<CUgraphNode*>(room.data());
  if (number > 0 && nodes_of(graph, nodes, &number) != CUDA_SUCCESS) return 0;
  std::uint64_t kernels = 0;
  for (std::size_t i = 0; i < number; ++i) {
    CUgraphNodeType type{};
    if (type_of(nodes[i], &type) != CUDA_SUCCESS) continue;
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) ++kernels;
    CUgraph child = nullptr;
    if (type == CU_GRAPH_NODE_TYPE_GRAPH && child_of(nodes[i], &child) == CUDA_SUCCESS) {
      kernels += kernels_in(child);
    }
  }
  return kernels;
}

// All that instantiate a graph begin with these two arguments, and have five at most, each of which
// a register holds.
using Instantiate = CUresult (*)(CUgraphExec*, CUgraph, void*, void*, void*);
constexpr const char* kInstantiate[] = {
    "cuGraphInstantiate", "cuGraphInstantiate_v2", "cuGraphInstantiateWithFlags",
    "cuGraphInstantiateWithParams", "cuGraphInstantiateWithParams_ptsz"};
constexpr std::size_t kWaysToInstantiate = std::size(kInstantiate);
std::array<Instantiate, kWaysToInstantiate> real_instantiate;

template <std::size_t way>
CUresult instantiate(CUgraphExec* made, CUgraph graph, void* third, void* fourth, void* fifth) {
  const CUresult result = real_instantiate[way](made, graph, third, fourth, fifth);
  if (result == CUDA_SUCCESS) {
    const std::uint64_t kernels = kernels_in(graph);
    const std::lock_guard hold(graphs_lock);
    kernels_of_graph[*made] = kernels;
  }
  return result;
}

using GraphLaunch = CUresult (*)(CUgraphExec, CUstream);
std::array<GraphLaunch, kVersions> real_graph_launch;

template <int version>
CUresult graph_launch(CUgraphExec graph, CUstream stream) {
  const bool captured = captures<version>(stream);
  const CUresult result = real_graph_launch[version](graph, stream);
  if (result != CUDA_SUCCESS || captured) return result;
  add(&DriverCount::graph_launches, 1);
  const std::lock_guard hold(graphs_lock);
  const auto known = kernels_of_graph.find(graph);
  if (known == kernels_of_graph.end()) {
    add(&DriverCount::unknown_graphs, 1);
  } else {
    add(&DriverCount::graph_kernels, known->second);
  }
  return result;
}

template <class Function, class Real>
void* between(void* found, Function ours, Real& real) {
  if (found == nullptr || found == reinterpret_cast<void*>(ours)) return found;
  real = reinterpret_cast<Real>(found);
  return reinterpret_cast<void*>(ours);
}

template <std::size_t... ways>
void* between_instantiate(std::string_view name, void* found, std::index_sequence<ways...>) {
  void* result = found;
  ((name == kInstantiate[ways]
        ? void(result = between(found, &instantiate<ways>, real_instantiate[ways]))
        : void()),
   ...);
  return result;
}

template <int version>
void* ours_of_version(std::string_view name, void* found) {
  if (name == "cuLaunchKernel") {
    return between(found, &launch_kernel<version>, real_launch_kernel[version]);
  }
  if (name == "cuLaunchKernelEx") {
    return between(found, &launch_kernel_ex<version>, real_launch_kernel_ex[version]);
  }
  if (name == "cuLaunchCooperativeKernel") {
    return between(found, &launch_cooperative<version>, real_launch_cooperative[version]);
  }
  if (name == "cuGraphLaunch") {
    return between(found, &graph_launch<version>, real_graph_launch[version]);
  }
  return found;
}

// What the process gets in place of the driver's function.
void* ours(std::string_view name, void* found) {
  constexpr std::string_view kOfThread = "_ptsz";
  if (void* const made =
          between_instantiate(name, found, std::make_index_sequence<kWaysToInstantiate>());
      made != found) {
    return made;
  }
  return name.ends_with(kOfThread)
             ? ours_of_version<1>(name.substr(0, name.size() - kOfThread.size()), found)
             : ours_of_version<0>(name, found);
}

using GetAddress = CUresult (*)(const char*, void**, int, cuuint64_t);
GetAddress real_get_address = nullptr;
using GetAddressV2 = CUresult (*)(const char*, void**, int, cuuint64_t,
                                  CUdriverProcAddressQueryResult*);
GetAddressV2 real_get_address_v2 = nullptr;

void replace(const char* symbol, void** function, int version, cuuint64_t flags) {
  constexpr int kWithFlags = 11'040;
  std::string name = symbol;
  const bool of_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  if (name == "cuGraphInstantiate" && version >= kWithFlags) name += "WithFlags";
  if (of_thread && (name.starts_with("cuLaunch") || name == "cuGraphLaunch" ||
                    name == "cuGraphInstantiateWithParams")) {
    name += "_ptsz";
  }
  *function = ours(name, *function);
}

void* ours_or_get_address(std::string_view name, void* found);

CUresult replaced(const char* symbol, void** function, int version, cuuint64_t flags,
                  CUresult result) {
  if (result != CUDA_SUCCESS || function == nullptr || *function == nullptr) return result;
  if (std::strcmp(symbol, "cuGetProcAddress") == 0) {
    // From 12.0 on it is the second version that has this name.
    constexpr int kSecond = 12'000;
    *function = ours_or_get_address(version >= kSecond ? "cuGetProcAddress_v2" : symbol, *function);
  } else {
    replace(symbol, function, version, flags);
  }
  return result;
}

CUresult get_address(const char* symbol, void** function, int version, cuuint64_t flags) {
  return replaced(symbol, function, version, flags,
                  real_get_address(symbol, function, version, flags));
}

CUresult get_address_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                        CUdriverProcAddressQueryResult* status) {
  return replaced(symbol, function, version, flags,
                  real_get_address_v2(symbol, function, version, flags, status));
}

void* ours_or_get_address(std::string_view name, void* found) {
  if (name == "cuGetProcAddress") return between(found, &get_address, real_get_address);
  if (name == "cuGetProcAddress_v2") return between(found, &get_address_v2, real_get_address_v2);
  return ours(name, found);
}

bool is_replaced(std::string_view name) {
  return name.starts_with("cuLaunch") || name.starts_with("cuGraphLaunch") ||
         name.starts_with("cuGraphInstantiate") || name.starts_with("cuGetProcAddress");
}

const bool kCounts = [] {
  begin_to_count();
  ::pthread_atfork(nullptr, nullptr, begin_to_count);
  return true;
}();

}  // namespace

extern "C" {

// For other names the call to the real one is the last thing it does, so that RTLD_NEXT means what
// is behind the caller.
[[gnu::visibility("default")]] void* dlsym(void* library, const char* name) noexcept {
  if (!is_replaced(name)) return real_dlsym()(library, name);
  void* const found = real_dlsym()(library, name);
  return ours_or_get_address(name, is_here(found) ? of_driver<void*>(name) : found);
}

// For who is linked to the driver.
#define WARPGAUGE_OF_DRIVER(name, parameters, arguments)              \
  [[gnu::visibility("default")]] CUresult name parameters {           \
    static const auto own = reinterpret_cast<CUresult(*) parameters>( \
        ours_or_get_address(#name, of_driver<void*>(#name)));         \
    return own == nullptr ? CUDA_ERROR_NOT_FOUND : own arguments;     \
  }

WARPGAUGE_OF_DRIVER(cuLaunchKernel,
                    (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                     unsigned bz, unsigned bytes, CUstream s, void** p, void** e),
                    (f, gx, gy, gz, bx, by, bz, bytes, s, p, e))
WARPGAUGE_OF_DRIVER(cuLaunchKernelEx, (const CUlaunchConfig* c, CUfunction f, void** p, void** e),
                    (c, f, p, e))
WARPGAUGE_OF_DRIVER(cuLaunchCooperativeKernel,
                    (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                     unsigned bz, unsigned bytes, CUstream s, void** p),
                    (f, gx, gy, gz, bx, by, bz, bytes, s, p))
WARPGAUGE_OF_DRIVER(cuGraphLaunch, (CUgraphExec g, CUstream s), (g, s))
WARPGAUGE_OF_DRIVER(cuGraphInstantiateWithFlags,
                    (CUgraphExec * made, CUgraph graph, unsigned long long flags),
                    (made, graph, flags))
WARPGAUGE_OF_DRIVER(cuGetProcAddress_v2,
                    (const char* symbol, void** function, int version, cuuint64_t flags,
                     CUdriverProcAddressQueryResult* status),
                    (symbol, function, version, flags, status))
}
