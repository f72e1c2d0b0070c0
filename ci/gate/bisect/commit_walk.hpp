// SPDX-License-Identifier: Apache-2.0
// Which commits a bisection looks at, in what order, and the worktree in which it has them. Does
// not know what makes a commit bad.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace warpgauge::ci {

// Where bisecting is done.
struct BisectPlaces {
  std::filesystem::path checkout;
  std::filesystem::path shelf;  // build/bisect
  std::filesystem::path tree;   // its worktree

  explicit BisectPlaces(std::filesystem::path top)
      : checkout(std::move(top)), shelf(checkout / "build" / "bisect"), tree(shelf / "tree") {}
};

// The worktree, gone with this.
class BisectTree {
 public:
  // With this commit checked out. `places` must outlive it. Throws Error (not measured).
  BisectTree(const BisectPlaces& places, const std::string& sha);
  ~BisectTree();
  BisectTree(const BisectTree&) = delete;
  BisectTree& operator=(const BisectTree&) = delete;

  // Leaves what is built there. Throws Error (not measured).
  void check_out(const std::string& sha) const;

  // The lines that git says in the tree. Throws Error (not measured).
  [[nodiscard]] std::vector<std::string> ask(const std::vector<std::string>& arguments) const;

 private:
  const BisectPlaces& places_;
};

// "1b2c3d4e5f60".
[[nodiscard]] std::string short_sha(const std::string& sha);

// "1b2c3d4e5f60 Widen the tile (Ann, 2026-11-20)".
[[nodiscard]] std::string described_commit(const std::filesystem::path& checkout,
                                           const std::string& sha);

[[nodiscard]] bool is_ancestor(const std::filesystem::path& checkout, const std::string& old_sha,
                               const std::string& new_sha);

// The best ones that the two have in common; empty: none.
[[nodiscard]] std::vector<std::string> merge_bases(const std::filesystem::path& checkout,
                                                   const std::string& one,
                                                   const std::string& other);

enum class Standing { good, bad, unknown };

// All commits that may be the culprit, the newest first: several if some could not be judged.
// Throws what `judge` throws, and Error (not measured).
[[nodiscard]] std::vector<std::string> narrow_down(
    const BisectTree& tree, const std::vector<std::string>& good, std::string bad,
    const std::function<Standing(const std::string& sha)>& judge);

}  // namespace warpgauge::ci
