// SPDX-License-Identifier: Apache-2.0
// What the history keeps as bytes: figures packed, results files compressed. Pure; knows no
// database.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {

// Figures of one benchmark in one run, a figure a process, by the number that the history gives a
// metric.
using PackedFigures = std::map<int, std::vector<double>>;

// Whole numbers take as many bytes as they are long, all others eight. What is unpacked is bit for
// bit what was packed. 2,400 figures a run make this worth its lines: a counter takes four bytes.
[[nodiscard]] std::string pack_figures(const PackedFigures& figures);

// Throws Error (not measured) for bytes that pack_figures() did not make.
[[nodiscard]] PackedFigures unpack_figures(std::string_view bytes);

// Of one metric alone, nothing when it has none; several times as fast.
[[nodiscard]] std::optional<std::vector<double>> unpack_figures_of(int metric,
                                                                   std::string_view bytes);

// What zstd adds to what cannot be compressed is far less.
inline constexpr std::size_t kLargestCompressed = results::kResultsLimit.bytes + results::kMebibyte;

// By zstd. No compressed results file is larger than kLargestCompressed bytes. decompress() throws
// Error (not measured) for what compress() did not make.
[[nodiscard]] std::string compress(std::string_view text);
[[nodiscard]] std::string decompress(std::string_view bytes);
[[nodiscard]] Error too_large_results();

}  // namespace warpgauge::ci
