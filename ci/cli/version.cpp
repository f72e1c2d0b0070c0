// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/version.hpp"

#include <fmt/format.h>

#include "ci/cli/abilities.hpp"
#include "ci/cli/build_facts.hpp"
#include "ci/cli/source_revision.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {

std::string version_text() {
  const std::string revision = kSourceRevision;
  return fmt::format(
      "warpgauge {}\nrevision  {}\nbuilt     {}\nfeatures  {}\nhere{}", kVersion,
      revision.empty() ? "not known: built from no git checkout, or with sanitizers" : revision,
      kBuilt, kFeatures, log_text(abilities_text(abilities_here())));
}

}  // namespace warpgauge::ci
