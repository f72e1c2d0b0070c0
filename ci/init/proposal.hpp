// SPDX-License-Identifier: Apache-2.0
// What a repository lacks to be gated: whole new files, and lines for files that are there, which
// are never touched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/init/repository.hpp"

namespace warpgauge::ci {

struct NewFile {
  std::filesystem::path path;  // below the root
  std::string content;
  std::string purpose;  // half a sentence
};

// A file that is there already.
struct Kept {
  std::filesystem::path path;
  std::vector<std::string> missing;  // lines to add by hand
};

// What is left to a person.
struct NextStep {
  std::string text;
  std::string copy;  // commands, or lines of a file; may be empty
};

struct Proposal {
  std::vector<NewFile> files;
  std::vector<Kept> kept;
  std::vector<NextStep> by_hand;  // in the files that are kept
  std::vector<NextStep> next;     // once the new files are written
};

[[nodiscard]] Proposal propose(const Repository& repository);

// Writes the new files, each whole, or none where one has appeared meanwhile: Error.
void write_proposal(const std::filesystem::path& root, const Proposal& proposal);

}  // namespace warpgauge::ci
