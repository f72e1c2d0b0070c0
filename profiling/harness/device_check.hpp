// SPDX-License-Identifier: Apache-2.0
// Checks results in device memory without copying all of them to the host at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiling/harness/check.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/parallel.hpp"
#include "profiling/harness/random_input.hpp"
#include "profiling/harness/unforeseen.hpp"

namespace warpgauge {

namespace detail {

// Elements copied to the host at a time.
inline constexpr std::size_t kCheckedTogether = std::size_t{1} << 25;

// A sampled check compares this many stretches of this many elements.
inline constexpr std::size_t kSampledStretches = 256;
inline constexpr std::size_t kStretch = 256;

template <class T, class Reference>
Check compare_stretch(const DeviceBuffer<T>& values, std::size_t first, std::size_t count,
                      Reference& reference, Tolerance tolerance) {
  const std::vector<T> host = values.to_host(first, count);
  Check check;
  for (const Check& part : map_parts(count, [&](std::size_t begin, std::size_t end) {
         auto own = reference;  // a reference may cache its last position
         return compare(std::span<const T>(host).subspan(begin, end - begin), own, tolerance,
                        first + begin);
       })) {
    check.add(part);
  }
  return check;
}

}  // namespace detail

// Compares values[i] with reference(i), for all elements or for a sample; small results are always
// compared in full. Threads compare parts in parallel, each with its own copy of `reference`. NaN
// never passes, on either side.
template <class T, class Reference>
[[nodiscard]] Check compare(const DeviceBuffer<T>& values, Reference&& reference,
                            Tolerance tolerance, Coverage coverage) {
  using namespace detail;
  const std::size_t n = values.size();
  Check check;
  if (coverage == Coverage::full || n <= 2 * kSampledStretches * kStretch) {
    for (std::size_t first = 0; first < n; first += kCheckedTogether) {
      check.add(compare_stretch(values, first, std::min(kCheckedTogether, n - first), reference,
                                tolerance));
    }
    return check;
  }
  // One stretch at a random place in each of equal parts; the first and last lie at the ends. Where
  // they lie differs from process to process: no kernel can know which elements are checked.
  static const std::uint64_t places = unforeseen_number();
  const std::size_t part = n / kSampledStretches;
  for (std::size_t i = 0; i < kSampledStretches; ++i) {
    const std::size_t first = i == 0 ? 0
                              : i + 1 == kSampledStretches
                                  ? n - kStretch
                                  : i * part + split_mix(places + i) % (part - kStretch);
    check.add(compare_stretch(values, first, kStretch, reference, tolerance));
  }
  return check;
}

}  // namespace warpgauge
