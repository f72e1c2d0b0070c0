// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/recorded_file.hpp"

#include "ci/history/blobs.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {

results::Results read_recorded(const std::filesystem::path& file) {
  if (file.extension() != ".zst") return results::read_results(file);
  return results::parse_results(decompress(results::read_file(file)), file.string());
}

}  // namespace warpgauge::ci
