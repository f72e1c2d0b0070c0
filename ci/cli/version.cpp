// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/version.hpp"

#include <fmt/format.h>

#include "ci/cli/build_facts.hpp"
#include "ci/cli/source_revision.hpp"

namespace warpgauge::ci {

std::string version_text() {
  const std::string revision = kSourceRevision;
  return fmt::format("warpgauge {}\nrevision  {}\nbuilt     {}\nfeatures  {}", kVersion,
                     revision.empty() ? "not known: the source was no git checkout" : revision,
                     kBuilt, kFeatures);
}

}  // namespace warpgauge::ci
