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
//   graph_many G N K    so many graphs of K launches, each N times in turn, in that range
//   beside N M          N launches in one stream while another one is captured, then M more
//   slow N              so many that take 50 us longer
//   strided N S         N of `strided`, a warp whose lanes are S words of shared memory apart, and
//                       looks whether each ran once
//   copy N              so many times each in the range "copies": a kilobyte within the device, a
//                       half set to zero, a quarter from the host; then the first two as a graph,
//                       so many times, in the range "graph of copies"
//   sync, sleep MS      as they say
//   exit                at once, by _exit
//   signal_exit         … within a handler of a signal, while threads launch and take memory
//   pending N           … while so many long ones still run
//   quick_exit          by that function
//   exec_missing        a program that is not there, and goes on
//   reset               the device, and all that is on it
//   crash, kill         of SIGSEGV and SIGKILL
//   fork                a child that does nothing but end, then goes on
//   child N             a child, made before CUDA is used here, that launches N and ends by _exit
//   fork_in_range N     so many of those, while another thread opens ranges
//   exec WORK...        this program again, with the rest
//   execl N             … with "launch N sync"
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
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

// So many wavefronts of shared memory to store, and to load, as the stride is, up to 32.
extern "C" __global__ void strided(float* data, int stride) {
  __shared__ volatile float words[32 * 32];
  words[threadIdx.x * stride] = data[threadIdx.x];
  __syncwarp();
  data[threadIdx.x] = words[threadIdx.x * stride] + 1.0F;
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

void launch_strided(long count, int stride) {
  float* data = nullptr;
  require(cudaMalloc(&data, 32 * sizeof(float)));
  require(cudaMemset(data, 0, 32 * sizeof(float)));
  for (long i = 0; i < count; ++i) strided<<<1, 32>>>(data, stride);
  require(cudaGetLastError());
  std::vector<float> ran(32);
  require(cudaMemcpy(ran.data(), data, 32 * sizeof(float), cudaMemcpyDeviceToHost));
  for (const float each : ran) {
    if (each == static_cast<float>(count)) continue;
    std::fprintf(stderr, "known_launches: %ld launches had the effect of %g\n", count, each);
    std::exit(72);
  }
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

void copies(long count) {
  constexpr std::size_t kBytes = 1'024;
  float* const data = data_of_device();
  float* const target = data + kBytes / sizeof(float);
  std::vector<char> host(kBytes / 4);
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  const auto within = [&] {
    require(cudaMemcpyAsync(target, data, kBytes, cudaMemcpyDeviceToDevice, stream));
    require(cudaMemsetAsync(data, 0, kBytes / 2, stream));
  };
  for (long i = 0; i < count; ++i) {
    nvtxRangePushA("copies");
    within();
    require(cudaMemcpy(data, host.data(), host.size(), cudaMemcpyHostToDevice));
    nvtxRangePop();
  }
  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t ready = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  within();
  require(cudaStreamEndCapture(stream, &recorded));
  require(cudaGraphInstantiate(&ready, recorded, 0));
  nvtxRangePushA("graph of copies");
  for (long i = 0; i < count; ++i) require(cudaGraphLaunch(ready, stream));
  nvtxRangePop();
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

cudaGraphExec_t graph_of(long kernels, cudaStream_t stream) {
  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t ready = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch(kernels, stream);
  require(cudaStreamEndCapture(stream, &recorded));
  require(cudaGraphInstantiate(&ready, recorded, 0));
  return ready;
}

void graphs(long count, long times, long kernels) {
  data_of_device();
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  std::vector<cudaGraphExec_t> all;
  for (long i = 0; i < count; ++i) all.push_back(graph_of(kernels, stream));
  for (long i = 0; i < times; ++i) {
    for (cudaGraphExec_t each : all) {
      nvtxRangePushA("graph");
      require(cudaGraphLaunch(each, stream));
      nvtxRangePop();
    }
  }
  require(cudaStreamSynchronize(stream));
}

void beside_a_capture(long meanwhile, long later) {
  cudaStream_t captured = nullptr;
  cudaStream_t other = nullptr;
  require(cudaStreamCreate(&captured));
  require(cudaStreamCreate(&other));
  launch(1, other);
  cudaGraph_t recorded = nullptr;
  require(cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed));
  launch(1, captured);
  launch(meanwhile, other);
  require(cudaStreamEndCapture(captured, &recorded));
  launch(later, other);
  require(cudaStreamSynchronize(other));
}

[[noreturn]] void exit_in_handler() {
  std::signal(SIGALRM, [](int) { _exit(0); });
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      for (;;) {
        in_range("until the signal", 10);
        std::vector<std::string> memory(100, std::string(1'000, 'x'));
      }
    }).detach();
  }
  alarm(1);
  for (;;) std::string(1'000, 'x').append("y");
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

void fork_in_range(long count) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      nvtxRangePushA("of another thread");
      nvtxRangePop();
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    }
  });
  for (long i = 0; i < count; ++i) {
    nvtxRangePushA("forked");
    launch(1);
    const pid_t pid = fork();
    if (pid == 0) {
      for (int n = 0; n < 100; ++n) {
        nvtxRangePushA(("of the child " + std::to_string(n)).c_str());
        nvtxRangePop();
      }
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
    nvtxRangePop();
  }
  done = true;
  other.join();
}

// What needs more than a word of main(). Whether it was one; i goes on to its last argument.
bool is_done(const std::string& word, int argc, char** argv, int& i) {
  const auto number = [&](int at) { return at < argc ? std::atol(argv[at]) : 0; };
  if (word == "graph_many") {
    graphs(number(i + 1), number(i + 2), number(i + 3));
    i += 3;
  } else if (word == "graph") {
    graphs(1, number(i + 1), number(i + 2));
    i += 2;
  } else if (word == "beside") {
    beside_a_capture(number(i + 1), number(i + 2));
    i += 2;
  } else if (word == "strided") {
    launch_strided(number(i + 1), static_cast<int>(number(i + 2)));
    i += 2;
  } else if (word == "fork_in_range") {
    fork_in_range(number(++i));
  } else if (word == "quick_exit") {
    std::quick_exit(0);
  } else if (word == "signal_exit") {
    exit_in_handler();
  } else if (word == "pending") {
    launch(number(++i), nullptr, 90'000'000);
    _exit(0);
  } else if (word == "reset") {
    require(cudaDeviceReset());
  } else if (word == "exec_missing") {
    execv("/nowhere/at/all", argv);
  } else if (word == "execl") {
    execl("/proc/self/exe", argv[0], "launch", argv[i + 1], "sync", static_cast<char*>(nullptr));
    std::exit(71);
  } else {
    return false;
  }
  return true;
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
    } else if (word == "copy") {
      copies(number(++i));
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
    } else if (!is_done(word, argc, argv, i)) {
      std::fprintf(stderr, "known_launches: what is %s?\n", word.c_str());
      return 64;
    }
  }
  return 0;
}
