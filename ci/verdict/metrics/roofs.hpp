// SPDX-License-Identifier: Apache-2.0
// What the chip can do at most, beside the memory's bandwidth, and how close a benchmark comes: to
// what its shared memory moves and what its arithmetic units do in a second.
//
// These roofs are given, not measured: figures of the CUDA C++ Programming Guide for a
// multiprocessor and a cycle, times the multiprocessors and the clock that the session names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/verdict/verdict.hpp"
#include "profiling/results/session.hpp"

namespace warpgauge::ci {

struct Roof {
  double per_second = 0;  // bytes or operations
  std::string from;       // "132 multiprocessors × 128 B × 1,980 MHz"
};

struct Roofs {
  std::optional<Roof> shared_memory;  // bytes
  std::optional<Roof> arithmetic;     // of 32-bit floats, a fused multiply-add being two operations
};

// Absent where the session does not name the multiprocessors, the clock, or a chip that is known.
[[nodiscard]] Roofs roofs_of(const results::Session& session);

// Of the new side.
struct Reached {
  // A wavefront counts as the 128 bytes that could have passed in its cycle: conflicts take them.
  std::optional<double> shared_bytes_per_second;
  std::optional<double> operations_per_second;
};

// Absent where there is no time, no count of wavefronts, or no operations.
[[nodiscard]] Reached reached(const BenchmarkVerdict& benchmark);

}  // namespace warpgauge::ci
