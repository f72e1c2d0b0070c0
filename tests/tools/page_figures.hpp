// SPDX-License-Identifier: Apache-2.0
// The figures in a page's text and its hand-made tables, each computed from results, so that none
// can differ from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Lines of a text between two markers of the page, or words that a section of it must say.
struct PageFigures {
  std::string place;  // the block's name, or # and the section's anchor
  std::string words;  // see filled()
};

// Of a file such as docs/explain/kernels.tsv: place, tab, words; lines that begin with "# " and
// empty ones are left out. name: of the text, for messages. Throws Error (not measured) on a line
// without a tab.
[[nodiscard]] std::vector<PageFigures> page_figures(std::string_view text, const std::string& name);

// The words with each {…} replaced. ID may have the wildcards of ci/support/id_glob.hpp; several
// benchmarks give "96.3 to 97.9". `.1` is the number of decimals.
//
//   {time ID} {rate ID}          "900.3 µs", "4,602 GB/s"
//   {share.1 ID}                 % of the ceiling
//   {beside.1 ID}                the reference's duration in % of the benchmark's own
//   {apart.1 ID}                 by how many % the furthest differs from its reference
//   {ratio.1 METRIC A B}         A's figure divided by B's; {percent.1 …}: in %
//   {more.0 METRIC A B}          by how many % A's is more; {less.0 …}: less
//   {each.1 METRIC A B C}        what A has more than B, for each of C more wavefronts a request
//   {figure.1 METRIC ID}
//   {slower A B}                 whether A is "slower" or "faster"
//
// METRIC: duration, rate, wavefronts (loads of shared memory, a request) or one of the results.
// Throws Error (not measured) where there is no such benchmark or figure.
[[nodiscard]] std::string filled(std::string_view words, const results::Results& results);

// The page with its blocks made of the results. Throws Error (not measured) where a section does
// not say what they say; `name` begins the message.
[[nodiscard]] std::string with_figures(std::string page, const std::vector<PageFigures>& figures,
                                       const results::Results& results, const std::string& name);

}  // namespace warpgauge::ci
