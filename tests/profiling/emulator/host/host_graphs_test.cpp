// SPDX-License-Identifier: Apache-2.0
// Graphs run what was captured or added, in an order that their edges allow.
#include <vector>

#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

__global__ void scale_and_add(int* words, int factor, int summand) {
  words[threadIdx.x] = words[threadIdx.x] * factor + summand;
}

class Graphs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&words_, kBytes), cudaSuccess);
    ASSERT_EQ(cudaMemset(words_, 0, kBytes), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(words_), cudaSuccess);
  }

  [[nodiscard]] int last_word() const {
    std::vector<int> words(32);
    EXPECT_EQ(cudaMemcpy(words.data(), words_, kBytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return words.back();
  }

  // Whose arguments the caller may change afterwards.
  cudaGraphNode_t add_kernel(cudaGraph_t graph, int factor, int summand,
                             const std::vector<cudaGraphNode_t>& after) {
    void* arguments[] = {&words_, &factor, &summand};
    cudaKernelNodeParams parameters{};
    parameters.func = ::warpgauge_emulator::kernel_pointer(scale_and_add);
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(32);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters),
              cudaSuccess);
    return node;
  }

  void launch(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  }

  static constexpr std::size_t kBytes = 32 * sizeof(int);
  int* words_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(Graphs, OfACapturedStreamRunAsOftenAsTheyAreLaunched) {
  const std::vector<int> ones(32, 1);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(words_, ones.data(), kBytes, cudaMemcpyHostToDevice, stream_),
            cudaSuccess);
  int factor = 3;
  cudaLaunchConfig_t config{dim3(1), dim3(32), 0, stream_, nullptr, 0};
  EXPECT_EQ(cudaLaunchKernelEx(&config, scale_and_add, words_, factor, 4), cudaSuccess);
  factor = 100;  // the graph has the argument as it was
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(last_word(), 0) << "captured work does not run";

  std::size_t count = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 2U);
  launch(graph);
  EXPECT_EQ(last_word(), 7);
  launch(graph);
  EXPECT_EQ(last_word(), 7) << "the copy is part of it";
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Graphs, CaptureStreamsThatWaitForOneThatIsCaptured) {
  cudaStream_t other = nullptr;
  cudaEvent_t fork = nullptr;
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(fork, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, fork), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(words_, 1, kBytes, other), cudaSuccess);
  EXPECT_EQ(last_word(), 0);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(words_, 2, kBytes, other), cudaSuccess);
  EXPECT_EQ(last_word(), 0x02020202) << "the capture is over for both";
  launch(graph);
  EXPECT_EQ(last_word(), 0x01010101);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(fork), cudaSuccess);
}

TEST_F(Graphs, RunNodesAfterThoseThatTheyDependOn) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  const cudaGraphNode_t last = add_kernel(graph, 10, 0, {});
  const cudaGraphNode_t first = add_kernel(graph, 1, 5, {});
  EXPECT_EQ(cudaGraphAddDependencies(graph, &first, &last, 1), cudaSuccess);
  launch(graph);
  EXPECT_EQ(last_word(), 50);

  cudaGraphExec_t executable = nullptr;
  EXPECT_EQ(cudaGraphAddDependencies(graph, &last, &first, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph), cudaErrorInvalidValue) << "a circle";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Graphs, HaveNodesOfEachKind) {
  cudaGraph_t child = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&child, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  add_kernel(child, 2, 0, {});
  cudaMemsetParams set{};
  set.dst = words_;
  set.value = 21;
  set.elementSize = sizeof(int);
  set.width = 32;
  set.height = 1;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &set), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, graph, &node, 1, child), cudaSuccess);
  int copied = 0;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&node, graph, &node, 1, &copied, words_, sizeof copied,
                                     cudaMemcpyDeviceToHost),
            cudaSuccess);
  int seen = 0;
  int* both[] = {&copied, &seen};
  const cudaHostNodeParams host{[](void* data) {
                                  int** words = static_cast<int**>(data);
                                  *words[1] = *words[0];
                                },
                                both};
  ASSERT_EQ(cudaGraphAddHostNode(&node, graph, &node, 1, &host), cudaSuccess);
  cudaGraphNodeType type{};
  EXPECT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeHost);
  launch(graph);
  EXPECT_EQ(seen, 42);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(child), cudaSuccess);
}

TEST_F(Graphs, TakeOtherArgumentsOnceInstantiated) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  const cudaGraphNode_t node = add_kernel(graph, 1, 1, {});
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph), cudaSuccess);
  int factor = 1;
  int summand = 100;
  void* arguments[] = {&words_, &factor, &summand};
  cudaKernelNodeParams parameters{};
  parameters.func = ::warpgauge_emulator::kernel_pointer(scale_and_add);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(32);
  parameters.kernelParams = arguments;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(last_word(), 100);
  cudaGraphExecUpdateResultInfo result{};
  EXPECT_EQ(cudaGraphExecUpdate(executable, graph, &result), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(last_word(), 101) << "the graph itself has the first arguments";
  add_kernel(graph, 1, 1, {});
  cudaGraphExecUpdateResult of_cuda_11{};
  EXPECT_EQ(cudaGraphExecUpdate(executable, graph, nullptr, &of_cuda_11),
            cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(of_cuda_11, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(cudaGetLastError(), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Graphs, CaptureAllocations) {
  int* scratch = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&scratch, kBytes, stream_), cudaSuccess);
  ASSERT_NE(scratch, nullptr);
  EXPECT_EQ(cudaMemsetAsync(scratch, 3, kBytes, stream_), cudaSuccess);
  cudaLaunchConfig_t config{dim3(1), dim3(32), 0, stream_, nullptr, 0};
  EXPECT_EQ(cudaLaunchKernelEx(&config, scale_and_add, scratch, 1, 1), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(words_, scratch, kBytes, cudaMemcpyDeviceToDevice, stream_),
            cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(scratch, stream_), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(cudaMemset(scratch, 0, kBytes), cudaErrorInvalidValue) << "not allocated yet";
  launch(graph);
  EXPECT_EQ(last_word(), 0x03030304);
  EXPECT_EQ(cudaMemset(scratch, 0, kBytes), cudaErrorInvalidValue) << "the graph has freed it";
  EXPECT_EQ(cudaMemset(words_, 0, kBytes), cudaSuccess);
  launch(graph);
  EXPECT_EQ(last_word(), 0x03030304) << "each launch allocates";
  cudaGraph_t clone = nullptr;
  EXPECT_EQ(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

// One node that allocates, and no other.
class AllocatingGraph : public Graphs {
 protected:
  void SetUp() override {
    Graphs::SetUp();
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t node = nullptr;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    cudaMemAllocNodeParams allocation{};
    allocation.bytesize = kBytes;
    ASSERT_EQ(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &allocation), cudaSuccess);
    made_ = allocation.dptr;
    ASSERT_EQ(cudaGraphInstantiate(&once_, graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&often_, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch),
              cudaSuccess);
    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }

  [[nodiscard]] static std::size_t bytes(cudaGraphMemAttributeType attribute) {
    std::size_t found = 0;
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, attribute, &found), cudaSuccess);
    return found;
  }

  void* made_ = nullptr;
  cudaGraphExec_t once_ = nullptr;
  cudaGraphExec_t often_ = nullptr;
};

TEST_F(AllocatingGraph, LeavesItsMemoryToTheProgram) {
  EXPECT_EQ(bytes(cudaGraphMemAttrUsedMemCurrent), 0U);
  EXPECT_EQ(bytes(cudaGraphMemAttrReservedMemCurrent), kBytes);
  EXPECT_EQ(cudaGraphLaunch(once_, stream_), cudaSuccess);
  EXPECT_EQ(bytes(cudaGraphMemAttrUsedMemCurrent), kBytes);
  EXPECT_EQ(cudaMemset(made_, 1, kBytes), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(once_, stream_), cudaErrorInvalidValue) << "it is allocated still";
  EXPECT_EQ(cudaGraphLaunch(often_, stream_), cudaSuccess) << "frees it before";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(made_), cudaSuccess);
  EXPECT_EQ(cudaFree(made_), cudaErrorInvalidValue) << "freed already";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(bytes(cudaGraphMemAttrUsedMemCurrent), 0U);
  EXPECT_EQ(bytes(cudaGraphMemAttrUsedMemHigh), kBytes);
  EXPECT_EQ(cudaGraphExecDestroy(once_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(often_), cudaSuccess);
}

TEST_F(AllocatingGraph, ThatIsGoneLeavesWhatItAllocated) {
  EXPECT_EQ(cudaGraphLaunch(once_, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(once_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(often_), cudaSuccess);
  EXPECT_EQ(bytes(cudaGraphMemAttrReservedMemCurrent), 0U);
  EXPECT_EQ(cudaMemset(made_, 1, kBytes), cudaSuccess);
  EXPECT_EQ(cudaFree(made_), cudaSuccess);
  EXPECT_EQ(cudaFree(made_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

// What a launch finds was never written, whatever the one before left there.
TEST_F(AllocatingGraph, AllocatesUnwrittenMemoryEachTime) {
  const auto use = [&] {
    cudaLaunchConfig_t config{dim3(1), dim3(32), 0, stream_, nullptr, 0};
    return observe([&] {
      EXPECT_EQ(cudaLaunchKernelEx(&config, scale_and_add, static_cast<int*>(made_), 1, 1),
                cudaSuccess);
    });
  };
  EXPECT_EQ(cudaGraphLaunch(once_, stream_), cudaSuccess);
  EXPECT_EQ(cudaMemset(made_, 0, kBytes), cudaSuccess);
  EXPECT_TRUE(use().errors.empty());
  EXPECT_EQ(cudaGraphLaunch(often_, stream_), cudaSuccess);
  const auto errors = use().errors;
  ASSERT_FALSE(errors.empty());
  EXPECT_NE(errors.front().find("nothing has written"), std::string::npos) << errors.front();
  EXPECT_EQ(cudaFree(made_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(once_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(often_), cudaSuccess);
}

}  // namespace
}  // namespace warpgauge::emulator
