// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/aggregation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpgauge::launches {
namespace {

// Instances of one range whose kernels may still come, before the oldest counts as done.
constexpr std::size_t kMostOpenInstances = 64;
constexpr int kDeepest = 64;

}  // namespace

bool Aggregation::Thinning::keeps(std::uint64_t order) {
  if (order % stride != 0) return false;
  if (++kept == (stride == 1 ? kFirstSamples : kFirstSamples / 2)) {
    kept = 0;
    stride *= 2;
    return true;
  }
  return true;
}

void Aggregation::Busy::add(std::uint64_t start_ns, std::uint64_t end_ns) {
  if (launches == 0) first_ns = last_ns = start_ns;
  first_ns = std::min(first_ns, start_ns);
  const std::uint64_t from = std::max(start_ns, last_ns);
  if (end_ns > from) busy_ns += end_ns - from;
  last_ns = std::max(last_ns, end_ns);
  gpu_ns += end_ns - start_ns;
  ++launches;
}

std::size_t Aggregation::KeyHash::operator()(const EntryRecord& key) const {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(&key);
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (std::size_t i = 0; i < sizeof key / sizeof *words; ++i) {
    hash = (hash ^ words[i]) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return hash;
}

bool Aggregation::KeyEqual::operator()(const EntryRecord& a, const EntryRecord& b) const {
  static_assert(sizeof(EntryRecord) == 14 * sizeof(std::uint32_t), "without padding");
  return std::memcmp(&a, &b, sizeof a) == 0;
}

void Aggregation::add(std::vector<Launch> launches) {
  std::stable_sort(launches.begin(), launches.end(),
                   [](const Launch& a, const Launch& b) { return a.start_ns < b.start_ns; });
  for (const Launch& each : launches) add(each);
}

void Aggregation::add(const Launch& launch) {
  const Ranges::Instance instance = ranges_.instance(launch.instance);
  const bool of_graph = launch.alike.in_graph != 0;
  file_.count(of_graph ? &Counts::graph_kernels : &Counts::kernels);
  program_.add(launch.start_ns, launch.end_ns);
  add_to_ranges(launch, instance);

  EntryRecord key = launch.alike;
  key.id = 0;
  key.range = instance.range;
  key.kernel = kernel_text(launch.kernel);
  Entry* const entry = entry_of(key);
  if (entry == nullptr) return file_.count(&Counts::folded);
  EntryTotal& total = entry->total;
  const std::uint64_t duration = launch.end_ns - launch.start_ns;
  if (entry->thinning.keeps(total.launches)) {
    file_.append(Kind::launch, LaunchRecord{total.entry, entry->thinning.stride, total.launches,
                                            launch.start_ns, duration});
  }
  ++total.launches;
  total.gpu_ns += duration;
  const auto* const seen = entry->seen_streams;
  if (total.streams < kMostStreams &&
      std::find(seen, seen + total.streams, launch.stream) == seen + total.streams) {
    entry->seen_streams[total.streams++] = launch.stream;
  }
  entry->changed = true;
}

void Aggregation::add_to_ranges(const Launch& launch, Ranges::Instance instance) {
  std::uint32_t within = 0;  // a range that was folded into the one around it counts once
  for (int depth = 0; instance.number != 0 && depth < kDeepest; ++depth) {
    if (instance.range != 0 && instance.range != within) {
      Range& range = by_range_[instance.range];
      auto open = std::find_if(range.open.rbegin(), range.open.rend(),
                               [&](const auto& each) { return each.number == instance.number; });
      if (open == range.open.rend()) {
        if (range.open.size() >= kMostOpenInstances) close_oldest(instance.range, range);
        range.open.push_back({instance.number, {}});
        open = range.open.rbegin();
      }
      open->busy.add(launch.start_ns, launch.end_ns);
      range.changed = true;
      within = instance.range;
    }
    instance = ranges_.instance(instance.parent);
  }
}

Aggregation::Entry* Aggregation::entry_of(const EntryRecord& key) {
  const auto known = entries_.find(key);
  if (known != entries_.end()) return &known->second;
  if (entries_.size() >= kMostEntriesRecorded) return nullptr;
  write_new_ranges();
  Entry& entry = entries_[key];
  EntryRecord record = key;
  record.id = entry.total.entry = static_cast<std::uint32_t>(entries_.size());
  file_.append(Kind::entry, record);
  return &entry;
}

std::uint32_t Aggregation::text_of(std::string_view text) {
  const auto [known, is_new] = texts_.try_emplace(std::string(text.substr(0, kLongestName)));
  if (is_new) {
    known->second = static_cast<std::uint32_t>(texts_.size());
    file_.append(Kind::text, TextRecord{known->second}, known->first);
  }
  return known->second;
}

// Equal pointers are nearly always equal names, but a module that is unloaded frees its own.
std::uint32_t Aggregation::kernel_text(const char* name) {
  const auto known = kernels_.find(name);
  if (known != kernels_.end() && *known->second.first == name) return known->second.second;
  const std::uint32_t id = text_of(name);
  const auto text = texts_.find(std::string(std::string_view(name).substr(0, kLongestName)));
  kernels_[name] = {&text->first, id};
  return id;
}

void Aggregation::close_oldest(std::uint32_t id, Range& range) {
  const Busy busy = range.open.front().busy;
  range.open.pop_front();
  RangeTotal& total = range.total;
  const std::uint64_t span = busy.last_ns - busy.first_ns;
  if (range.thinning.keeps(total.instances)) {
    file_.append(Kind::instance, InstanceRecord{id, range.thinning.stride, total.instances,
                                                busy.launches, busy.gpu_ns, busy.busy_ns, span});
  }
  ++total.instances;
  total.launches += busy.launches;
  total.gpu_ns += busy.gpu_ns;
  total.busy_ns += busy.busy_ns;
  total.span_ns += span;
  range.changed = true;
}

void Aggregation::write_new_ranges() {
  for (const Ranges::Node& node : ranges_.take_new()) {
    const std::uint32_t domain = node.domain.empty() ? 0 : text_of(node.domain);
    file_.append(Kind::range, RangeRecord{node.id, node.parent, domain, text_of(node.name)});
  }
}

void Aggregation::flush() {
  write_new_ranges();
  for (auto& [key, entry] : entries_) {
    if (entry.changed) file_.append(Kind::entry_total, entry.total);
    entry.changed = false;
  }
  for (auto& [id, range] : by_range_) {
    range.total.range = id;
    if (range.changed) file_.append(Kind::range_total, range.total);
    range.changed = false;
  }
  if (program_.launches > written_launches_) {
    written_launches_ = program_.launches;
    file_.append(Kind::range_total,
                 RangeTotal{0, 0, 1, program_.launches, program_.gpu_ns, program_.busy_ns,
                            program_.last_ns - program_.first_ns});
  }
  const std::uint64_t folded = ranges_.folded();
  file_.count(&Counts::folded_ranges, folded - std::exchange(folded_ranges_, folded));
  file_.flush();
}

void Aggregation::finish() {
  for (auto& [id, range] : by_range_) {
    while (!range.open.empty()) close_oldest(id, range);
  }
  flush();
}

}  // namespace warpgauge::launches
