// SPDX-License-Identifier: Apache-2.0
// How many kernels a launch of a graph runs, as far as that is known: its nodes are seen as they
// are made.
//
// What a node is of is told by the call that makes it, since CUPTI calls nodes of copies and
// memsets nodes of kernels, too (seen with CUDA 13.0).
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace warpgauge::inject {

// The call that a thread is in.
enum class InCall { other, of_kernel, of_copy };

class GraphKernels {
 public:
  // What happens to graphs that it must see, but for the driver's cuGraphNodeSetEnabled.
  static const std::vector<CUpti_CallbackId>& events();
  void happened(CUpti_CallbackId event, const CUpti_GraphData& graph, InCall call);
  // Some of its nodes may be switched off from now on.
  void switched(CUgraphExec graph);

  // 0: not known, as with graphs within graphs and with conditions.
  [[nodiscard]] std::uint64_t of(CUgraphExec graph) const;

  // Around a fork.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Graph {
    std::unordered_set<CUgraphNode> kernels;
    bool unknown = false;
  };

  void add(const CUpti_GraphData& node, InCall call);
  void add_kernel(Graph& graph, CUgraphNode node);
  void copy(const CUpti_GraphData& node);
  void forget(CUgraph graph);

  mutable std::mutex mutex_;
  std::unordered_map<CUgraph, Graph> graphs_;
  std::unordered_map<CUgraphExec, std::uint64_t> ready_;
  std::size_t nodes_ = 0;  // of all graphs_
};

}  // namespace warpgauge::inject
