// SPDX-License-Identifier: Apache-2.0
// Takes a mangled name apart, letter by letter; knows nothing of what the letters mean.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

namespace warpgauge::machine_code {

// A symbol has a part that is not understood here.
class NotUnderstood : public std::exception {};

// What longer texts are counted as: sums and products of two of them do not overflow.
inline constexpr std::uint64_t kEnough = std::uint64_t{1} << 31;

// Of punctuation around one part: ", ", "::", " volatile".
inline constexpr std::uint64_t kAround = 10;
// The longest words: "{unnamed type#12}", "unsigned long long", "(anonymous namespace)".
inline constexpr std::uint64_t kWords = 24;

// What a part becomes. A template's parameter becomes an argument, which is known at the end only.
struct Size {
  std::uint64_t text = kAround;
  std::uint64_t parameters = 0;  // each as long as the longest argument
  std::uint64_t elements = 0;    // each as long as the longest element of a pack

  Size& operator+=(const Size& other) {
    text = std::min(text + other.text, kEnough);
    parameters = std::min(parameters + other.parameters, kEnough);
    elements = std::min(elements + other.elements, kEnough);
    return *this;
  }
};

[[nodiscard]] inline std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return std::min(a * b, kEnough);
}

[[nodiscard]] inline bool is_digit(char character) { return character >= '0' && character <= '9'; }
[[nodiscard]] inline bool is_lower(char character) { return character >= 'a' && character <= 'z'; }
[[nodiscard]] inline bool is_upper(char character) { return character >= 'A' && character <= 'Z'; }

// all: of two letters each, with a space between.
[[nodiscard]] inline bool is_one_of(std::string_view code, std::string_view all) {
  for (std::size_t at = 0; at + 1 < all.size(); at += 3) {
    if (all.substr(at, 2) == code) return true;
  }
  return false;
}

class MangledCursor {
 protected:
  explicit MangledCursor(std::string_view symbol) : symbol_(symbol) {}

  // The stack is not unlimited.
  class Deeper {
   public:
    explicit Deeper(int& depth) : depth_(depth) {
      constexpr int kDeepest = 1'000;
      if (++depth_ > kDeepest) throw NotUnderstood();
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --depth_; }

   private:
    int& depth_;
  };

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < symbol_.size() ? symbol_[at_ + ahead] : '\0';
  }

  [[nodiscard]] std::string_view rest() const {
    return symbol_.substr(std::min(at_, symbol_.size()));
  }
  [[nodiscard]] bool next_is(std::string_view text) const { return rest().starts_with(text); }

  bool take(std::string_view text) {
    if (!next_is(text)) return false;
    at_ += text.size();
    return true;
  }

  void expect(std::string_view text) {
    if (!take(text)) throw NotUnderstood();
  }

  void skip(std::size_t count) {
    if (count > rest().size()) throw NotUnderstood();
    at_ += count;
  }
  [[nodiscard]] std::string_view two() const { return rest().substr(0, 2); }
  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  // "_" or "12_".
  void skip_compact_number() {
    skip_digits();
    expect("_");
  }

  void skip_discriminator() {
    if (peek() != '_') return;
    if (is_digit(peek(1))) {
      at_ += 2;
    } else if (take("__")) {
      skip_compact_number();
    }
  }

  std::string_view symbol_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace warpgauge::machine_code
