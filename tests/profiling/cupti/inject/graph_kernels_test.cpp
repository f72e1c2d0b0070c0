// SPDX-License-Identifier: Apache-2.0
// How many kernels a graph runs is known by the calls that made its nodes. Needs no GPU.
#include "profiling/cupti/inject/recording/graph_kernels.hpp"

#include <gtest/gtest.h>

namespace warpgauge::inject {
namespace {

template <class Handle>
Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

class GraphNodes : public ::testing::Test {
 protected:
  void node(std::uintptr_t graph, std::uintptr_t number, CUgraphNodeType type, InCall call) {
    happened(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, graph, number, type, call);
  }

  void cloned(std::uintptr_t graph, std::uintptr_t number, std::uintptr_t original_graph,
              std::uintptr_t original) {
    CUpti_GraphData data{};
    data.graph = handle<CUgraph>(graph);
    data.node = handle<CUgraphNode>(number);
    data.originalGraph = handle<CUgraph>(original_graph);
    data.originalNode = handle<CUgraphNode>(original);
    kernels_.happened(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, data, InCall::other);
  }

  // How many kernels one runs that is made ready now.
  std::uint64_t ready(std::uintptr_t graph) {
    const std::uintptr_t exec = graph + 1'000;
    CUpti_GraphData data{};
    data.graph = handle<CUgraph>(graph);
    data.graphExec = handle<CUgraphExec>(exec);
    kernels_.happened(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, data, InCall::other);
    kernels_.happened(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, data, InCall::other);
    return kernels_.of(handle<CUgraphExec>(exec));
  }

  void happened(CUpti_CallbackId event, std::uintptr_t graph, std::uintptr_t number,
                CUgraphNodeType type, InCall call) {
    CUpti_GraphData data{};
    data.graph = handle<CUgraph>(graph);
    data.node = handle<CUgraphNode>(number);
    data.nodeType = type;
    kernels_.happened(event, data, call);
  }

  GraphKernels kernels_;
};

// CUPTI calls all of them nodes of kernels.
TEST_F(GraphNodes, OfCopiesAndMemsetsAreNoKernels) {
  node(1, 10, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  node(1, 11, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_copy);
  node(1, 12, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_copy);
  node(1, 13, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  EXPECT_EQ(ready(1), 2U);
}

TEST_F(GraphNodes, OfOtherCallsAreWhatCuptiSaysUnlessThatIsKernels) {
  node(1, 10, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  node(1, 11, CU_GRAPH_NODE_TYPE_HOST, InCall::other);
  node(1, 12, CU_GRAPH_NODE_TYPE_MEMSET, InCall::other);
  EXPECT_EQ(ready(1), 1U);
  node(2, 20, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  node(2, 21, CU_GRAPH_NODE_TYPE_KERNEL, InCall::other);
  EXPECT_EQ(ready(2), 0U) << "not known";
  node(3, 30, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  node(3, 31, CU_GRAPH_NODE_TYPE_GRAPH, InCall::other);
  EXPECT_EQ(ready(3), 0U) << "of the graph within it";
}

TEST_F(GraphNodes, OfAGraphThatIsCopiedAreWhatTheyWere) {
  node(1, 10, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  node(1, 11, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_copy);
  cloned(2, 20, 1, 10);
  cloned(2, 21, 1, 11);
  EXPECT_EQ(ready(2), 1U);
  cloned(4, 40, 3, 30);
  EXPECT_EQ(ready(4), 0U) << "its original is not known";
}

TEST_F(GraphNodes, ThatAreDestroyedRunNoMore) {
  node(1, 10, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  node(1, 11, CU_GRAPH_NODE_TYPE_KERNEL, InCall::of_kernel);
  happened(CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, 1, 11, CU_GRAPH_NODE_TYPE_KERNEL,
           InCall::other);
  EXPECT_EQ(ready(1), 1U);
  kernels_.switched(handle<CUgraphExec>(1'001));
  EXPECT_EQ(kernels_.of(handle<CUgraphExec>(1'001)), 0U) << "a node may be off";
}

}  // namespace
}  // namespace warpgauge::inject
