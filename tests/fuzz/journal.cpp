// SPDX-License-Identifier: Apache-2.0
// What a suite writes of its benchmarks while it runs.
#include "ci/measure/suite/journal.hpp"

#include <algorithm>
#include <fstream>

#include "ci/support/files/temporary_folder.hpp"
#include "tests/fuzz/target.hpp"

void warpgauge::read_hostile(const std::string& text) {
  static const ci::TemporaryFolder folder;  // one for all inputs: making it takes the most time
  const std::filesystem::path file = folder.path() / "record";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  ci::Journal journal(file);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (journal.has_grown() != (lines > 0)) found("it does not grow by whole lines");
  if (journal.has_grown()) found("it grows by nothing");
  if (journal.finished() > lines) found("more is done with than there are lines");
  const ci::JournalText read = journal.read();
  if (read.finished.size() > lines) found("more is finished than there are lines");
}
