// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/shared_values.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace warpgauge::emulator {
namespace {

constexpr unsigned bit(RecordKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kWrites =
    bit(RecordKind::store) | bit(RecordKind::volatile_store) | bit(RecordKind::atomic);

// The bits of bytes [begin, end) of a word.
constexpr std::uint32_t bits_of(std::size_t begin, std::size_t end) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << 8 * end) -
                                    (std::uint64_t{1} << 8 * begin));
}

// Calls visit(word, bits) for each word that holds some of the bytes.
template <class Visit>
void for_each_word(std::size_t offset, std::size_t bytes, Visit&& visit) {
  const std::size_t end = offset + bytes;
  for (std::size_t word = offset / 4; word * 4 < end; ++word) {
    const std::size_t first = std::max(offset, word * 4) - word * 4;
    visit(word, bits_of(first, std::min<std::size_t>(end - word * 4, 4)));
  }
}

}  // namespace

SharedValues::SharedValues(std::size_t bytes)
    : words_(static_cast<Word*>(std::calloc((bytes + 3) / 4 + 4, sizeof(Word))), &std::free),
      bytes_(bytes) {
  if (!words_) throw std::bad_alloc();
}

void SharedValues::note(std::span<const Record> records, bool last_is_pending,
                        std::uintptr_t shared_begin) {
  for (const Record& record : records) {
    if ((kWrites & bit(record.kind)) == 0) continue;
    const std::size_t offset = record.address - shared_begin;
    if (offset >= bytes_) continue;
    const bool known =
        record.kind != RecordKind::atomic && !(last_is_pending && &record == &records.back());
    if (known && record.bytes == 4 && record.address % 4 == 0) [[likely]] {
      std::uint32_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(record.address), sizeof value);
      Word& word = words_[offset / 4];
      word.differs =
          word.epoch == epoch_ ? word.differs | ((word.value ^ value) & word.written) : 0;
      word.epoch = epoch_;
      word.value = value;
      word.written = ~std::uint32_t{0};
      continue;
    }
    const std::size_t bytes = std::min<std::size_t>(record.bytes, bytes_ - offset);
    for_each_word(offset, bytes, [&](std::size_t index, std::uint32_t bits) {
      std::uint32_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(shared_begin + index * 4), sizeof value);
      Word& word = words_[index];
      if (word.epoch != epoch_) word = {epoch_, 0, 0, 0};
      word.differs |= known ? (word.value ^ value) & word.written & bits : bits;
      word.value = (word.value & ~bits) | (value & bits);
      word.written |= bits;
    });
  }
}

bool SharedValues::differ(std::size_t offset, std::size_t bytes) const {
  bool differ = false;
  for_each_word(offset, bytes, [&](std::size_t index, std::uint32_t bits) {
    const Word& word = words_[index];
    differ |= word.epoch != epoch_ || (word.differs & bits) != 0;
  });
  return differ;
}

}  // namespace warpgauge::emulator
