// SPDX-License-Identifier: Apache-2.0
// What a program makes by the CUDA runtime API besides memory: streams, events, graphs, settings.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "profiling/emulator/api/graph_memory.hpp"
#include "profiling/emulator/api/handles.hpp"
#include "profiling/emulator/api/random_generator.hpp"
#include "profiling/emulator/api/texture_objects.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/device_api.h"
#include "profiling/emulator/include/warpgauge_emulator/host_api/graph_api.h"
#include "profiling/emulator/include/warpgauge_emulator/host_api/kernel_pointers.h"

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  CUgraph_st* capture = nullptr;                               // that the stream's work is added to
  std::map<cudaStreamAttrID, cudaStreamAttrValue> attributes;  // that were set
  bool began_capture = false;                                  // and not only joined it
};

struct CUevent_st {
  bool timing = true;  // whether CUDA would measure times with it
  bool recorded = false;
  std::chrono::steady_clock::time_point time{};
  CUgraph_st* capture = nullptr;  // of the stream that it was recorded in
};

struct CUmemPoolHandle_st {
  std::map<int, unsigned long long> attributes;
};

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> run;
  std::vector<CUgraphNode_st*> after;
  std::shared_ptr<warpgauge::emulator::GraphMemory> memory;  // that the node allocates
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  CUgraphNode_st* add(cudaGraphNodeType type, std::function<cudaError_t()> run,
                      std::vector<CUgraphNode_st*> after = {}) {
    nodes.push_back(std::make_unique<CUgraphNode_st>(
        CUgraphNode_st{type, std::move(run), std::move(after), {}}));
    return nodes.back().get();
  }
};

struct CUgraphExec_st {
  struct Step {
    const CUgraphNode_st* node;
    cudaGraphNodeType type;
    std::function<cudaError_t()> run;
    std::shared_ptr<warpgauge::emulator::GraphMemory> memory;
  };
  std::vector<Step> steps;  // in an order that the edges allow
  bool frees_on_launch = false;
};

namespace warpgauge::emulator {

struct HostObjects {
  std::set<void*> pinned;                // allocations that the program uses as host memory
  std::map<void*, unsigned> registered;  // memory of the program that kernels may use, with flags
  std::set<void*> managed;
  Handles<CUstream_st> streams;
  std::map<cudaStreamAttrID, cudaStreamAttrValue> default_attributes;  // of the default streams
  Handles<CUevent_st> events;
  Handles<CUmemPoolHandle_st> pools;
  CUmemPoolHandle_st default_pool;
  Handles<CUgraph_st> graphs;
  Handles<CUgraphExec_st> executables;
  std::map<void*, std::weak_ptr<GraphMemory>> graph_memory;  // by its address
  std::map<cudaGraphMemAttributeType, std::size_t> graph_memory_high;
  Handles<curandGenerator_st> generators;
  Handles<cudaArray> arrays;
  Handles<Texture> textures;
  Handles<Texture> surfaces;
  std::map<const void*, warpgauge_emulator::KernelSignature> signatures;
  std::map<int, std::size_t> limits;  // by cudaLimit, that were set
  unsigned device_flags = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
};

// Does the work at once, or adds it to the graph that the stream is captured for.
cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type,
                      const std::function<cudaError_t()>& work);

// The graph that the stream is captured for, or nullptr.
[[nodiscard]] CUgraph_st* captured_by(cudaStream_t stream);

// Adds a node that allocates; its address is known at once.
cudaError_t add_allocation(CUgraph_st& graph, std::size_t bytes, void** pointer,
                           cudaGraphNode_t* node = nullptr,
                           std::vector<CUgraphNode_st*> after = {});

// Frees memory that a graph's node allocated. std::nullopt: no graph has it.
[[nodiscard]] std::optional<cudaError_t> free_graph_memory(void* pointer);

// Whether it is one of those that are always there, or was created.
[[nodiscard]] bool is_stream(cudaStream_t stream);

}  // namespace warpgauge::emulator
