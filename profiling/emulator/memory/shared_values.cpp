// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/shared_values.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace warpgauge::emulator {
namespace {

// Calls visit(word, bytes) for each word that holds some of the bytes, a bit each.
template <class Visit>
void for_each_word(std::size_t offset, std::size_t bytes, Visit&& visit) {
  const std::size_t end = offset + bytes;
  for (std::size_t word = offset / 4; word * 4 < end; ++word) {
    const std::size_t first = std::max(offset, word * 4) - word * 4;
    const std::size_t last = std::min<std::size_t>(end - word * 4, 4);
    visit(word, (1U << last) - (1U << first));
  }
}

// The bytes, a bit each, in which two words differ.
std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
  std::uint32_t bytes = 0;
  for (unsigned i = 0; i < 4; ++i) bytes |= ((a ^ b) >> 8 * i & 0xffU) != 0 ? 1U << i : 0;
  return bytes;
}

}  // namespace

SharedValues::Bytes SharedValues::make(std::size_t bytes) {
  Bytes all(static_cast<std::uint32_t*>(std::calloc(bytes / 4 + 8, sizeof(std::uint32_t))));
  if (!all) throw std::bad_alloc();
  return all;
}

SharedValues::SharedValues(std::size_t bytes)
    : written_(make(bytes)), differs_(make(bytes)), bytes_(bytes) {}

void SharedValues::start_epochs_again() {
  written_ = make(bytes_);
  differs_ = make(bytes_);
  epoch_ = 1;
}

std::uint32_t SharedValues::value(std::size_t word) const {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(begin_ + word * 4), sizeof value);
  return value;
}

void SharedValues::announce_bytes(std::size_t offset, std::size_t bytes, bool atomic) {
  bytes = std::min(bytes, bytes_ - offset);
  for_each_word(offset, bytes, [&](std::size_t word, std::uint32_t mask) {
    const std::uint32_t written = bytes_of(written_, word) & mask;
    add(written_, word, mask);
    if (atomic) add(differs_, word, mask);
    if (written == 0 || (bytes_of(differs_, word) & mask) == mask) return;
    const std::uint32_t now = value(word);
    // By now memory holds this lane's last write.
    if (!again_.empty() && again_.back().word == word) {
      add(differs_, word, difference(again_.back().before, now));
      again_.pop_back();
    }
    again_.push_back({word, now});
  });
}

void SharedValues::compare(bool pending) {
  for (const Again& each : again_) {
    add(differs_, each.word,
        difference(each.before, value(each.word)) & bytes_of(written_, each.word));
  }
  again_.clear();
  if (!pending) return;
  for_each_word(last_.offset, last_.bytes,
                [&](std::size_t word, std::uint32_t mask) { add(differs_, word, mask); });
}

bool SharedValues::differ(std::size_t offset, std::size_t bytes) const {
  bool differ = false;
  for_each_word(offset, std::min(bytes, bytes_ - offset),
                [&](std::size_t word, std::uint32_t mask) {
                  differ |= (bytes_of(differs_, word) & mask) != 0;
                });
  return differ;
}

}  // namespace warpgauge::emulator
