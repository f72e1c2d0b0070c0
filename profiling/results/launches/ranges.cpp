// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/ranges.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::launches {
namespace {

constexpr std::size_t kRecent = std::size_t{1} << 18U;
constexpr std::size_t kMostOpen = 1'024;  // of a thread; deeper ones are not told apart
constexpr std::size_t kMostKept = 4'096;
constexpr std::size_t kKnownOfThread = 1'024;
constexpr std::uint64_t kOpen = std::uint64_t{1} << 31U;
constexpr std::uint64_t kStarted = std::uint64_t{1} << 30U;
constexpr std::uint64_t kRange = kStarted - 1;

std::uint64_t word_of(std::uint32_t number, std::uint32_t range, std::uint64_t flags) {
  return std::uint64_t{number} << 32U | flags | range;
}

std::uint32_t number_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

std::string_view bounded(std::string_view name) { return name.substr(0, kLongestName); }

std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

// XLA opens a range of a module, within it one of each operation, and further ones within those. A
// module of one operation would be three ranges of the same kernels; operations are named by their
// kernels. But what it tries out while it compiles is told apart by its own ranges.
constexpr std::string_view kXla = "TSL";

bool counts_with_its_module(std::string_view name) {
  return !name.starts_with("XlaCompile") && !name.starts_with("XlaAutotun");
}

// "jit_step" of "XlaModule:#prefix=jit(step)/jit(main),hlo_module=jit_step,program_id=7#", whose
// number depends on what was compiled before.
std::string_view name_of_module(std::string_view name) {
  constexpr std::string_view kModule = "hlo_module=";
  const std::size_t at = name.find(kModule);
  if (!name.starts_with("XlaModule:") || at == name.npos) return name;
  name.remove_prefix(at + kModule.size());
  return name.substr(0, name.find_first_of(",#"));
}

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

// What others may know of a thread that opens ranges. Never freed, but used by another thread once
// its own has ended.
struct Ranges::Thread {
  std::atomic<std::uint64_t> serial{0};     // of its Ranges; 0: it has no thread
  std::atomic<std::uint32_t> innermost{0};  // what is open
  Thread* next = nullptr;

  static inline std::atomic<Thread*> all{nullptr};

  static Thread* take(std::uint64_t serial) {
    for (Thread* each = all.load(std::memory_order_acquire); each != nullptr; each = each->next) {
      std::uint64_t none = 0;
      if (each->serial.compare_exchange_strong(none, serial)) return each;
    }
    auto* const made = new Thread;
    made->serial = serial;
    made->next = all.load();
    while (!all.compare_exchange_weak(made->next, made)) {
    }
    return made;
  }

  void give_back() {
    innermost = 0;
    serial = 0;
  }
};

// What this thread has open, the innermost last.
struct Ranges::Here {
  struct Open {
    std::uint32_t number = 0;
    std::uint32_t range = 0;
    bool started = false;
    bool with_parent = false;  // it is no instance of its own
    std::size_t domain = 0;    // its hash
    std::uint32_t depth = 0;   // within its domain
  };

  std::uint64_t serial = 0;
  Thread* thread = nullptr;
  std::vector<Open> open;
  std::uint64_t deeper = 0;   // pushed beyond kMostOpen
  std::uint64_t started = 0;  // in open
  std::vector<const Node*> known;

  // A thread may launch, or close ranges, after its variables are gone.
  static inline thread_local bool gone = false;

  ~Here() {
    leave();
    gone = true;
  }

  void leave() {
    if (thread != nullptr) thread->give_back();
    thread = nullptr;
    open.clear();
    deeper = started = 0;
  }

  static Here& of_thread() {
    static thread_local Here here;
    return here;
  }
};

Ranges::Ranges() : serial_(next_serial()), recent_(kRecent) {}

Ranges::Here& Ranges::here() {
  Here& here = Here::of_thread();
  if (here.serial != serial_) {
    here.leave();
    here.known.assign(kKnownOfThread, nullptr);
    here.open.reserve(kMostOpen);
    here.thread = Thread::take(serial_);
    here.serial = serial_;
  }
  return here;
}

const Ranges::Here* Ranges::known_here() const {
  if (Here::gone) return nullptr;
  const Here& here = Here::of_thread();
  return here.serial == serial_ ? &here : nullptr;
}

std::uint32_t Ranges::next_number() {
  const std::uint32_t number = next_.fetch_add(1, std::memory_order_relaxed);
  return number != 0 ? number : next_number();
}

std::uint32_t Ranges::range_of(Here& here, std::uint32_t parent, std::string_view domain,
                               std::string_view name) {
  domain = bounded(domain);
  name = bounded(name);
  const std::size_t hash = (hash_of(name) ^ parent * 0x9e3779b97f4a7c15U) + hash_of(domain);
  const Node*& known = here.known[hash % kKnownOfThread];
  const auto is_known = [&] {
    return known->parent == parent && known->name == name && known->domain == domain;
  };
  if (known != nullptr && is_known()) return known->id;
  const std::lock_guard lock(mutex_);
  auto found = ids_.find(Key(parent, domain, name));
  if (found == ids_.end()) {
    if (nodes_.size() >= kMostRanges) {
      ++folded_;
      return parent;
    }
    const auto id = static_cast<std::uint32_t>(nodes_.size() + 1);
    const Node& node =
        nodes_.emplace_back(Node{id, parent, std::string(domain), std::string(name)});
    found = ids_.emplace(Key(parent, node.domain, node.name), &node).first;
  }
  known = found->second;
  return known->id;
}

// One thread writes a slot at a time; whoever reads it meanwhile sees another word after than
// before.
void Ranges::place(const Instance& instance, bool started) {
  Slot& slot = recent_[instance.number % kRecent];
  if ((slot.word.load(std::memory_order_relaxed) & kOpen) != 0) keep(slot);
  slot.word.store(0, std::memory_order_relaxed);
  slot.parent.store(instance.parent, std::memory_order_release);
  slot.word.store(word_of(instance.number, instance.range, kOpen | (started ? kStarted : 0)),
                  std::memory_order_release);
}

void Ranges::keep(Slot& slot) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t word = slot.word.exchange(0);
  if ((word & kOpen) == 0) return;
  const std::uint32_t next = next_;
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(),
                             [&](const Kept& each) {
                               return !each.open && next - each.closed_before > kRecent;
                             }),
              kept_.end());
  if (kept_.size() >= kMostKept) kept_.erase(kept_.begin());
  kept_.push_back({{number_of(word), static_cast<std::uint32_t>(word & kRange), slot.parent},
                   (word & kStarted) != 0});
  any_kept_ = true;
}

bool Ranges::close(std::uint32_t number, bool started) {
  Slot& slot = recent_[number % kRecent];
  std::uint64_t word = slot.word.load(std::memory_order_relaxed);
  if (number_of(word) == number) {
    const bool is_meant = (word & kOpen) != 0 && ((word & kStarted) != 0) == started;
    if (!is_meant) return false;
    if (slot.word.compare_exchange_strong(word, word & ~kOpen)) return true;
  }
  const std::lock_guard lock(mutex_);
  for (Kept& each : kept_) {
    if (each.instance.number != number || !each.open || each.started != started) continue;
    each.open = false;
    each.closed_before = next_;
    return true;
  }
  return false;
}

bool Ranges::read(std::uint32_t number, Instance& instance, bool& open) const {
  if (number == 0) return false;
  const Slot& slot = recent_[number % kRecent];
  const std::uint64_t word = slot.word.load(std::memory_order_acquire);
  const std::uint32_t parent = slot.parent.load(std::memory_order_acquire);
  const std::uint64_t after = slot.word.load(std::memory_order_relaxed);
  if (number_of(word) == number && number_of(after) == number) {
    instance = {number, static_cast<std::uint32_t>(word & kRange), parent};
    open = (after & kOpen) != 0;
    return true;
  }
  if (!any_kept_) return false;
  const std::lock_guard lock(mutex_);
  for (const Kept& each : kept_) {
    if (each.instance.number != number) continue;
    instance = each.instance;
    open = each.open;
    return true;
  }
  return false;
}

bool Ranges::is_open(std::uint32_t number) const {
  Instance instance;
  bool open = false;
  return read(number, instance, open) && open;
}

std::uint32_t Ranges::open_from(std::uint32_t number) const {
  Instance instance;
  bool open = false;
  while (read(number, instance, open)) {
    if (open) return number;
    number = instance.parent;
  }
  return 0;
}

Ranges::Instance Ranges::instance(std::uint32_t number) const {
  Instance instance;
  bool open = false;
  return read(number, instance, open) ? instance : Instance();
}

// Forgets what other threads closed.
void Ranges::settle(Here& here) const {
  while (here.started > 0 && here.open.back().started && !is_open(here.open.back().number)) {
    here.open.pop_back();
    --here.started;
  }
  here.thread->innermost.store(here.open.empty() ? 0 : here.open.back().number,
                               std::memory_order_release);
}

std::uint32_t Ranges::open(Here& here, std::string_view domain, std::string_view name,
                           bool started) {
  if (here.started > 0) settle(here);
  Here::Open opened;
  opened.started = started;
  opened.domain = hash_of(domain);
  const bool is_outermost = here.open.empty();
  Instance instance;
  instance.parent = is_outermost ? 0 : here.open.back().number;
  instance.range = opened.range =
      range_of(here, is_outermost ? 0 : here.open.back().range, domain, name);
  instance.number = opened.number = next_number();
  const auto same = std::find_if(here.open.rbegin(), here.open.rend(), [&](const auto& each) {
    return !each.started && each.domain == opened.domain;
  });
  if (same != here.open.rend()) opened.depth = same->depth + 1;
  place(instance, started);
  here.open.push_back(opened);
  if (started) ++here.started;
  here.thread->innermost.store(opened.number, std::memory_order_release);
  return opened.number;
}

int Ranges::push(std::string_view domain, std::string_view name) {
  if (Here::gone) return 0;
  Here& mine = here();
  if (mine.open.size() >= kMostOpen) {
    return static_cast<int>(mine.open.size() + mine.deeper++);
  }
  if (domain == kXla) {
    const bool is_within = !mine.open.empty() && mine.open.back().domain == hash_of(kXla);
    if (is_within && counts_with_its_module(name)) return push_with_parent(mine);
    name = name_of_module(name);
  }
  (void)open(mine, domain, name, false);
  return static_cast<int>(mine.open.back().depth);
}

int Ranges::push_with_parent(Here& here) {
  Here::Open opened = here.open.back();
  ++opened.depth;
  opened.with_parent = true;
  here.open.push_back(opened);
  return static_cast<int>(opened.depth);
}

int Ranges::pop(std::string_view domain) {
  if (Here::gone) return -1;
  Here& mine = here();
  if (mine.deeper > 0) return static_cast<int>(mine.open.size() + --mine.deeper);
  const std::size_t hash = hash_of(domain);
  const auto found = std::find_if(mine.open.rbegin(), mine.open.rend(), [&](const auto& each) {
    return !each.started && each.domain == hash;
  });
  if (found == mine.open.rend()) return -1;
  const auto depth = static_cast<int>(found->depth);
  if (!found->with_parent) (void)close(found->number, false);
  mine.open.erase(std::next(found).base());
  settle(mine);
  return depth;
}

std::uint64_t Ranges::start(std::string_view domain, std::string_view name) {
  if (Here::gone) return 0;
  Here& mine = here();
  return mine.open.size() >= kMostOpen ? next_number() : open(mine, domain, name, true);
}

void Ranges::end(std::uint64_t id) {
  const auto number = static_cast<std::uint32_t>(id);
  if (number != id || !close(number, true)) return;
  if (const Here* const mine = known_here()) settle(const_cast<Here&>(*mine));
  // It may be another thread's innermost one.
  for (Thread* each = Thread::all.load(std::memory_order_acquire); each != nullptr;
       each = each->next) {
    std::uint32_t innermost = number;
    if (each->serial == serial_ && each->innermost == number) {
      each->innermost.compare_exchange_strong(innermost, open_from(number));
    }
  }
}

std::uint32_t Ranges::current() const {
  const Here* const mine = known_here();
  if (mine != nullptr && !mine->open.empty()) {
    const std::uint32_t number = mine->open.back().number;
    if (mine->started == 0) return number;
    if (const std::uint32_t open = open_from(number)) return open;
  }
  return only_one_elsewhere();
}

std::uint32_t Ranges::only_one_elsewhere() const {
  std::uint32_t found = 0;
  for (const Thread* each = Thread::all.load(std::memory_order_acquire); each != nullptr;
       each = each->next) {
    if (each->serial.load(std::memory_order_relaxed) != serial_) continue;
    const std::uint32_t innermost = each->innermost.load(std::memory_order_relaxed);
    if (innermost == 0) continue;
    if (found != 0) return 0;
    found = innermost;
  }
  return found;
}

std::vector<Ranges::Node> Ranges::take_new() {
  const std::lock_guard lock(mutex_);
  std::vector<Node> taken(nodes_.begin() + static_cast<std::ptrdiff_t>(taken_), nodes_.end());
  taken_ = nodes_.size();
  return taken;
}

}  // namespace warpgauge::launches
