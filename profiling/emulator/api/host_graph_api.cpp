// SPDX-License-Identifier: Apache-2.0
// Graphs of the CUDA runtime API, answered by the emulated device.
#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/graph_api.h"

namespace {

using namespace warpgauge::emulator;

using Work = std::function<cudaError_t()>;
using Arguments = std::vector<std::vector<char>>;

cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                std::size_t count, cudaGraphNodeType type, Work work) {
  if (node == nullptr || device().host().graphs.find(graph) == nullptr ||
      (count > 0 && dependencies == nullptr)) {
    return device().keep(cudaErrorInvalidValue);
  }
  *node = graph->add(type, std::move(work),
                     std::vector<CUgraphNode_st*>(dependencies, dependencies + count));
  return cudaSuccess;
}

// The arguments as they are now. No work: the kernel or its arguments are unknown.
Work kernel_work(const cudaKernelNodeParams& parameters) {
  const auto* signature = warpgauge_emulator::find_signature(parameters.func);
  if (signature == nullptr || (signature->count > 0 && parameters.kernelParams == nullptr)) {
    return nullptr;
  }
  Arguments copies;
  for (std::size_t i = 0; i < signature->count; ++i) {
    const char* from = static_cast<const char*>(parameters.kernelParams[i]);
    copies.emplace_back(from, from + signature->sizes[i]);
  }
  return [parameters, copies, launch = signature->launch]() mutable {
    std::vector<void*> pointers;
    for (std::vector<char>& copy : copies) pointers.push_back(copy.data());
    const cudaLaunchConfig_t config{
        parameters.gridDim, parameters.blockDim, parameters.sharedMemBytes, nullptr, nullptr, 0};
    return launch(&config, parameters.func, pointers.data());
  };
}

cudaError_t set_row(char* row, const cudaMemsetParams& parameters) {
  const std::size_t size = parameters.elementSize;
  for (std::size_t i = 0; i < parameters.width; ++i) {
    std::memcpy(row + i * size, &parameters.value, size);
  }
  device().memory().note_written(row, parameters.width * size);
  return cudaSuccess;
}

cudaError_t set_rows(const cudaMemsetParams& parameters) {
  if (parameters.elementSize != 1 && parameters.elementSize != 2 && parameters.elementSize != 4) {
    return device().keep(cudaErrorInvalidValue);
  }
  for (std::size_t row = 0; row < std::max<std::size_t>(parameters.height, 1); ++row) {
    char* begin = static_cast<char*>(parameters.dst) + row * parameters.pitch;
    if (device().memory().find_allocation(reinterpret_cast<std::uintptr_t>(begin),
                                          parameters.width * parameters.elementSize) == nullptr) {
      return device().keep(cudaErrorInvalidValue);
    }
    set_row(begin, parameters);
  }
  return cudaSuccess;
}

// Nodes after those that they depend on. Fewer than there are: the edges make a circle.
std::vector<CUgraphExec_st::Step> ordered(const CUgraph_st& graph) {
  std::vector<CUgraphExec_st::Step> steps;
  std::unordered_set<const CUgraphNode_st*> done;
  for (bool found = true; found;) {
    found = false;
    for (const auto& node : graph.nodes) {
      const bool ready = std::ranges::all_of(
          node->after, [&](const CUgraphNode_st* before) { return done.contains(before); });
      if (!ready || !done.insert(node.get()).second) continue;
      steps.push_back({node.get(), node->type, node->run, node->memory});
      found = true;
    }
  }
  return steps;
}

cudaError_t run_all(const std::vector<CUgraphExec_st::Step>& steps) {
  for (const CUgraphExec_st::Step& step : steps) {
    if (!step.run) continue;
    if (const cudaError_t error = step.run(); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// Such a graph can be neither cloned nor a part of another one, as in CUDA.
bool allocates_or_frees(const CUgraph_st& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) {
    return node->type == cudaGraphNodeTypeMemAlloc || node->type == cudaGraphNodeTypeMemFree;
  });
}

// What an earlier launch left allocated.
void end_memory(const std::vector<CUgraphExec_st::Step>& steps) {
  for (const CUgraphExec_st::Step& step : steps) {
    if (step.memory != nullptr) static_cast<void>(step.memory->end());
  }
}

cudaError_t list(const std::vector<CUgraphNode_st*>& found, cudaGraphNode_t* nodes,
                 std::size_t* count) {
  if (count == nullptr) return device().keep(cudaErrorInvalidValue);
  if (nodes != nullptr) {
    *count = std::min(*count, found.size());
    std::copy_n(found.begin(), *count, nodes);
  } else {
    *count = found.size();
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (device().host().streams.find(stream) == nullptr) {
    return device().keep(cudaErrorStreamCaptureUnsupported);
  }
  if (stream->capture != nullptr) return device().keep(cudaErrorIllegalState);
  stream->capture = device().host().graphs.create({});
  stream->began_capture = true;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (graph == nullptr) return device().keep(cudaErrorInvalidValue);
  if (device().host().streams.find(stream) == nullptr || !stream->began_capture) {
    return device().keep(cudaErrorStreamCaptureUnmatched);
  }
  *graph = stream->capture;
  device().host().streams.for_each([&](CUstream_st& each) {
    if (each.capture == *graph) each.capture = nullptr;
  });
  device().host().events.for_each([&](CUevent_st& each) {
    if (each.capture == *graph) each.capture = nullptr;
  });
  stream->began_capture = false;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return device().keep(cudaErrorInvalidValue);
  if (!is_stream(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  const CUstream_st* made = device().host().streams.find(stream);
  *status = made != nullptr && made->capture != nullptr ? cudaStreamCaptureStatusActive
                                                        : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  if (graph == nullptr || flags != 0) return device().keep(cudaErrorInvalidValue);
  *graph = device().host().graphs.create({});
  return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  if (clone == nullptr || device().host().graphs.find(graph) == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  if (allocates_or_frees(*graph)) return device().keep(cudaErrorNotSupported);
  CUgraph_st copy;
  std::map<const CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const auto& node : graph->nodes) copies[node.get()] = copy.add(node->type, node->run);
  for (const auto& node : graph->nodes) {
    for (const CUgraphNode_st* before : node->after) {
      copies[node.get()]->after.push_back(copies[before]);
    }
  }
  *clone = device().host().graphs.create(std::move(copy));
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return device().keep(device().host().graphs.destroy(graph) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
  if (parameters == nullptr) return device().keep(cudaErrorInvalidValue);
  Work work = kernel_work(*parameters);
  if (!work) return device().keep(cudaErrorInvalidDeviceFunction);
  return add(node, graph, dependencies, count, cudaGraphNodeTypeKernel, std::move(work));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  if (parameters == nullptr) return device().keep(cudaErrorInvalidValue);
  return add(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy,
             [copy = *parameters] { return cudaMemcpy3D(&copy); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, cudaGraphNodeTypeMemcpy,
             [=] { return cudaMemcpy(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters) {
  if (parameters == nullptr) return device().keep(cudaErrorInvalidValue);
  return add(node, graph, dependencies, count, cudaGraphNodeTypeMemset,
             [set = *parameters] { return set_rows(set); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
  if (parameters == nullptr) return device().keep(cudaErrorInvalidValue);
  return add(node, graph, dependencies, count, cudaGraphNodeTypeHost, [call = *parameters] {
    call.fn(call.userData);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
  return add(node, graph, dependencies, count, cudaGraphNodeTypeEmpty, nullptr);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
  if (device().host().graphs.find(child) == nullptr) return device().keep(cudaErrorInvalidValue);
  if (allocates_or_frees(*child)) return device().keep(cudaErrorNotSupported);
  return add(node, graph, dependencies, count, cudaGraphNodeTypeGraph,
             [steps = ordered(*child)] { return run_all(steps); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  if (device().host().graphs.find(graph) == nullptr) return device().keep(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (device().host().graphs.find(graph) == nullptr) return device().keep(cudaErrorInvalidValue);
  std::vector<CUgraphNode_st*> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return list(all, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (device().host().graphs.find(graph) == nullptr) return device().keep(cudaErrorInvalidValue);
  std::vector<CUgraphNode_st*> roots;
  for (const auto& node : graph->nodes) {
    if (node->after.empty()) roots.push_back(node.get());
  }
  return list(roots, nodes, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (node == nullptr || type == nullptr) return device().keep(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  if (node == nullptr || parameters == nullptr || node->type != cudaGraphNodeTypeKernel) {
    return device().keep(cudaErrorInvalidValue);
  }
  Work work = kernel_work(*parameters);
  if (!work) return device().keep(cudaErrorInvalidDeviceFunction);
  node->run = std::move(work);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  if (executable == nullptr || device().host().graphs.find(graph) == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  CUgraphExec_st made{ordered(*graph), (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0};
  if (made.steps.size() < graph->nodes.size()) return device().keep(cudaErrorInvalidValue);
  *executable = device().host().executables.create(std::move(made));
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return device().keep(device().host().executables.destroy(executable) ? cudaSuccess
                                                                       : cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (device().host().executables.find(executable) == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  return in_stream(stream, cudaGraphNodeTypeGraph,
                   [steps = executable->steps, frees = executable->frees_on_launch] {
                     if (frees) end_memory(steps);
                     return run_all(steps);
                   });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return device().keep(device().host().executables.find(executable) != nullptr
                           ? cudaSuccess
                           : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  if (device().host().executables.find(executable) == nullptr || parameters == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  const auto step = std::ranges::find(executable->steps, node, &CUgraphExec_st::Step::node);
  if (step == executable->steps.end() || step->type != cudaGraphNodeTypeKernel) {
    return device().keep(cudaErrorInvalidValue);
  }
  Work work = kernel_work(*parameters);
  if (!work) return device().keep(cudaErrorInvalidDeviceFunction);
  step->run = std::move(work);
  return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  if (device().host().executables.find(executable) == nullptr || result == nullptr ||
      device().host().graphs.find(graph) == nullptr) {
    return device().keep(cudaErrorInvalidValue);
  }
  std::vector<CUgraphExec_st::Step> steps = ordered(*graph);
  const bool same = std::ranges::equal(steps, executable->steps, {}, &CUgraphExec_st::Step::type,
                                       &CUgraphExec_st::Step::type);
  *result = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr,
             nullptr};
  if (!same) return device().keep(cudaErrorGraphExecUpdateFailure);
  executable->steps = std::move(steps);
  return cudaSuccess;
}
