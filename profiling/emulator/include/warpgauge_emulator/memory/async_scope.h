// SPDX-License-Identifier: Apache-2.0
// Common to <cuda/pipeline> and <cuda/barrier>: scopes, sizes, copies.
#pragma once

#include <cstddef>

#include "async_copy.h"

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread,
};

// A number of bytes; both ends of the copy are aligned to `Alignment`.
template <std::size_t Alignment>
struct aligned_size_t {
  static constexpr std::size_t align = Alignment;
  std::size_t value;
  explicit constexpr aligned_size_t(std::size_t bytes) : value(bytes) {}
  constexpr operator std::size_t() const { return value; }
};

}  // namespace cuda
