// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/merge_shards.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "ci/measure/shards.hpp"
#include "ci/support/errors.hpp"
#include "profiling/results/ceilings.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Die;
using results::Entry;
using results::FormatError;
using results::RunRecord;
using results::Session;
using results::Shard;

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann's moves only assert.
struct ShardFile {
  std::string name;
  Session session;
  results::Json context;
  std::vector<Entry> unsorted;
  std::map<std::string, std::vector<Entry>> entries;  // by id

  [[nodiscard]] const Shard& shard() const { return *session.shard; }
};

// The shard of each benchmark, whose number it takes a hash a shard to find.
using Owners = std::unordered_map<std::string, int>;

Owners owners_in(const Shard& shard) {
  Owners owners;
  for (const std::string& id : shard.benchmarks) owners[id] = shard_of(id, shard.count);
  return owners;
}

void take_entry(const Owners& owners, ShardFile& file, Entry&& entry) {
  const std::string& id = entry.record.id;
  const auto fail = [&](const std::string& what) {
    throw FormatError(fmt::format("{}: {} {}", file.name, id, what));
  };
  const auto owner = owners.find(id);
  if (owner == owners.end()) fail("is not among the benchmarks of its run");
  if (owner->second != file.shard().index && entry.record.pass != results::Pass::time) {
    fail(fmt::format("belongs to shard {}; is the file of another version of Warpgauge?",
                     owner->second));
  }
  file.entries[id].push_back(std::move(entry));
}

ShardFile read_shard(const fs::path& path) {
  RunRecord run = results::read_run(path);
  if (!run.session.shard) {
    throw Error(kExitUsage, fmt::format("{} is no shard of a run: measure each with warpgauge run "
                                        "--shard I/N",
                                        path.string()));
  }
  return {
      path.string(), std::move(run.session), std::move(run.context), std::move(run.entries), {}};
}

// Of a whole run, so that there are no more shards than files.
void sort_entries(const Owners& owners, ShardFile& file) {
  for (Entry& entry : file.unsorted) take_entry(owners, file, std::move(entry));
  file.unsorted.clear();
  for (const auto& [id, owner] : owners) {
    if (owner != file.shard().index || file.entries.contains(id)) continue;
    throw FormatError(
        fmt::format("{}: {} belongs to this shard, but is not in it; measure the "
                    "shard again",
                    file.name, id));
  }
}

// Why two shards are not of one run; empty: they are.
std::string mismatch(const Session& first, const Session& other) {
  const Shard& shard = *first.shard;
  const Shard& other_shard = *other.shard;
  if (first.source.revision != other.source.revision) {
    return fmt::format("one was built of revision '{}', the other of '{}'", first.source.revision,
                       other.source.revision);
  }
  if (first.source.modified != other.source.modified) {
    return "one was built of a checkout with changes that are not committed";
  }
  if (std::string devices = different_devices(first, other); !devices.empty()) return devices;
  const auto others = differences(first, other);
  if (!others.empty()) return listed(others);
  if (shard.count != other_shard.count) {
    return fmt::format("one is of {} shards, the other of {}", shard.count, other_shard.count);
  }
  if (shard.sizes != other_shard.sizes || shard.counters != other_shard.counters ||
      first.processes != other.processes) {
    return "they were started with other --sizes, --counters or --processes";
  }
  if (shard.benchmarks != other_shard.benchmarks || first.filter != other.filter) {
    return "their runs have other benchmarks: the suite or --filter was another";
  }
  return {};
}

// In the order of their numbers.
std::vector<ShardFile> read_whole_run(const std::vector<fs::path>& paths) {
  results::check_sizes(paths, results::kShardsLimit, fmt::format("all {} shards", paths.size()));
  std::vector<ShardFile> files;
  std::size_t entries = 0;
  for (const fs::path& path : paths) {
    ShardFile file = read_shard(path);
    entries += file.unsorted.size();
    if (entries > results::kMostEntries) {
      throw FormatError(fmt::format(
          "the {} shards together have more than {} entries, the most that are read from one file",
          paths.size(), results::kMostEntries));
    }
    if (!files.empty()) {
      const std::string what = mismatch(files.front().session, file.session);
      if (!what.empty()) {
        throw Error(kExitUsage, fmt::format("{} and {} are not of one run: {}; measure the shards "
                                            "alike, on devices of one model",
                                            files.front().name, file.name, what));
      }
    }
    for (const ShardFile& known : files) {
      if (known.shard().index != file.shard().index) continue;
      throw Error(kExitUsage, fmt::format("{} and {} are both shard {}: give each shard once",
                                          known.name, file.name, file.shard().index));
    }
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const ShardFile& a, const ShardFile& b) {
    return a.shard().index < b.shard().index;
  });
  const int count = files.front().shard().count;
  std::set<int> missing;
  for (int index = 1; index <= count; ++index) missing.insert(index);
  for (const ShardFile& file : files) missing.erase(file.shard().index);
  if (!missing.empty()) {
    throw Error(kExitUsage,
                fmt::format("of {} shards these are missing: {}; measure them with warpgauge run "
                            "--shard {}/{}",
                            count, fmt::join(missing, ", "), *missing.begin(), count));
  }
  const Owners owners = owners_in(files.front().shard());
  for (ShardFile& file : files) sort_entries(owners, file);
  return files;
}

// In the order in which the shards name them.
std::vector<Die> dies_of(const std::vector<ShardFile>& files) {
  std::vector<Die> dies;
  for (const ShardFile& file : files) {
    const std::string& uuid = file.session.device.uuid;
    const auto known =
        std::find_if(dies.begin(), dies.end(), [&](const Die& die) { return die.uuid == uuid; });
    if (known == dies.end()) {
      dies.push_back({file.session.created, uuid});
    } else {
      known->created = std::min(known->created, file.session.created);
    }
  }
  return dies;
}

Session session_of(const std::vector<ShardFile>& files, const std::vector<Die>& dies) {
  Session session = files.front().session;
  session.shard.reset();
  session.turns.clear();  // each shard had turns of its own
  session.ceilings.reset();
  for (const ShardFile& file : files) {
    session.created = std::min(session.created, file.session.created);
  }
  if (dies.size() > 1) {
    session.dies = dies;
    session.device.uuid.clear();
  }
  return session;
}

// Google Benchmark's, of the first that measured anything.
results::Json context_of(const std::vector<ShardFile>& files) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [](const ShardFile& file) { return !file.entries.empty(); });
  return (found == files.end() ? files.front() : *found).context;
}

// The owner's entries of a benchmark, which have the counters, before those of the shards that only
// timed it.
std::vector<Entry> entries_of(const std::string& id, std::size_t place,
                              std::vector<ShardFile>& files, const std::vector<Die>& dies) {
  const int owner = shard_of(id, files.front().shard().count);
  std::vector<ShardFile*> order;
  order.reserve(files.size());
  for (ShardFile& file : files) order.push_back(&file);
  std::stable_partition(order.begin(), order.end(),
                        [&](const ShardFile* file) { return file->shard().index == owner; });
  std::vector<Entry> entries;
  for (ShardFile* file : order) {
    const auto found = file->entries.find(id);
    if (found == file->entries.end()) continue;
    const auto die = std::find_if(dies.begin(), dies.end(), [&](const Die& each) {
      return each.uuid == file->session.device.uuid;
    });
    for (Entry& entry : found->second) {
      if (file->shard().index != owner) entry.process = static_cast<int>(entries.size());
      if (dies.size() > 1) entry.die = static_cast<int>(std::distance(dies.begin(), die));
      entries.push_back(std::move(entry));
    }
  }
  const auto processes = static_cast<std::size_t>(files.front().session.processes);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    results::Json& fields = entries[i].fields;
    if (fields.contains("family_index")) fields["family_index"] = place;
    fields["repetitions"] = std::max(processes, entries.size());
    fields["repetition_index"] = i;
  }
  return entries;
}

}  // namespace

RunRecord merge_shards(const std::vector<fs::path>& paths) {
  std::vector<ShardFile> files = read_whole_run(paths);
  const std::vector<Die> dies = dies_of(files);
  const bool has_clock = std::any_of(files.begin(), files.end(), [](const ShardFile& file) {
    return file.session.ceilings.has_value();
  });
  RunRecord run{session_of(files, dies), context_of(files), {}};
  const std::vector<std::string> ids = files.front().shard().benchmarks;
  for (std::size_t place = 0; place < ids.size(); ++place) {
    auto more = entries_of(ids[place], place, files, dies);
    std::move(more.begin(), more.end(), std::back_inserter(run.entries));
  }
  if (has_clock) {
    run.session.ceilings = measured_ceilings(results::results_from(run, "the merged shards"));
  }
  return run;
}

}  // namespace warpgauge::ci
