// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's JSON, read as a stream: the context and one entry at a time, so that a large
// file costs no large tree. Knows its outline, not what the fields of an entry mean.
//
// Read as well: bare NaN, Infinity and -Infinity, which Google Benchmark writes though JSON has no
// such numbers. They arrive as strings that only is_nan() and is_infinite() know.
#pragma once

#include <functional>
#include <string>

#include "profiling/results/json/record_json.hpp"

namespace warpgauge::results {

struct GoogleBenchmarkSink {
  std::function<void(Json&&)> context;
  std::function<void(Json&&)> entry;
};

// Calls the sink for the context and for each entry of `benchmarks`, in the order of the text.
// Throws FormatError, its message beginning with `name`, for text that is empty, ends early, is not
// JSON, is nested too deep or is not laid out as Google Benchmark does it. What came before the
// place of the error has been delivered by then.
void read_google_benchmark_json(std::string text, const std::string& name,
                                const GoogleBenchmarkSink& sink);

[[nodiscard]] bool is_nan(const Json& value);
[[nodiscard]] bool is_infinite(const Json& value);

// What a value is, for messages: "NaN", "infinite", "a string", "a list", …
[[nodiscard]] std::string kind_of(const Json& value);

}  // namespace warpgauge::results
