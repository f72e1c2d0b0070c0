// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that allocate and free, answered by the emulated device.
#include <algorithm>
#include <utility>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/graph_api.h"

namespace warpgauge::emulator {
namespace {

// What the nodes of all graphs have allocated, or would if all were.
std::size_t bytes_of_graphs(bool only_allocated) {
  std::size_t bytes = 0;
  for (const auto& [address, weak] : device().host().graph_memory) {
    const auto memory = weak.lock();
    if (memory != nullptr && (memory->is_allocated() || !only_allocated)) bytes += memory->bytes();
  }
  return bytes;
}

void note_high() {
  auto& high = device().host().graph_memory_high;
  for (const auto& [attribute, now] : {std::pair{cudaGraphMemAttrUsedMemHigh, true},
                                       std::pair{cudaGraphMemAttrReservedMemHigh, false}}) {
    high[attribute] = std::max(high[attribute], bytes_of_graphs(now));
  }
}

}  // namespace

cudaError_t add_allocation(CUgraph_st& graph, std::size_t bytes, void** pointer,
                           cudaGraphNode_t* node, std::vector<CUgraphNode_st*> after) {
  if (pointer == nullptr || bytes == 0) return device().keep(cudaErrorInvalidValue);
  auto memory = std::make_shared<GraphMemory>(device().memory(), bytes);
  if (memory->address() == nullptr) return device().keep(cudaErrorMemoryAllocation);
  // Allocated still, by an earlier launch: that is an error, as in CUDA.
  const auto allocate = [memory] {
    if (!memory->begin()) return device().keep(cudaErrorInvalidValue);
    note_high();
    return cudaSuccess;
  };
  CUgraphNode_st* made = graph.add(cudaGraphNodeTypeMemAlloc, allocate, std::move(after));
  made->memory = memory;
  if (node != nullptr) *node = made;
  *pointer = memory->address();
  device().host().graph_memory[memory->address()] = memory;
  note_high();
  return cudaSuccess;
}

std::optional<cudaError_t> free_graph_memory(void* pointer) {
  auto& all = device().host().graph_memory;
  const auto found = all.find(pointer);
  if (found == all.end()) return std::nullopt;
  if (const auto memory = found->second.lock()) {
    return memory->end() ? cudaSuccess : cudaErrorInvalidValue;
  }
  all.erase(found);
  return std::nullopt;
}

}  // namespace warpgauge::emulator

using namespace warpgauge::emulator;

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  if (node == nullptr || parameters == nullptr || (count > 0 && dependencies == nullptr) ||
      device().host().graphs.find(graph) == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  return add_allocation(*graph, parameters->bytesize, &parameters->dptr, node,
                        {dependencies, dependencies + count});
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer) {
  if (node == nullptr || (count > 0 && dependencies == nullptr) ||
      device().host().graphs.find(graph) == nullptr ||
      !device().host().graph_memory.contains(pointer)) {
    return device().keep(cudaErrorInvalidValue);
  }
  *node = graph->add(cudaGraphNodeTypeMemFree, [=] { return cudaFree(pointer); },
                     {dependencies, dependencies + count});
  return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int ordinal, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (ordinal != 0) return device().keep(cudaErrorInvalidDevice);
  if (value == nullptr || attribute < cudaGraphMemAttrUsedMemCurrent ||
      attribute > cudaGraphMemAttrReservedMemHigh) {
    return device().keep(cudaErrorInvalidValue);
  }
  const bool now = attribute == cudaGraphMemAttrUsedMemCurrent ||
                   attribute == cudaGraphMemAttrReservedMemCurrent;
  *static_cast<std::size_t*>(value) =
      now ? bytes_of_graphs(attribute == cudaGraphMemAttrUsedMemCurrent)
          : device().host().graph_memory_high[attribute];
  return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int ordinal, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (ordinal != 0) return device().keep(cudaErrorInvalidDevice);
  const bool high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  if (!high || value == nullptr || *static_cast<const std::size_t*>(value) != 0) {
    return device().keep(cudaErrorInvalidValue);
  }
  device().host().graph_memory_high[attribute] = 0;
  return cudaSuccess;
}

// Memory that no node has allocated takes no room already.
cudaError_t cudaDeviceGraphMemTrim(int ordinal) {
  return ordinal == 0 ? cudaSuccess : device().keep(cudaErrorInvalidDevice);
}
