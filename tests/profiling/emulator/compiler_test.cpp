// SPDX-License-Identifier: Apache-2.0
// What the emulator takes for granted of the compiler, each by the machine code of a small kernel:
// a compiler, or a set of options, that breaks one of these counts wrongly, and fails here first.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Each is looked up by its name.
extern "C" {

__global__ void assume_loop(const float* in, float* out) {
  for (int i = 0; i < 4; ++i) out[i] = in[i] + 1;
}

__global__ void assume_long_loop(const float* __restrict__ in, float* __restrict__ out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] + 1;
}

__global__ void assume_two_branches(const float* in, float* out, int which) {
  if (which > 3) {
    out[0] = in[1] + 1;
  } else {
    out[0] = in[1] + 2;
  }
}

__global__ void assume_barrier_in_each_branch(float* out, int which) {
  if (which > 3) {
    out[0] = 1;
    __syncthreads();
  } else {
    out[1] = 2;
    __syncthreads();
  }
}

__global__ void assume_last_barrier(float* out) {
  out[0] = 1;
  __syncthreads();
}

// The second condition is known where the first was true: threading the jump would copy what lies
// between.
__global__ void assume_known_condition(float* out, int n) {
  if (n > 7) out[0] = 1;
  out[1] = 2;
  __syncthreads();
  if (n > 7) out[2] = 3;
}

__global__ void assume_conditional_store(float* out, int n) {
  float value = 1;
  if (n > 7) value = out[3];
  out[0] = value;
}

__global__ void assume_vectors(const float4* in, float4* out, const float2* in2, float2* out2) {
  out[0] = in[0];
  const float2 pair = in2[0];
  out2[0] = make_float2(pair.y, pair.x);
}

__global__ void assume_shared(float* out) {
  __shared__ float words[32];
  extern __shared__ float words_of_assume_shared[];
  words[threadIdx.x] = 1;
  words_of_assume_shared[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = words[31 - threadIdx.x] + words_of_assume_shared[31 - threadIdx.x];
}

__global__ void assume_one_sided_shared(float* out) {
  [[maybe_unused]] __shared__ float written[32];
  __shared__ float read[32];
  written[threadIdx.x] = 1;
  out[threadIdx.x] = read[threadIdx.x];
}

__global__ void assume_builtin_variables(unsigned* out) {
  *out = threadIdx.x + blockIdx.y * blockDim.z + gridDim.x;
}

__global__ void assume_volatile(volatile int* flag) {
  while (*flag == 0) {
  }
  *flag = 0;
}

__global__ void assume_equal_1(float* out) { out[0] = 1; }
__global__ void assume_equal_2(float* out) { out[0] = 1; }

__global__ void assume_order(const float* in, float* out, int n) {
  if (__builtin_expect(n > 7, 0)) {
    out[0] = in[0];
    if (n == 1000) __trap();
  }
  __syncthreads();
  if (n > 9) {
    out[1] = 1;
  } else {
    __syncwarp();
  }
  __threadfence();
}

}  // extern "C"

namespace {

std::string disassembly(const std::string& function) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "objdump --disassemble=" + function + " --no-show-raw-insn '" + self + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    text += static_cast<char>(c);
  }
  return text;
}

// What `function` calls or jumps out to, in the order of its code: "read4", "__syncthreads",
// "jump to __syncthreads". Entries of basic blocks are left out.
std::vector<std::string> calls_of(const std::string& function) {
  const std::string text = disassembly(function);
  std::vector<std::string> calls;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const bool is_call = line.find("\tcall") != line.npos;
    const bool is_jump = line.find("\tj") != line.npos;
    const std::size_t open = line.rfind('<');
    if ((!is_call && !is_jump) || open == line.npos) continue;
    std::string target(line.substr(open + 1, line.rfind('>') - open - 1));
    if (target.find("+0x") != target.npos || target == function) continue;
    if (target == "__sanitizer_cov_trace_pc") continue;
    // Mangled: _Z13__syncthreadsv.
    for (const char* name : {"__syncthreads", "__syncwarp", "__threadfence", "__trap"}) {
      if (target.find(name) != target.npos) target = name;
    }
    if (target.rfind("__tsan_", 0) == 0) target.erase(0, 7);
    calls.push_back((is_jump ? "jump to " : "") + target);
  }
  return calls;
}

using Calls = std::vector<std::string>;

TEST(Compiler, LeavesALoopALoop) {
  EXPECT_EQ(calls_of("assume_loop"), (Calls{"read4", "write4"}));
  EXPECT_EQ(calls_of("assume_long_loop"), (Calls{"read4", "write4"}));
}

TEST(Compiler, LeavesTheAccessesOfTwoBranchesApart) {
  EXPECT_EQ(calls_of("assume_two_branches"), (Calls{"read4", "write4", "read4", "write4"}));
}

TEST(Compiler, LeavesTheBarriersOfTwoBranchesApart) {
  EXPECT_EQ(calls_of("assume_barrier_in_each_branch"),
            (Calls{"write4", "__syncthreads", "write4", "__syncthreads"}));
}

TEST(Compiler, CallsABarrierThatEndsAKernel) {
  EXPECT_EQ(calls_of("assume_last_barrier"), (Calls{"write4", "__syncthreads"}));
}

TEST(Compiler, DoesNotCopyWhatFollowsACondition) {
  EXPECT_EQ(calls_of("assume_known_condition"),
            (Calls{"write4", "write4", "__syncthreads", "write4"}));
}

TEST(Compiler, LeavesAConditionalLoadConditional) {
  EXPECT_EQ(calls_of("assume_conditional_store"), (Calls{"read4", "write4"}));
}

TEST(Compiler, MovesAVectorAtOnce) {
  EXPECT_EQ(calls_of("assume_vectors"), (Calls{"read16", "write16", "read8", "write8"}));
}

// No wrapper of a thread-local variable, no guard, no constructor.
TEST(Compiler, ReachesSharedMemoryWithoutACall) {
  EXPECT_EQ(calls_of("assume_shared"),
            (Calls{"write4", "write4", "__syncthreads", "read4", "read4", "write4"}));
}

TEST(Compiler, KeepsWhatIsOnlyWrittenOrOnlyReadInSharedMemory) {
  EXPECT_EQ(calls_of("assume_one_sided_shared"), (Calls{"write4", "read4", "write4"}));
}

TEST(Compiler, TakesIndicesAndDimensionsForConstants) {
  EXPECT_EQ(calls_of("assume_builtin_variables"), Calls{"write4"});
}

TEST(Compiler, TellsVolatileAccessesApart) {
  EXPECT_EQ(calls_of("assume_volatile"), (Calls{"volatile_read4", "volatile_write4"}));
}

TEST(Compiler, KeepsEqualKernelsApart) {
  EXPECT_NE(reinterpret_cast<std::uintptr_t>(&assume_equal_1),
            reinterpret_cast<std::uintptr_t>(&assume_equal_2));
  EXPECT_EQ(calls_of("assume_equal_2"), Calls{"write4"});
}

// Lanes that part meet again at the smallest place in the code: it must be the source's order, also
// where one side is unlikely or never returns.
TEST(Compiler, LeavesTheOrderOfTheSource) {
  EXPECT_EQ(calls_of("assume_order"), (Calls{"read4", "write4", "__trap", "__syncthreads", "write4",
                                             "__syncwarp", "__threadfence"}));
}

TEST(Compiler, ReportsTheEntryOfEachBlock) {
  // Of a loop without accesses, each turn is told, or lanes of different turns could not be told
  // apart.
  const std::string text = disassembly("assume_two_branches");
  std::size_t entries = 0;
  for (std::size_t at = text.find("<__sanitizer_cov_trace_pc>"); at != text.npos;
       at = text.find("<__sanitizer_cov_trace_pc>", at + 1)) {
    ++entries;
  }
  EXPECT_GE(entries, 3U);
}

}  // namespace
