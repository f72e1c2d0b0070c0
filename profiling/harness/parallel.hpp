// SPDX-License-Identifier: Apache-2.0
// Work on the host that would otherwise take longer than what is measured: references, checks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace warpgauge {

// Below this a thread costs more than it saves.
inline constexpr std::size_t kSmallestPart = std::size_t{1} << 16;

// The results of body(begin, end) for parts of [0, count), in their order; the parts run side by
// side. Nothing of what `body` writes may be shared by parts. What a part throws is thrown on, when
// all have ended. None is smaller than `smallest`.
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

// element(i) for all i of [0, count), each of which is much work.
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

// The sum of element(i) over [0, count), in parts, each from left to right.
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
