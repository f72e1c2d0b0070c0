// SPDX-License-Identifier: Apache-2.0
// Reads numbers and names from a file's bytes, which may be truncated or garbage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace warpgauge::machine_code {

// Says what was being read, without the file's name: whoever opened the file adds it.
class OutOfBytes : public std::runtime_error {
 public:
  OutOfBytes() : std::runtime_error("is cut short or damaged") {}
};

// The part [offset, offset + size). Throws OutOfBytes when it exceeds the bytes.
[[nodiscard]] inline std::string_view part(std::string_view bytes, std::uint64_t offset,
                                           std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) throw OutOfBytes();
  return bytes.substr(offset, size);
}

// A little-endian structure at any offset, aligned or not. Throws OutOfBytes.
template <class T>
[[nodiscard]] T read_at(std::string_view bytes, std::uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, part(bytes, offset, sizeof(T)).data(), sizeof(T));
  return value;
}

// Ten times what the largest templates are called.
inline constexpr std::size_t kLongestName = std::size_t{1} << 16;

// The text up to a zero byte. Throws OutOfBytes when there is no zero byte, and std::runtime_error
// for what is longer than any name.
[[nodiscard]] inline std::string_view text_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size()) throw OutOfBytes();
  const std::string_view rest = bytes.substr(offset);
  const std::size_t end = rest.substr(0, kLongestName + 1).find('\0');
  if (end != rest.npos) return rest.substr(0, end);
  if (rest.size() <= kLongestName) throw OutOfBytes();
  throw std::runtime_error("has a name of more than 65536 bytes, the most that are read");
}

// Reads values one after the other. All members throw OutOfBytes.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] bool at_end() const { return offset_ == bytes_.size(); }

  void skip(std::uint64_t count) {
    (void)part(bytes_, offset_, count);
    offset_ += count;
  }

  template <class T>
  [[nodiscard]] T take() {
    const T value = read_at<T>(bytes_, offset_);
    offset_ += sizeof(T);
    return value;
  }

  [[nodiscard]] std::string_view take_text() {
    const std::string_view text = text_at(bytes_, offset_);
    offset_ += text.size() + 1;
    return text;
  }

  // DWARF's variable-length numbers (LEB128); bits beyond 64 are dropped.
  [[nodiscard]] std::uint64_t take_unsigned() { return take_variable(false); }
  [[nodiscard]] std::int64_t take_signed() {
    return static_cast<std::int64_t>(take_variable(true));
  }

 private:
  [[nodiscard]] std::uint64_t take_variable(bool has_sign) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) != 0) continue;
      const unsigned bits = shift + 7;
      if (has_sign && (byte & 0x40U) != 0 && bits < 64) value |= ~std::uint64_t{0} << bits;
      return value;
    }
  }

  std::string_view bytes_;
  std::uint64_t offset_ = 0;
};

}  // namespace warpgauge::machine_code
