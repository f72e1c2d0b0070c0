// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/refusals.hpp"

#include <array>
#include <sstream>
#include <string_view>

#include "profiling/emulator/compile/identifiers.hpp"

namespace warpgauge::emulator {
namespace {

struct Missing {
  std::string_view begin;  // of a header's name, or of an identifier
  std::string_view what;
};

constexpr auto kHeaders = std::to_array<Missing>({
    {"thrust/", "Thrust"},
    {"cub/", "CUB"},
    {"cuda/", "libcu++ header of this name"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTLASS"},
    {"cublas", "cuBLAS"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cufft", "cuFFT"},
    {"curand", "cuRAND header of this name"},
    {"cudnn", "cuDNN"},
    {"nccl", "NCCL"},
    {"npp", "NPP"},
    {"nvjpeg", "nvJPEG"},
    {"nvrtc", "NVRTC"},
    {"nvJitLink", "nvJitLink"},
    {"nvml", "NVML"},
    {"nvshmem", "NVSHMEM"},
    {"cudaGL", "graphics interoperability"},
    {"cuda_gl_interop", "graphics interoperability"},
    {"cudaEGL", "graphics interoperability"},
    {"texture_fetch", "texture references"},
    {"surface_func", "texture references"},
});

constexpr auto kNames = std::to_array<Missing>({
    {"cudaBindTexture", "texture references"},
    {"cudaBindSurface", "texture references"},
    {"cudaUnbindTexture", "texture references"},
    {"texture", "texture references"},
    {"surface", "texture references"},
    {"textureReference", "texture references"},
    {"cudaMallocMipmapped", "mipmaps"},
    {"cudaGetMipmapped", "mipmaps"},
    {"cudaFreeMipmapped", "mipmaps"},
    {"tex1D", "textures of this kind"},
    {"tex2D", "textures of this kind"},
    {"tex3D", "textures of this kind"},
    {"texCubemap", "textures of this kind"},
    {"surf1D", "surfaces of this kind"},
    {"surf2D", "surfaces of this kind"},
    {"surf3D", "surfaces of this kind"},
    {"surfCubemap", "surfaces of this kind"},
    {"cudaIpc", "memory shared between processes"},
    {"thread_scope_cluster", "scope of a cluster"},
    {"__cluster_dims__", "__cluster_dims__ of a declaration without the body"},
    {"__cluster", "function of clusters of this name"},
    {"cudaLaunchAttributeCluster", "scheduling policies of clusters"},
    {"cudaOccupancyMaxActiveClusters", "occupancy of clusters"},
    {"cudaOccupancyMaxPotentialClusterSize", "occupancy of clusters"},
    {"barrier_arrive_tx", "barriers with transactions"},
    {"barrier_expect_tx", "barriers with transactions"},
    {"memcpy_async_tx", "barriers with transactions"},
    {"barrier_native_handle", "barriers with transactions"},
    {"CUmodule", "driver API"},
    {"CUfunction", "driver API"},
    {"CUlinkState", "driver API"},
    {"CUmem", "driver API"},
    {"cuModule", "driver API"},
    {"cuLaunchKernel", "driver API"},
    {"cuCtx", "driver API"},
    {"cuMem", "driver API"},
    {"curandState", "quasi-random numbers of cuRAND, nor MTGP32 in kernels"},
    {"curandDirectionVectors", "quasi-random numbers of cuRAND"},
    {"curandGetDirectionVectors", "quasi-random numbers of cuRAND"},
    {"curandSetQuasiRandom", "quasi-random numbers of cuRAND"},
    {"CURAND_RNG_QUASI", "quasi-random numbers of cuRAND"},
    {"CURAND_ORDERING_QUASI", "quasi-random numbers of cuRAND"},
    {"curand", "cuRAND function of this name"},
    {"cudaGraphConditional", "conditional nodes of graphs"},
    {"cudaGraphMemAllocNodeGet", "questions for what a graph's node allocates"},
    {"cudaGraphMemFreeNodeGet", "questions for what a graph's node frees"},
});

// Where a whole program might name these itself, only the exact one.
bool is_named(std::string_view name, const Missing& missing) {
  if (missing.begin == "texture" || missing.begin == "surface") return name == missing.begin;
  return name.starts_with(missing.begin);
}

template <class List>
const Missing* find(const List& list, std::string_view name) {
  for (const Missing& missing : list) {
    if (is_named(name, missing)) return &missing;
  }
  return nullptr;
}

constexpr std::string_view kHasNo = "the emulator has no ";
constexpr std::string_view kAdvice =
    "; leave this file out of what is emulated, or write that part as a kernel";

std::string told(const Missing& missing, std::string_view name) {
  return std::string(kHasNo) + std::string(missing.what) + " (" + std::string(name) + ")" +
         std::string(kAdvice);
}

// "header.h: No such file or directory", without g++'s "fatal error: ".
std::string of_header(std::string_view error) {
  constexpr std::string_view kBegin = "fatal error: ";
  const std::size_t end = error.find(": No such file or directory");
  if (!error.starts_with(kBegin) || end == std::string_view::npos) return "";
  const std::string_view name = error.substr(kBegin.size(), end - kBegin.size());
  const Missing* missing = find(kHeaders, name);
  return missing == nullptr ? "" : told(*missing, name);
}

// The first name in the text that the emulator is known to lack.
std::string named_in(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_of_identifier(text[end])) ++end;
    const std::string_view name = text.substr(begin, end - begin);
    const Missing* missing = find(kNames, name);
    if (missing != nullptr) return told(*missing, name);
    begin = end + 1;
  }
  return "";
}

// The first such name in the error, if g++ does not know it either.
std::string of_name(std::string_view error) {
  if (!error.starts_with("error: ")) return "";
  constexpr auto kUnknown = std::to_array<std::string_view>(
      {"has not been declared", "was not declared", "does not name a", "no template named",
       "is not a member", "there are no arguments to", "not found by", "expected",
       "declared void"});
  bool unknown = false;
  for (const std::string_view words : kUnknown) {
    unknown |= error.find(words) != std::string_view::npos;
  }
  if (!unknown) return "";
  return named_in(error.substr(0, error.find("; did you mean")));
}

// What g++ does not name but shows in the next line: an attribute before a kernel.
std::string of_attribute(std::string_view error, std::istream& lines) {
  constexpr std::string_view kBegin = "error: expected constructor, destructor, or type conversion";
  std::string shown;
  if (!error.starts_with(kBegin) || !std::getline(lines, shown)) return "";
  const std::size_t at = shown.find("__cluster_dims__");
  return at == std::string::npos ? "" : named_in(std::string_view(shown).substr(at));
}

std::string of_own_header(std::string_view error) {
  constexpr std::string_view kBegin = "error: #error Warpgauge: ";
  return error.starts_with(kBegin) ? std::string(error.substr(kBegin.size())) : "";
}

// A static assertion of the emulator's headers.
std::string of_assertion(std::string_view error) {
  constexpr std::string_view kBegin = "error: static assertion failed: ";
  if (!error.starts_with(kBegin)) return "";
  error.remove_prefix(kBegin.size());
  return error.starts_with(kHasNo) ? std::string(error).append(kAdvice) : "";
}

// "file.cu:3" of "file.cu:3:10: error: ...".
std::string place_of(std::string_view before) {
  const std::size_t column = before.find_last_of(':', before.find_last_not_of(": "));
  return std::string(before.substr(0, column));
}

}  // namespace

std::string refusal_in(const std::string& errors) {
  constexpr auto kFrom =
      std::to_array<std::string_view>({"In file included from ", "                 from "});
  std::istringstream lines(errors);
  std::string outermost;  // the file that includes those of the error
  std::string required;   // where the template of the error is used
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view from : kFrom) {
      if (!line.starts_with(from)) continue;
      outermost = line.substr(from.size(), line.find_last_not_of(":,") + 1 - from.size());
    }
    if (const std::size_t from = line.find(":   required from here"); from != std::string::npos) {
      required = place_of(line.substr(0, from));
    }
    std::size_t at = line.find("fatal error: ");
    if (at == std::string::npos) at = line.find("error: ");
    if (at == std::string::npos) continue;
    const std::string_view error = std::string_view(line).substr(at);
    if (const std::string refusal = of_assertion(error); !refusal.empty() && !required.empty()) {
      return required.append(": ").append(refusal);
    }
    std::string refusal;
    for (const auto& reason : {of_own_header, of_assertion, of_header, of_name}) {
      if (refusal.empty()) refusal = reason(error);
    }
    if (refusal.empty()) refusal = of_attribute(error, lines);
    if (!refusal.empty()) {
      return (outermost.empty() ? place_of(std::string_view(line).substr(0, at)) : outermost) +
             ": " + refusal;
    }
    outermost.clear();
    required.clear();
  }
  return "";
}

}  // namespace warpgauge::emulator
