// SPDX-License-Identifier: Apache-2.0
// Tracks whether the threads of a block wrote one value or several to each byte of shared memory
// since the last barrier. Unordered writes of the same value are harmless; others are races.
//
// A lane announces a write before it happens, while memory still holds the old value. When the lane
// stops, before another one runs, memory holds the new value. In doubt values count as different:
// it may call equal writes different, but never different ones equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace warpgauge::emulator {

class SharedValues {
 public:
  // bytes: of shared memory.
  explicit SharedValues(std::size_t bytes);

  // begin: its address.
  void begin_launch(std::uintptr_t begin) { begin_ = begin; }

  // Starts a new epoch, at a new block or a barrier of all its threads.
  void forget() {
    if (++epoch_ == kEpochs) [[unlikely]]
      start_epochs_again();
  }

  // Whether the address is in shared memory.
  [[nodiscard]] bool hold(std::uintptr_t address) const { return address - begin_ < bytes_; }

  // What announce() does for an aligned word that nobody has written in this epoch. False: it is no
  // such word, and nothing was noted.
  [[nodiscard]] bool announce_first(std::uintptr_t address, std::size_t bytes) {
    const std::size_t offset = address - begin_;
    if (bytes != 4 || offset % 4 != 0 || written_[offset / 4] >> 4 == epoch_) return false;
    last_ = {offset, bytes};
    written_[offset / 4] = epoch_ << 4 | 0xfU;
    return true;
  }

  // The running lane will write these bytes next, or update them atomically with any value. False:
  // they are not in shared memory, and nothing was noted.
  bool announce(std::uintptr_t address, std::size_t bytes, bool atomic) {
    const std::size_t offset = address - begin_;
    if (offset >= bytes_) return false;
    last_ = {offset, bytes};
    const bool word = bytes == 4 && offset % 4 == 0;
    if (word && !atomic && written_[offset / 4] >> 4 != epoch_) [[likely]] {
      written_[offset / 4] = epoch_ << 4 | 0xfU;
      return true;
    }
    announce_bytes(offset, bytes, atomic);
    return true;
  }

  // The lane has stopped. pending: its last announced write has not happened yet.
  void lane_stopped(bool pending) {
    if (pending || !again_.empty()) compare(pending);
    last_ = {};
  }

  // Whether different values have been written to one of these bytes.
  [[nodiscard]] bool differ(std::size_t offset, std::size_t bytes) const;

 private:
  static constexpr std::uint32_t kEpochs = 1U << 28;

  struct Again {
    std::size_t word = 0;
    std::uint32_t before = 0;  // its value
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  // By word: an epoch (28 bits), and a bit for each byte of the word. From calloc, which takes no
  // memory for what no kernel uses.
  using Bytes = std::unique_ptr<std::uint32_t[], Free>;

  [[nodiscard]] static Bytes make(std::size_t bytes);
  void start_epochs_again();
  void announce_bytes(std::size_t offset, std::size_t bytes, bool atomic);
  void compare(bool pending);
  [[nodiscard]] std::uint32_t value(std::size_t word) const;
  [[nodiscard]] std::uint32_t bytes_of(const Bytes& all, std::size_t word) const {
    return all[word] >> 4 == epoch_ ? all[word] & 0xfU : 0;
  }
  void add(Bytes& all, std::size_t word, std::uint32_t bytes) {
    all[word] = epoch_ << 4 | bytes_of(all, word) | bytes;
  }

  Bytes written_;
  Bytes differs_;
  std::size_t bytes_;
  std::uintptr_t begin_ = 0;
  std::uint32_t epoch_ = 1;
  std::vector<Again> again_;  // words that had been written before the running lane wrote them
  struct {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  } last_;  // that was announced since the lane was resumed
};

}  // namespace warpgauge::emulator
