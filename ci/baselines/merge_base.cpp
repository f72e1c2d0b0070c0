// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/merge_base.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ci/baselines/baseline_diff.hpp"
#include "ci/policy/policy.hpp"
#include "ci/policy/policy_diff.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/git.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// A file of a revision.
struct Blob {
  fs::path path;  // below the folder that was asked for
  std::string id;
  std::size_t size = 0;
};

std::string asked(const fs::path& folder, const std::vector<std::string>& arguments,
                  const std::string& what) {
  GitAnswer answer = git_in(folder, arguments);
  if (answer.output) return *std::move(answer.output);
  throw Error(kExitUsage, fmt::format("--merge-base: {}: {}", what, answer.complaint));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

fs::path folder_of(const fs::path& path) {
  // The folder of a name with a slash at its end is that name.
  const fs::path whole = fs::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).parent_path();
}

std::string name_of(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

// The folder of a path, or the nearest above it that is there: a revision may have folders that the
// checkout has not.
fs::path checked_out_above(const fs::path& path) {
  fs::path folder = folder_of(path);
  while (!fs::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

// Files at or below a path; none where it is not in the revision. Links are none.
std::vector<Blob> blobs_at(const fs::path& path, const std::string& revision) {
  const fs::path folder = checked_out_above(path);
  const std::string below = folder_of(path).lexically_relative(folder).generic_string();
  const std::string prefix = below == "." ? "" : below + "/";
  const std::string listing =
      asked(folder, {"ls-tree", "-r", "-l", "-z", revision, "--", prefix + name_of(path)},
            "cannot list " + path.string());
  std::vector<Blob> blobs;
  for (std::size_t begin = 0; begin < listing.size();) {
    const std::size_t end = std::min(listing.find('\0', begin), listing.size());
    const std::string entry = listing.substr(begin, end - begin);
    begin = end + 1;
    // mode SP type SP object SP+ size TAB path
    const std::size_t tab = entry.find('\t');
    const std::size_t last_blank = entry.rfind(' ', tab);
    if (tab == entry.npos || last_blank == entry.npos || !entry.starts_with("100")) continue;
    const std::size_t type_end = entry.find(' ', entry.find(' ') + 1);
    Blob blob;
    blob.path = entry.substr(tab + 1 + prefix.size());
    blob.id = entry.substr(type_end + 1, entry.find(' ', type_end + 1) - type_end - 1);
    const auto read = std::from_chars(entry.data() + last_blank + 1, entry.data() + tab, blob.size);
    if (read.ec != std::errc()) continue;
    blobs.push_back(std::move(blob));
  }
  return blobs;
}

// The content of each, in one call: git shows blobs one behind the other.
std::vector<std::string> contents(const fs::path& folder, const std::vector<Blob>& blobs) {
  std::vector<std::string> texts;
  if (blobs.empty()) return texts;
  std::vector<std::string> arguments{"show", "--no-textconv"};
  for (const Blob& blob : blobs) arguments.push_back(blob.id);
  const std::string all = asked(folder, arguments, "cannot read files");
  std::size_t begin = 0;
  for (const Blob& blob : blobs) {
    texts.push_back(all.substr(std::min(begin, all.size()), blob.size));
    begin += blob.size;
  }
  return texts;
}

[[noreturn]] void refuse_size(const std::string& what, const results::Limit& limit) {
  throw Error(kExitNotMeasured,
              fmt::format("--merge-base: {} at the merge base {}", what, results::beyond(limit)));
}

// Copies files below a folder of the checkout to another, in as many calls as their sizes need.
void copy_files(const fs::path& folder, const std::vector<Blob>& blobs, const fs::path& to) {
  constexpr std::size_t kMostArguments = 1'000;
  for (std::size_t begin = 0; begin < blobs.size();) {
    std::vector<Blob> some;
    std::size_t bytes = 0;
    while (begin < blobs.size() && some.size() < kMostArguments &&
           bytes + blobs[begin].size <= results::kAnswerLimit.bytes) {
      bytes += blobs[begin].size;
      some.push_back(blobs[begin++]);
    }
    const std::vector<std::string> texts = contents(folder, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      results::write_file_atomically(to / some[i].path, texts[i]);
    }
  }
}

// Puts the baselines of the revision into a folder, to be read like any.
void read_baselines(const fs::path& folder, MergeBase& base) {
  std::vector<Blob> blobs = blobs_at(folder, base.revision);
  const fs::path name = name_of(folder);
  std::erase_if(blobs, [&](Blob& blob) {
    blob.path = blob.path.lexically_relative(name);
    const auto parts = std::distance(blob.path.begin(), blob.path.end());
    return parts != 2 || blob.path.extension() != ".json" || *blob.path.begin() == "..";
  });
  static_assert(results::kBaselineLimit.bytes <= results::kAnswerLimit.bytes);
  std::size_t bytes = 0;
  for (const Blob& blob : blobs) {
    if (blob.size > results::kBaselineLimit.bytes) {
      base.unreadable[*blob.path.begin()] =
          fmt::format("{} {}", blob.path.string(), results::beyond(results::kBaselineLimit));
    }
  }
  std::erase_if(blobs, [&](const Blob& blob) {
    if (base.unreadable.contains(*blob.path.begin())) return true;
    bytes += blob.size;
    return false;
  });
  if (bytes > results::kAllBaselinesLimit.bytes) {
    refuse_size(folder.string(), results::kAllBaselinesLimit);
  }
  const TemporaryFolder copy;
  copy_files(checked_out_above(folder), blobs, copy.path());
  for (const std::string& device : devices_with_baseline(copy.path())) {
    try {
      if (auto baseline = load_baseline(copy.path(), device)) {
        base.baselines[device] = *std::move(baseline);
      }
    } catch (const std::runtime_error& error) {
      // What another version wrote, say: to be said, but no reason not to measure.
      std::string why = error.what();
      const std::string there = copy.path().string() + "/";
      for (std::size_t at = why.find(there); at != why.npos; at = why.find(there)) {
        why.erase(at, there.size());
      }
      base.unreadable[device] = why;
    }
  }
}

// A project without a policy of its own is held to the one that is built in.
Policy policy_of(const std::optional<std::string>& text, const std::string& name) {
  return text ? parse_policy(*text, name) : built_in_policy();
}

void add_policy_edits(const MergeBase& base, const fs::path& path,
                      const std::vector<std::string>& ids, const std::string& today, Edits& edits) {
  const std::optional<std::string> text =
      fs::exists(path) ? std::optional(results::read_file(path, results::kPolicyLimit))
                       : std::nullopt;
  if (text == base.policy) return;
  try {
    const std::string name = fmt::format("{} at the merge base", path.string());
    edits.policy =
        policy_edits(policy_of(base.policy, name), policy_of(text, path.string()), ids, today);
  } catch (const Error& error) {
    edits.unclear.push_back(error.what());
    return;
  }
  if (!edits.policy.empty()) return;
  edits.policy.push_back(
      {PolicyEdit::Kind::changes, fmt::format("{}, without effect on {}", path.string(),
                                              counted(ids.size(), "known benchmark"))});
}

// What was edited that no approval writes anew, of one device.
std::vector<std::string> unclear_edits(const std::string& device, const Baseline& before,
                                       const Baseline& after) {
  std::vector<std::string> unclear;
  if (!before.device.empty() && !after.device.empty() && before.device != after.device) {
    unclear.push_back(fmt::format("{}: the description of the device was edited", device));
  }
  if (!before.device.empty() && before.timed != after.timed) {
    unclear.push_back(fmt::format("{}: when all was last timed in full: '{}' → '{}'", device,
                                  before.timed, after.timed));
  }
  for (const auto& [what, rewritten] : {std::pair("session", rewritten_sessions(before, after)),
                                        {"anchor", rewritten_anchors(before, after)}}) {
    if (rewritten.empty()) continue;
    unclear.push_back(fmt::format("{}: the description of {} was edited: {}", device,
                                  counted(rewritten.size(), what), fmt::join(rewritten, ", ")));
  }
  return unclear;
}

}  // namespace

MergeBase read_merge_base(const std::string& revision, const fs::path& baselines,
                          const fs::path& policy) {
  const fs::path folder = checked_out_above(baselines);
  const std::string commit = first_line(
      asked(folder, {"rev-parse", "--verify", "--end-of-options", revision + "^{commit}"},
            fmt::format("no revision '{}' of a repository with {}", revision, baselines.string())));
  MergeBase base;
  base.revision = first_line(
      asked(folder, {"merge-base", commit, "HEAD"},
            fmt::format("'{}' and HEAD have no common history here; fetch all of it", revision)));
  read_baselines(baselines, base);
  const std::vector<Blob> blobs = blobs_at(policy, base.revision);
  if (blobs.size() != 1) return base;
  if (blobs.front().size > results::kPolicyLimit.bytes) {
    refuse_size(policy.string(), results::kPolicyLimit);
  }
  base.policy = contents(checked_out_above(policy), blobs).front();
  return base;
}

Edits edits_since(const MergeBase& base, const fs::path& baselines, const fs::path& policy,
                  std::vector<std::string> ids, const std::string& today) {
  Edits edits;
  edits.since = base.revision;
  std::map<std::string, Baseline> now;
  std::set<std::string> devices;
  for (const std::string& device : devices_with_baseline(baselines)) {
    if (auto baseline = load_baseline(baselines, device)) now[device] = *std::move(baseline);
  }
  std::set<std::string> known(ids.begin(), ids.end());
  for (const auto& side : {std::cref(base.baselines), std::cref(now)}) {
    for (const auto& [device, baseline] : side.get()) {
      devices.insert(device);
      for (const auto& [name, family] : baseline.families) {
        for (const auto& [id, approved] : family) known.insert(id);
      }
    }
  }
  static const Baseline kNone;
  const auto of = [](const std::map<std::string, Baseline>& side,
                     const std::string& device) -> const Baseline& {
    const auto found = side.find(device);
    return found == side.end() ? kNone : found->second;
  };
  for (const std::string& device : devices) {
    if (base.unreadable.contains(device)) continue;
    const Baseline& before = of(base.baselines, device);
    const Baseline& after = of(now, device);
    auto of_device = baseline_edits(device, before, after);
    edits.baselines.insert(edits.baselines.end(), of_device.begin(), of_device.end());
    for (std::string& each : unclear_edits(device, before, after)) {
      edits.unclear.push_back(std::move(each));
    }
  }
  for (const auto& [device, why] : base.unreadable) {
    edits.unclear.push_back(fmt::format("{} at the merge base: {}", device, why));
  }
  // What no approval brought leads: a headline names a few only.
  const auto by_hand = [](const BaselineEdit& edit) {
    return (edit.kind == BaselineEdit::Kind::approves ||
            edit.kind == BaselineEdit::Kind::anchors) &&
           edit.reason.empty() && edit.by.empty();
  };
  std::stable_sort(
      edits.baselines.begin(), edits.baselines.end(), [&](const auto& a, const auto& b) {
        return std::pair(by_hand(a), magnitude(a)) > std::pair(by_hand(b), magnitude(b));
      });
  add_policy_edits(base, policy, {known.begin(), known.end()}, today, edits);
  return edits;
}

}  // namespace warpgauge::ci
