// SPDX-License-Identifier: Apache-2.0
// A question to a program of ours that can see a GPU, answered in JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// What has not answered by then hangs.
inline constexpr std::chrono::milliseconds kQuestionTimeout{60'000};

// The program's answer on standard output. Throws Error: usage, with the program's own words, when
// it ended with that status; not measured, when it failed otherwise or its answer is not JSON, for
// which `hint` says why that may be.
[[nodiscard]] results::Json ask(const std::filesystem::path& program,
                                const std::vector<std::string>& arguments,
                                std::chrono::milliseconds timeout, const std::string& hint);

// How to build this helper, which takes CUDA, from the source.
[[nodiscard]] std::string how_to_build(std::string_view target);

// The last line of a file, such as what a program that failed said last; empty when there is none.
[[nodiscard]] std::string last_line(const std::filesystem::path& path);

// As many of them as there are within the last 64 kB, each as it is.
[[nodiscard]] std::string last_lines(const std::filesystem::path& path, std::size_t count);

}  // namespace warpgauge::ci
