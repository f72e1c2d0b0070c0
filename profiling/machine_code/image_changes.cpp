// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/image_changes.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace warpgauge::machine_code {
namespace {

using Identity = decltype(identity(std::declval<ImageKernel>()));

using Copies = std::map<Identity, std::uint64_t>;

Copies copies_by_identity(const std::vector<ImageKernel>& kernels) {
  Copies copies;
  for (const ImageKernel& each : kernels) copies[identity(each)] = each.copies;
  return copies;
}

// Those that the other side has fewer copies of, or none: each with how many more.
std::vector<ImageKernel> more_than(const Copies& others, const std::vector<ImageKernel>& kernels) {
  std::vector<ImageKernel> more;
  for (const ImageKernel& each : kernels) {
    const auto other = others.find(identity(each));
    const std::uint64_t there = other == others.end() ? 0 : other->second;
    if (there >= each.copies) continue;
    more.push_back(each);
    more.back().copies -= there;
  }
  return more;
}

// Leaves in each what the other lacks. Where that is not one for one, a copy of what is on both
// sides may have become another kernel, as one file's of several that instantiate a template: then
// what one side has more copies of is left, too, if each has something.
void remove_common(std::vector<ImageKernel>& before, std::vector<ImageKernel>& after) {
  const Copies of_before = copies_by_identity(before);
  const Copies of_after = copies_by_identity(after);
  std::vector<ImageKernel> more_before = more_than(of_after, before);
  std::vector<ImageKernel> more_after = more_than(of_before, after);
  std::erase_if(before, [&](const auto& each) { return of_after.contains(identity(each)); });
  std::erase_if(after, [&](const auto& each) { return of_before.contains(identity(each)); });
  const bool one_for_one = before.size() == after.size() && !before.empty();
  if (one_for_one || more_before.empty() || more_after.empty()) return;
  before = std::move(more_before);
  after = std::move(more_after);
}

std::set<std::string> hashes(const std::vector<ImageKernel>& kernels) {
  std::set<std::string> all;
  for (const ImageKernel& each : kernels) all.insert(each.code.sass_hash);
  return all;
}

// Empty: one of them is not known.
std::set<std::string> shapes(const std::vector<ImageKernel>& kernels) {
  std::set<std::string> all;
  for (const ImageKernel& each : kernels) {
    if (each.shape.hash.empty()) return {};
    all.insert(each.shape.hash);
  }
  return all;
}

// Of what only one side has.
CodeChange compared(const std::vector<ImageKernel>& before, const std::vector<ImageKernel>& after) {
  if (before.empty() && after.empty()) return CodeChange::same;
  if (hashes(before) == hashes(after)) return CodeChange::changed;  // it takes more or less
  const std::set<std::string> known = shapes(before);
  return !known.empty() && known == shapes(after) ? CodeChange::rearranged : CodeChange::changed;
}

std::set<std::string> names_of(const KernelsByKey& kernels) {
  std::set<std::string> names;
  for (const auto& [key, all] : kernels) names.insert(key.first);
  return names;
}

std::set<std::string> without(const ImageKernels& some, const ImageKernels& others) {
  std::set<std::string> rest;
  for (const auto* images : {&some.to_be_compiled, &some.unread}) {
    for (const std::string& each : *images) {
      if (!others.to_be_compiled.contains(each) && !others.unread.contains(each)) rest.insert(each);
    }
  }
  return rest;
}

// Of architectures that one side lacks altogether that alone is said.
void compare_entries(const ImageKernels& before, const ImageKernels& after, ImageChanges& all) {
  KernelKeys keys;
  for (const auto* side : {&before.entries, &after.entries}) {
    for (const auto& [key, hashes] : *side) keys.insert(key);
  }
  for (const KernelKey& key : keys) {
    if (all.images_removed.contains(key.second) || all.images_added.contains(key.second)) continue;
    const auto old_entry = before.entries.find(key);
    const auto new_entry = after.entries.find(key);
    if (old_entry == before.entries.end()) {
      all.entries.push_back({key, CodeChange::added});
    } else if (new_entry == after.entries.end()) {
      all.entries.push_back({key, CodeChange::removed});
    } else if (old_entry->second != new_entry->second) {
      all.entries.push_back({key, CodeChange::changed});
    } else {
      ++all.same_entries;
    }
  }
}

// Of one architecture and alike, so far as is looked at: where each has one, one was renamed.
struct Alike {
  std::vector<std::size_t> removed;  // in ImageChanges::kernels
  std::vector<std::size_t> added;
};

// likeness: empty is like nothing.
void rename_alike(ImageChanges& all,
                  const std::function<std::string(const KernelChange&)>& likeness) {
  std::map<std::pair<std::string, std::string>, Alike> groups;
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    const KernelChange& each = all.kernels[i];
    const bool removed = each.change == CodeChange::removed;
    if ((!removed && each.change != CodeChange::added) || each.several) continue;
    const std::string like = likeness(each);
    if (like.empty()) continue;
    Alike& group = groups[{each.key.second, like}];
    (removed ? group.removed : group.added).push_back(i);
  }
  std::set<std::size_t> gone;
  for (const auto& [key, group] : groups) {
    if (group.removed.size() != 1 || group.added.size() != 1) continue;
    KernelChange& before = all.kernels[group.removed.front()];
    KernelChange& after = all.kernels[group.added.front()];
    after.name_before = before.key.first;
    after.before = std::move(before.before);
    remove_common(after.before, after.after);
    after.change = compared(after.before, after.after);
    gone.insert(group.removed.front());
  }
  std::size_t at = 0;
  std::erase_if(all.kernels, [&](const KernelChange&) { return gone.contains(at++); });
}

}  // namespace

const char* to_string(CodeChange change) {
  switch (change) {
    case CodeChange::same:
      return "same";
    case CodeChange::rearranged:
      return "rearranged";
    case CodeChange::changed:
      return "changed";
    case CodeChange::added:
      return "added";
    case CodeChange::removed:
      return "removed";
    case CodeChange::architecture_removed:
      return "architecture removed";
  }
  return "changed";
}

ImageChanges changes(ImageKernels before, ImageKernels after) {
  ImageChanges all;
  all.images_removed = without(before, after);
  all.images_added = without(after, before);
  compare_entries(before, after, all);
  all.broken = std::move(before.broken);
  all.broken.insert(all.broken.end(), after.broken.begin(), after.broken.end());
  const std::set<std::string> names_after = names_of(after.kernels);
  KernelKeys keys;
  for (const auto& [key, kernels] : before.kernels) keys.insert(key);
  for (const auto& [key, kernels] : after.kernels) keys.insert(key);
  for (const KernelKey& key : keys) {
    KernelChange change{key, CodeChange::same, std::move(before.kernels[key]),
                        std::move(after.kernels[key])};
    change.several = change.before.size() > 1 || change.after.size() > 1;
    if (change.before.empty()) {
      change.change = CodeChange::added;
    } else if (!change.after.empty()) {
      remove_common(change.before, change.after);
      change.change = compared(change.before, change.after);
    } else {
      const bool is_left =
          after.architectures.contains(key.second) && !names_after.contains(key.first);
      change.change = is_left ? CodeChange::removed : CodeChange::architecture_removed;
    }
    all.kernels.push_back(std::move(change));
  }
  return all;
}

ImageChanges with_renamed(ImageChanges changes,
                          const std::function<std::string(const std::string&)>& family_of) {
  rename_alike(changes, [](const KernelChange& each) {
    const auto& side = each.before.empty() ? each.after : each.before;
    return side.front().code.sass_hash;
  });
  rename_alike(changes, [&](const KernelChange& each) { return family_of(each.key.first); });
  return changes;
}

bool has_common_kernels(const ImageChanges& changes) {
  return std::any_of(changes.kernels.begin(), changes.kernels.end(), [](const auto& each) {
    return each.change == CodeChange::same || each.change == CodeChange::rearranged ||
           each.change == CodeChange::changed;
  });
}

}  // namespace warpgauge::machine_code
