// SPDX-License-Identifier: Apache-2.0
// What a history's columns hold: packed figures, and a compressed results file.
#include "ci/history/blobs.hpp"

#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

void read_figures(const std::string& bytes) {
  const ci::PackedFigures figures = ci::unpack_figures(bytes);
  const std::string packed = ci::pack_figures(figures);
  if (ci::pack_figures(ci::unpack_figures(packed)) != packed) found("figures do not come back");
  for (const auto& [metric, values] : figures) {
    const auto alone = ci::unpack_figures_of(metric, bytes);
    if (!alone || alone->size() != values.size()) found("a metric alone has other figures");
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  try {
    const std::string unpacked = ci::decompress(text);
    if (unpacked.size() > results::kResultsLimit.bytes) found("more is unpacked than is read");
    if (ci::decompress(ci::compress(unpacked)) != unpacked) found("a text does not come back");
  } catch (const ci::Error&) {
    read_figures(text);
  }
}
