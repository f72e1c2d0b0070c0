// SPDX-License-Identifier: Apache-2.0
// Which ranges of a program are open, by thread, and which range a launch belongs to. Knows no
// NVTX.
//
// A launch belongs to the innermost range that its thread opened. The launches of a thread that
// opened none, such as one that runs the backward pass on behalf of another, belong to the
// innermost range of that other thread, if it is the only one that has any open.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
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

  // Of a number that was opened not too long ago; else one of no range.
  [[nodiscard]] Instance instance(std::uint32_t number) const;

  // Those that were opened for the first time since this was called last.
  [[nodiscard]] std::vector<Node> take_new();

  // Ranges that were opened and are counted with the one around them, since there are too many.
  [[nodiscard]] std::uint64_t folded() const { return folded_; }

 private:
  using Key = std::tuple<std::uint32_t, std::string, std::string>;

  struct Open {
    std::uint32_t number = 0;
    std::thread::id thread;
    bool started = false;  // by start()
  };

  [[nodiscard]] std::uint32_t open(std::string_view domain, std::string_view name, bool started);
  void close(std::uint32_t number);
  void find_last();
  [[nodiscard]] std::uint32_t current_here() const;

  mutable std::mutex mutex_;
  std::map<Key, std::uint32_t> ids_;
  std::vector<Node> new_;
  std::vector<Instance> recent_;  // by number, modulo its size
  std::uint32_t next_ = 1;
  std::vector<Open> open_;  // of all threads, in the order in which they were opened
  // The last of open_, where all are of one thread; else 0.
  std::atomic<std::uint32_t> last_{0};
  std::atomic<std::uint64_t> folded_{0};
};

}  // namespace warpgauge::launches
