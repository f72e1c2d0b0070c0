// SPDX-License-Identifier: Apache-2.0
// Parallel work on the host (references, checks), which would take longer than the measurement if
// one thread did it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace warpgauge {

// For fewer elements, a thread costs more than it saves.
inline constexpr std::size_t kSmallestPart = std::size_t{1} << 16;

// Runs body(begin, end) for parts of [0, count) in parallel and returns the results in order. Calls
// of `body` must not write shared data. If a part throws, the exception is rethrown when all parts
// have ended. No part is smaller than `smallest`, unless `count` is.
template <class Body>
[[nodiscard]] auto map_parts(std::size_t count, Body&& body, std::size_t smallest = kSmallestPart) {
  using Result = std::invoke_result_t<Body&, std::size_t, std::size_t>;
  const std::size_t parts = std::clamp<std::size_t>(
      count / smallest, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<Result> results(parts);
  std::vector<std::exception_ptr> thrown(parts);
  const auto run = [&](std::size_t part) {
    try {
      results[part] = body(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t part = 1; part < parts; ++part) threads.emplace_back(run, part);
    run(0);
  }
  for (const std::exception_ptr& each : thrown) {
    if (each) std::rethrow_exception(each);
  }
  return results;
}

// Returns element(i) for all i in [0, count), in order; for elements that take long to compute.
template <class Element>
[[nodiscard]] auto map_each(std::size_t count, Element&& element) {
  using Result = std::invoke_result_t<Element&, std::size_t>;
  std::vector<Result> results;
  results.reserve(count);
  for (const auto& part : map_parts(
           count,
           [&](std::size_t begin, std::size_t end) {
             std::vector<Result> own;
             for (std::size_t i = begin; i < end; ++i) own.push_back(element(i));
             return own;
           },
           16)) {
    results.insert(results.end(), part.begin(), part.end());
  }
  return results;
}

// The sum of element(i) over [0, count): in parts, each summed from left to right.
template <class Sum, class Element>
[[nodiscard]] Sum parallel_sum(std::size_t count, Element&& element) {
  Sum total = 0;
  for (const Sum part : map_parts(count, [&](std::size_t begin, std::size_t end) {
         Sum sum = 0;
         for (std::size_t i = begin; i < end; ++i) sum += static_cast<Sum>(element(i));
         return sum;
       })) {
    total += part;
  }
  return total;
}

}  // namespace warpgauge
