// SPDX-License-Identifier: Apache-2.0
// Single fields of an entry of Google Benchmark's JSON.
#pragma once

#include <optional>
#include <string>

#include "profiling/results/json/json_reader.hpp"

namespace warpgauge::results {

[[nodiscard]] std::string text_or(const Json& entry, const char* field, const char* otherwise);

// A flag that says nothing clear must not count as good: throws FormatError for what is neither
// true nor false. Absent: false.
[[nodiscard]] bool is_true(const Json& entry, const char* field);

// Whether it is no aggregate; files of before Google Benchmark 1.5 say nothing. Throws FormatError
// for anything else.
[[nodiscard]] bool is_iteration(const Json& entry);

// As it stands in the file; empty: absent.
[[nodiscard]] std::string dump_of(const Json& entry, const char* field);

// Nanoseconds in a unit; empty: an unknown one.
[[nodiscard]] std::optional<double> nanoseconds_in(const std::string& unit);

// Why a value cannot be a figure of a metric; empty: it can.
[[nodiscard]] std::string problem_with(const Json& value, bool zero_allowed);

}  // namespace warpgauge::results
