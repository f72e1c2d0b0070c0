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
  std::string advice;  // lines to add by hand; empty: nothing is missing in it
};

struct Proposal {
  std::vector<NewFile> files;
  std::vector<Kept> kept;
  std::vector<std::string> next;  // steps, each a sentence
};

[[nodiscard]] Proposal propose(const Repository& repository);

// All of it to be read, every file whole.
[[nodiscard]] std::string to_text(const Repository& repository, const Proposal& proposal);

// Writes the new files, each whole, or none where one has appeared meanwhile: Error.
void write_proposal(const std::filesystem::path& root, const Proposal& proposal);

}  // namespace warpgauge::ci
