// SPDX-License-Identifier: Apache-2.0
// A program that launches what its arguments say and ends as they say, to hold records of it
// against:
//
//   known_launches [WORK...]
//
//   launch N            so many of `scale`, 4 blocks of 128 threads
//   range NAME N        … in an NVTX range of that name, of which each second one is in a domain
//   threads T N         … in each of so many threads, each in a stream and a range of its own
//   graph N K           a graph of K launches, N times, in the range "graph"
//   slow N              so many that take 50 us longer
//   sync, sleep MS      as they say
//   exit                at once, by _exit
//   crash, kill         of SIGSEGV and SIGKILL
//   fork                a child that does nothing but end, then goes on
//   child N             a child, made before CUDA is used here, that launches N and ends by _exit
//   exec WORK...        this program again, with the rest
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

__global__ void scale(float* data, float factor, long long spin) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
  const long long begin = clock64();
  while (clock64() - begin < spin) {
  }
}

namespace {

void require(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "known_launches: %s\n", cudaGetErrorString(result));
  std::exit(70);
}

float* data_of_device() {
  static float* data = [] {
    float* made = nullptr;
    require(cudaMalloc(&made, 512 * sizeof(float)));
    return made;
  }();
  return data;
}

void launch(long count, cudaStream_t stream = nullptr, long long spin = 0) {
  float* const data = data_of_device();
  for (long i = 0; i < count; ++i) scale<<<4, 128, 0, stream>>>(data, 1.0F, spin);
  require(cudaGetLastError());
}

void in_range(const char* name, long count) {
  static nvtxDomainHandle_t domain = nvtxDomainCreateA("known");
  for (long i = 0; i < count; ++i) {
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    static nvtxStringHandle_t inner = nvtxDomainRegisterStringA(domain, "inner");
    event.message.registered = inner;
    nvtxRangePushA(name);
    if (i % 2 == 1) nvtxDomainRangePushEx(domain, &event);
    launch(1);
    if (i % 2 == 1) nvtxDomainRangePop(domain);
    nvtxRangePop();
  }
}

void in_threads(int threads, long count) {
  data_of_device();
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([=] {
      cudaStream_t stream = nullptr;
      require(cudaStreamCreate(&stream));
      nvtxRangePushA(("thread " + std::to_string(i)).c_str());
      launch(count, stream);
      nvtxRangePop();
      require(cudaStreamSynchronize(stream));
    });
  }
  for (std::thread& each : all) each.join();
}

void graph(long times, long kernels) {
  data_of_device();
  cudaStream_t stream = nullptr;
  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t ready = nullptr;
  require(cudaStreamCreate(&stream));
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch(kernels, stream);
  require(cudaStreamEndCapture(stream, &recorded));
  require(cudaGraphInstantiate(&ready, recorded, 0));
  for (long i = 0; i < times; ++i) {
    nvtxRangePushA("graph");
    require(cudaGraphLaunch(ready, stream));
    nvtxRangePop();
  }
  require(cudaStreamSynchronize(stream));
}

void child(bool launches, long count) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (launches) {
      launch(count);
      require(cudaDeviceSynchronize());
    }
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::atol(argv[i]) : 0; };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "launch") {
      launch(number(++i));
    } else if (word == "slow") {
      launch(number(++i), nullptr, 90'000);
    } else if (word == "range") {
      in_range(argv[i + 1], number(i + 2));
      i += 2;
    } else if (word == "threads") {
      in_threads(static_cast<int>(number(i + 1)), number(i + 2));
      i += 2;
    } else if (word == "graph") {
      graph(number(i + 1), number(i + 2));
      i += 2;
    } else if (word == "sync") {
      require(cudaDeviceSynchronize());
    } else if (word == "sleep") {
      std::this_thread::sleep_for(std::chrono::milliseconds(number(++i)));
    } else if (word == "exit") {
      _exit(0);
    } else if (word == "crash") {
      std::raise(SIGSEGV);
    } else if (word == "kill") {
      kill(getpid(), SIGKILL);
    } else if (word == "fork") {
      child(false, 0);
    } else if (word == "child") {
      child(true, number(++i));
    } else if (word == "exec") {
      argv[i] = argv[0];
      execv("/proc/self/exe", argv + i);
      return 71;
    } else {
      std::fprintf(stderr, "known_launches: what is %s?\n", word.c_str());
      return 64;
    }
  }
  return 0;
}
