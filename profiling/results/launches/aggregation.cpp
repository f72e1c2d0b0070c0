// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/aggregation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "profiling/results/program_id.hpp"

namespace warpgauge::launches {
namespace {

// Instances of all ranges whose kernels may still come, before the oldest counts as done. CUPTI
// fills a buffer for each thread that launches, and hands each one over when it is full: what one
// thread launched comes when another is thousands of launches further on.
constexpr std::size_t kMostOpenInstances = 16'384;
constexpr int kDeepest = 64;
constexpr std::size_t kMostGaps = 64;              // of an instance of a range
constexpr std::size_t kMostGapsOfProgram = 4'096;  // kernels of several GPUs come by the thousand
constexpr std::size_t kMostPointers = 65'536;

void add_to(RangeTotal& total, const Busy& busy) {
  ++total.instances;
  total.launches += busy.launches();
  total.gpu_ns += busy.gpu_ns();
  total.busy_ns += busy.busy_ns();
  total.span_ns += busy.span_ns();
}

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
  static_assert(sizeof(EntryRecord) == 18 * sizeof(std::uint32_t), "without padding");
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
  file_.count(is_copy(launch.alike) ? &Counts::copies
              : of_graph            ? &Counts::graph_kernels
                                    : &Counts::kernels);
  if (program_.open.empty()) {
    program_.open.emplace(0, Busy(kMostGapsOfProgram));
    program_.slot = range_totals_.add();
  }
  program_.open.begin()->second.add(launch.start_ns, launch.end_ns,
                                    results::symbol_waits_for_others(launch.kernel));
  program_.changed = true;
  add_to_ranges(launch, instance);

  Entry* const entry = entry_of(key_of(launch, instance));
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
  entry_totals_.set(entry->slot, total);
}

EntryTotal Aggregation::total_of(const Launch& launch) {
  const Entry* const entry = entry_of(key_of(launch, ranges_.instance(launch.instance)));
  return entry == nullptr ? EntryTotal() : entry->total;
}

EntryRecord Aggregation::key_of(const Launch& launch, Ranges::Instance instance) {
  EntryRecord key = launch.alike;
  key.id = 0;
  key.range = instance.range;
  key.kernel = kernel_text(launch.kernel);
  return key;
}

void Aggregation::add_to_ranges(const Launch& launch, Ranges::Instance instance) {
  const bool waits = results::symbol_waits_for_others(launch.kernel);
  std::uint32_t within = 0;  // a range that was folded into the one around it counts once
  for (int depth = 0; instance.number != 0 && depth < kDeepest; ++depth) {
    if (instance.range != 0 && instance.range != within) {
      Range& range = range_of(instance.range);
      busy_of(range, instance.number).add(launch.start_ns, launch.end_ns, waits);
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
  const std::size_t slot = entry_totals_.add();
  Entry& entry = entries_[key];
  entry.slot = slot;
  EntryRecord record = key;
  record.id = entry.total.entry = static_cast<std::uint32_t>(entries_.size());
  file_.append(Kind::entry, record);
  return &entry;
}

Aggregation::Range& Aggregation::range_of(std::uint32_t id) {
  const auto known = by_range_.find(id);
  if (known != by_range_.end()) return known->second;
  const std::size_t slot = range_totals_.add();
  Range& range = by_range_[id];
  range.slot = slot;
  range.total.range = id;
  return range;
}

std::uint32_t Aggregation::text_of(std::string_view text) {
  text = text.substr(0, kLongestName);
  std::string key(text);
  const auto known = texts_.find(key);
  if (known != texts_.end()) return known->second;
  if (texts_.size() >= kMostTexts || text_bytes_ + text.size() > kMostTextBytes) return 0;
  const auto id = static_cast<std::uint32_t>(texts_.size() + 1);
  texts_.emplace(std::move(key), id);
  text_bytes_ += text.size();
  file_.append(Kind::text, TextRecord{id}, text);
  return id;
}

// Equal pointers are nearly always equal names, but a module that is unloaded frees its own.
std::uint32_t Aggregation::kernel_text(const char* name) {
  const auto known = kernels_.find(name);
  if (known != kernels_.end() && *known->second.first == name) return known->second.second;
  const std::uint32_t id = text_of(name);
  if (id == 0) {
    file_.count(&Counts::folded_names);
    return 0;
  }
  if (kernels_.size() >= kMostPointers) kernels_.clear();
  const auto text = texts_.find(std::string(std::string_view(name).substr(0, kLongestName)));
  kernels_[name] = {&text->first, id};
  return id;
}

Busy& Aggregation::busy_of(Range& range, std::uint32_t number) {
  const auto known = range.open.find(number);
  if (known != range.open.end()) return known->second;
  if (opened_.size() == kMostOpenInstances) close_oldest();
  opened_.emplace_back(&range, number);
  return range.open.emplace(number, Busy(kMostGaps)).first->second;
}

void Aggregation::close_oldest() {
  const auto [range, number] = opened_.front();
  opened_.pop_front();
  const auto at = range->open.find(number);
  if (at != range->open.end()) close(*range, at);
}

void Aggregation::close(Range& range, OpenInstances::iterator instance) {
  const Busy busy = std::move(instance->second);
  range.open.erase(instance);
  RangeTotal& total = range.total;
  if (range.thinning.keeps(total.instances)) {
    file_.append(Kind::instance,
                 InstanceRecord{total.range, range.thinning.stride, total.instances,
                                busy.launches(), busy.gpu_ns(), busy.busy_ns(), busy.span_ns()});
  }
  add_to(total, busy);
  range.changed = true;
}

void Aggregation::write_new_ranges() {
  for (const Ranges::Node& node : ranges_.take_new()) {
    const std::uint32_t domain = node.domain.empty() ? 0 : text_of(node.domain);
    file_.append(Kind::range, RangeRecord{node.id, node.parent, domain, text_of(node.name)});
  }
}

void Aggregation::write_total(Range& range) {
  if (!std::exchange(range.changed, false)) return;
  RangeTotal so_far = range.total;
  for (const auto& [number, busy] : range.open) add_to(so_far, busy);
  range_totals_.set(range.slot, so_far);
}

void Aggregation::flush() {
  write_new_ranges();
  for (auto& [id, range] : by_range_) write_total(range);
  write_total(program_);
  const std::uint64_t folded = ranges_.folded();
  file_.count(&Counts::folded_ranges, folded - std::exchange(folded_ranges_, folded));
  file_.flush();
  entry_totals_.write();
  range_totals_.write();
}

void Aggregation::finish() {
  for (auto& [id, range] : by_range_) {
    while (!range.open.empty()) close(range, range.open.begin());
  }
  opened_.clear();
  flush();
}

}  // namespace warpgauge::launches
