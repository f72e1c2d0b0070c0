// SPDX-License-Identifier: Apache-2.0
// Which ranges of a program are open, by thread, and which range a launch belongs to. Knows no
// NVTX. What JAX's XLA opens within a range of its own counts with that one, which has the name of
// what was compiled.
//
// A launch belongs to the innermost range that its thread opened. The launches of a thread that
// opened none, such as one that runs the backward pass on behalf of another, belong to the
// innermost range of that other thread, if it is the only one that has any open.
//
// Opening, closing and asking take no lock and no memory for a range that the thread knows: the
// program does it between launches, and is what is measured.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace warpgauge::launches {

class Ranges {
 public:
  // A range by its names, and those around it.
  struct Node {
    std::uint32_t id = 0;
    std::uint32_t parent = 0;  // 0: there is none around it
    std::string domain;        // empty: the usual one
    std::string name;
  };

  // One time that a range was opened.
  struct Instance {
    std::uint32_t number = 0;
    std::uint32_t range = 0;
    std::uint32_t parent = 0;  // the number of the one around it; 0: there is none
  };

  Ranges();

  // These four return and take what NVTX does: the depth at which a range was opened, from 0, or
  // −1 where there is none to close; an id of a range that any thread may close.
  int push(std::string_view domain, std::string_view name);
  int pop(std::string_view domain);
  std::uint64_t start(std::string_view domain, std::string_view name);
  void end(std::uint64_t id);

  // The number of the instance that a launch of this thread belongs to; 0: no range is open.
  [[nodiscard]] std::uint32_t current() const;

  // Of a number that is open, or was not too long ago; else one of no range.
  [[nodiscard]] Instance instance(std::uint32_t number) const;

  // Those that were opened for the first time since this was called last.
  [[nodiscard]] std::vector<Node> take_new();

  // Ranges that were opened and are counted with the one around them, since there are too many.
  [[nodiscard]] std::uint64_t folded() const { return folded_; }

  // Around a fork, so that the child finds nothing half done.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  using Key = std::tuple<std::uint32_t, std::string_view, std::string_view>;
  struct Thread;
  struct Here;

  // An instance, as it is written and read by threads at once: see place() and read().
  struct Slot {
    std::atomic<std::uint64_t> word{0};  // number, whether it is open and by start(), range
    std::atomic<std::uint32_t> parent{0};
  };

  // One that is still open while its slot is another's.
  struct Kept {
    Instance instance;
    bool started = false;
    bool open = true;
    std::uint32_t closed_before = 0;  // the next number then
  };

  [[nodiscard]] Here& here();
  [[nodiscard]] const Here* known_here() const;
  [[nodiscard]] std::uint32_t open(Here& here, std::string_view domain, std::string_view name,
                                   bool started);
  [[nodiscard]] static int push_with_parent(Here& here);
  [[nodiscard]] std::uint32_t range_of(Here& here, std::uint32_t parent, std::string_view domain,
                                       std::string_view name);
  [[nodiscard]] std::uint32_t next_number();
  void place(const Instance& instance, bool started);
  void keep(Slot& slot);
  // Whether there was one to close.
  bool close(std::uint32_t number, bool started);
  [[nodiscard]] bool is_open(std::uint32_t number) const;
  // This one, or the innermost around it that is.
  [[nodiscard]] std::uint32_t open_from(std::uint32_t number) const;
  void settle(Here& here) const;
  [[nodiscard]] std::uint32_t only_one_elsewhere() const;
  [[nodiscard]] bool read(std::uint32_t number, Instance& instance, bool& open) const;

  const std::uint64_t serial_;  // tells it from others, whose threads' ranges are not its
  std::vector<Slot> recent_;    // by number, modulo its size
  std::atomic<std::uint32_t> next_{1};
  std::atomic<std::uint64_t> folded_{0};
  std::atomic<bool> any_kept_{false};

  mutable std::mutex mutex_;  // of what follows
  std::deque<Node> nodes_;
  std::map<Key, const Node*> ids_;  // its keys are in nodes_
  std::size_t taken_ = 0;           // of nodes_
  std::vector<Kept> kept_;
};

}  // namespace warpgauge::launches
