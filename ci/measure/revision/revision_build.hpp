// SPDX-License-Identifier: Apache-2.0
// Another revision of the source, in a folder of its own and built there. The checkout that is
// worked in is read, never changed.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "ci/measure/measurement.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {

// `run` is of what was built of the current folder's checkout.
struct RevisionRequest {
  std::string revision;  // as git understands it
  std::string option;    // that named it, for messages: "--against"
  RunOptions run;
  // Shell command that builds what is run, in the revision's folder; empty: CMake, configured as
  // the suite's build was.
  std::string build;
};

// The build of a revision ended without what was asked for. `last_lines` of what it said.
class BuildError : public Error {
 public:
  BuildError(const std::string& message, std::string last_lines)
      : Error(kExitNotMeasured, message), last_lines_(std::move(last_lines)) {}

  [[nodiscard]] const std::string& last_lines() const { return last_lines_; }

 private:
  std::string last_lines_;
};

// The top of the current folder's checkout. Throws Error (usage) where there is none.
[[nodiscard]] std::filesystem::path current_checkout(const std::string& option);

// Of a revision of it. Throws Error (usage) where there is none.
[[nodiscard]] std::string sha_of(const std::string& revision, const std::string& option);

// The same run of what another worktree of the checkout has, at the revision `sha`. Throws Error
// (usage) for what is not in the checkout.
[[nodiscard]] RunOptions run_in(const std::filesystem::path& folder, const RevisionRequest& request,
                                const std::filesystem::path& checkout, const std::string& sha);

// Builds in that worktree what `wanted` names; what that says is in `folder`.log. `name` is of what
// is checked out there. Throws Error (usage), BuildError and Interrupted.
void build_in(const std::filesystem::path& folder, const RevisionRequest& request,
              const std::filesystem::path& checkout, const std::string& name,
              const RunOptions& wanted);

// Whatever is left of a worktree of the checkout.
void remove_worktree(const std::filesystem::path& checkout, const std::filesystem::path& folder);

// The revision's folder is build/against/SHA in the checkout, and is kept: built once, it is there
// for the next time. Nobody else uses these folders while one of these exists.
//
// The constructor throws Error: usage, where there is no checkout, no such revision, or something
// that was not built of it; not measured, when git cannot make the folder or others use it;
// BuildError; Interrupted, when the build and all that it started are gone.
class Revision {
 public:
  explicit Revision(const RevisionRequest& request);
  ~Revision();
  Revision(const Revision&) = delete;
  Revision& operator=(const Revision&) = delete;

  [[nodiscard]] const std::string& sha() const { return sha_; }
  // "main (1b2c3d4e5f60)".
  [[nodiscard]] const std::string& name() const { return name_; }
  // The same run of what was built of it.
  [[nodiscard]] const RunOptions& run() const { return run_; }

 private:
  void find(const RevisionRequest& request);
  void lock();
  void check_out() const;
  void drop_old_ones() const;

  std::filesystem::path checkout_;  // its top
  std::filesystem::path shelf_;     // where revisions' folders are
  std::filesystem::path folder_;
  std::string sha_;
  std::string name_;
  RunOptions run_;
  int lock_ = -1;
};

}  // namespace warpgauge::ci
