// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording/graph_kernels.hpp"

namespace warpgauge::inject {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;

// Of this thread: a graph is made ready to run, for which its nodes are copied.
thread_local bool makes_ready = false;

}  // namespace

const std::vector<CUpti_CallbackId>& GraphKernels::events() {
  static const std::vector<CUpti_CallbackId> all{
      CUPTI_CBID_RESOURCE_GRAPH_CREATED,
      CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING,
      CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
      CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
      CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING,
      CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING,
      CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
      CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING,
  };
  return all;
}

void GraphKernels::happened(CUpti_CallbackId event, const CUpti_GraphData& graph, InCall call) {
  const std::lock_guard lock(mutex_);
  switch (event) {
    case CUPTI_CBID_RESOURCE_GRAPH_CREATED:
    case CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING:
      return forget(graph.graph);
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
      return add(graph, call);
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
      if (!makes_ready) copy(graph);
      return;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING: {
      const auto known = graphs_.find(graph.graph);
      if (known != graphs_.end()) nodes_ -= known->second.kernels.erase(graph.node);
      return;
    }
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING:
      makes_ready = true;
      return;
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED: {
      makes_ready = false;
      const auto known = graphs_.find(graph.graph);
      const bool counts = known != graphs_.end() && !known->second.unknown;
      ready_[graph.graphExec] = counts ? known->second.kernels.size() : 0;
      return;
    }
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING:
      ready_.erase(graph.graphExec);
      return;
    default:
      return;
  }
}

void GraphKernels::add(const CUpti_GraphData& node, InCall call) {
  Graph& graph = graphs_[node.graph];
  if (call == InCall::of_kernel) return add_kernel(graph, node.node);
  if (call == InCall::of_copy) return;
  switch (node.nodeType) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_HOST:
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return;
    default:
      graph.unknown = true;
  }
}

void GraphKernels::add_kernel(Graph& graph, CUgraphNode node) {
  if (nodes_ >= kMostNodes) {
    graph.unknown = true;
  } else if (graph.kernels.insert(node).second) {
    ++nodes_;
  }
}

// Of a graph that is copied as a whole.
void GraphKernels::copy(const CUpti_GraphData& node) {
  Graph& graph = graphs_[node.graph];
  const auto original = graphs_.find(node.originalGraph);
  if (original == graphs_.end() || original->second.unknown) {
    graph.unknown = true;
  } else if (original->second.kernels.contains(node.originalNode)) {
    add_kernel(graph, node.node);
  }
}

void GraphKernels::forget(CUgraph graph) {
  const auto known = graphs_.find(graph);
  if (known == graphs_.end()) return;
  nodes_ -= known->second.kernels.size();
  graphs_.erase(known);
}

void GraphKernels::switched(CUgraphExec graph) {
  const std::lock_guard lock(mutex_);
  ready_[graph] = 0;
}

std::uint64_t GraphKernels::of(CUgraphExec graph) const {
  const std::lock_guard lock(mutex_);
  const auto known = ready_.find(graph);
  return known == ready_.end() ? 0 : known->second;
}

}  // namespace warpgauge::inject
