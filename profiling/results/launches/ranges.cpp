// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/ranges.hpp"

#include <algorithm>
#include <utility>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::launches {
namespace {

constexpr std::size_t kRecent = std::size_t{1} << 18U;
constexpr std::size_t kMostOpen = 1'024;  // of a thread; deeper ones are not told apart

struct Pushed {
  std::string domain;
  std::uint32_t instance = 0;
};

// Of this thread, the innermost last. There is one program, and a thread has no other place.
thread_local std::vector<Pushed> open_here;
thread_local std::uint64_t started_here = 0;  // by start(), ever

std::string_view bounded(std::string_view name) { return name.substr(0, kLongestName); }

}  // namespace

Ranges::Ranges() : recent_(kRecent) {}

// Needs the lock.
std::uint32_t Ranges::open(std::string_view domain, std::string_view name, bool started) {
  const std::uint32_t around = current_here();
  const Instance outer = around == 0 ? Instance() : recent_[around % kRecent];
  const std::uint32_t parent = outer.number == around ? outer.range : 0;
  std::uint32_t range = parent;
  Key key(parent, bounded(domain), bounded(name));
  const auto known = ids_.find(key);
  if (known != ids_.end()) {
    range = known->second;
  } else if (ids_.size() < kMostRanges) {
    range = static_cast<std::uint32_t>(ids_.size() + 1);
    new_.push_back({range, parent, std::get<1>(key), std::get<2>(key)});
    ids_.emplace(std::move(key), range);
  } else {
    ++folded_;
  }
  const std::uint32_t number = next_++;
  if (next_ == 0) next_ = 1;
  recent_[number % kRecent] = {number, range, around};
  open_.push_back({number, std::this_thread::get_id(), started});
  find_last();
  return number;
}

// Needs the lock.
void Ranges::close(std::uint32_t number) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Open& each) { return each.number == number; });
  if (found != open_.rend()) open_.erase(std::next(found).base());
  find_last();
}

// Needs the lock.
void Ranges::find_last() {
  const bool alone = std::all_of(open_.begin(), open_.end(), [&](const Open& each) {
    return each.thread == open_.front().thread;
  });
  last_ = open_.empty() || !alone ? 0 : open_.back().number;
}

// Needs the lock. The innermost range that this thread opened, and has not closed.
std::uint32_t Ranges::current_here() const {
  const std::thread::id here = std::this_thread::get_id();
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Open& each) { return each.thread == here; });
  return found == open_.rend() ? 0 : found->number;
}

int Ranges::push(std::string_view domain, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto depth = std::count_if(open_here.begin(), open_here.end(),
                                   [&](const Pushed& each) { return each.domain == domain; });
  const bool too_deep = open_here.size() >= kMostOpen;
  open_here.push_back(
      {std::string(domain), too_deep ? open_here.back().instance : open(domain, name, false)});
  return static_cast<int>(depth);
}

int Ranges::pop(std::string_view domain) {
  const auto found = std::find_if(open_here.rbegin(), open_here.rend(),
                                  [&](const Pushed& each) { return each.domain == domain; });
  if (found == open_here.rend()) return -1;
  const std::uint32_t number = found->instance;
  open_here.erase(std::next(found).base());
  const bool shared = std::any_of(open_here.begin(), open_here.end(),
                                  [&](const Pushed& each) { return each.instance == number; });
  const std::lock_guard lock(mutex_);
  if (!shared) close(number);
  return static_cast<int>(std::count_if(open_here.begin(), open_here.end(),
                                        [&](const Pushed& each) { return each.domain == domain; }));
}

std::uint64_t Ranges::start(std::string_view domain, std::string_view name) {
  const std::lock_guard lock(mutex_);
  ++started_here;
  return open(domain, name, true);
}

void Ranges::end(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& each) {
    return each.started && each.number == id;
  });
  if (found != open_.end()) close(found->number);
}

std::uint32_t Ranges::current() const {
  const bool only_pushed = started_here == 0;
  if (only_pushed && !open_here.empty()) return open_here.back().instance;
  if (only_pushed) return last_.load(std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  const std::uint32_t here = current_here();
  return here != 0 ? here : last_.load();
}

Ranges::Instance Ranges::instance(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  const Instance& found = recent_[number % kRecent];
  return number != 0 && found.number == number ? found : Instance();
}

std::vector<Ranges::Node> Ranges::take_new() {
  const std::lock_guard lock(mutex_);
  return std::exchange(new_, {});
}

}  // namespace warpgauge::launches
