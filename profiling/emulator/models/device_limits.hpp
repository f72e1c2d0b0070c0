// SPDX-License-Identifier: Apache-2.0
// The emulated device's limits: per block those of sm_90 (CUDA C++ Programming Guide, "Technical
// Specifications"), but few multiprocessors, because all blocks of a cooperative launch must be
// resident and each needs a host thread.
#pragma once

#include <cstddef>

namespace warpgauge::emulator {

inline constexpr int kComputeCapabilityMajor = 9;
inline constexpr int kComputeCapabilityMinor = 0;

inline constexpr unsigned kMultiprocessors = 4;
inline constexpr unsigned kBlocksPerMultiprocessor = 4;
inline constexpr unsigned kThreadsPerMultiprocessor = 2048;
inline constexpr unsigned kMaxThreadsPerBlock = 1024;
inline constexpr unsigned kMaxBlockDepth = 64;
inline constexpr unsigned kMaxGridWidth = 0x7fffffff;
inline constexpr unsigned kMaxGridHeight = 65535;  // and depth

// Blocks of a cluster: on every device that has clusters, and on this one.
inline constexpr unsigned kMaxPortableCluster = 8;
inline constexpr unsigned kMaxNonPortableCluster = 16;

inline constexpr std::size_t kSharedBytesPerMultiprocessor = std::size_t{228} << 10;
inline constexpr std::size_t kReservedSharedBytesPerBlock = std::size_t{1} << 10;
inline constexpr std::size_t kMaxSharedBytes = std::size_t{227} << 10;
// The limit for a kernel without cudaFuncSetAttribute.
inline constexpr std::size_t kDefaultSharedBytes = std::size_t{48} << 10;
inline constexpr std::size_t kConstantBytes = std::size_t{64} << 10;
inline constexpr int kRegistersPerMultiprocessor = 65536;
// An H200's: nothing here takes that long, but programs divide by them.
inline constexpr int kClockKilohertz = 1980000;
inline constexpr int kMemoryClockKilohertz = 3201000;
inline constexpr int kMemoryBusBits = 6144;
inline constexpr std::size_t kL2CacheBytes = std::size_t{50} << 20;  // nothing is cached

}  // namespace warpgauge::emulator
