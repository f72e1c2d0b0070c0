// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/kernel_casts.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "profiling/emulator/compile/identifiers.hpp"

namespace warpgauge::emulator {
namespace {

// Binds less tightly than what may follow: kernel, kernel<int>, &kernel, kernels[i].
constexpr std::string_view kRemembering = "::warpgauge_emulator::KernelCast{}->*";

class Reader {
 public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  bool take(std::string_view word) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_;
};

// Of the word at `begin`, where a cast of a kernel may follow; npos: none may.
std::size_t behind_context(std::string_view text, std::size_t begin, std::string_view word) {
  // Not a part of another name, nor a macro's argument as a string.
  if (begin > 0 && (is_of_identifier(text[begin - 1]) || text[begin - 1] == '"')) {
    return std::string_view::npos;
  }
  Reader reader(text, begin + word.size());
  return reader.take(word == "func" ? "=" : "(") ? reader.at() : std::string_view::npos;
}

}  // namespace

std::string rewrite_kernel_casts(std::string_view preprocessed) {
  constexpr auto kContexts = std::to_array<std::string_view>(
      {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchKernelExC", "func"});
  std::string text(preprocessed);
  for (const std::string_view word : kContexts) {
    for (std::size_t found = text.find(word); found != std::string::npos;
         found = text.find(word, found + word.size())) {
      const std::size_t begin = behind_context(text, found, word);
      if (begin == std::string::npos) continue;
      Reader reader(text, begin);
      const bool opened = reader.take("(");
      if (opened) static_cast<void>(reader.take("const"));
      if (!opened || !reader.take("void") || !reader.take("*") || !reader.take(")")) continue;
      const auto cast = text.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto lines =
          std::count(cast, text.begin() + static_cast<std::ptrdiff_t>(reader.at()), '\n');
      text.replace(begin, reader.at() - begin,
                   std::string(kRemembering) + std::string(static_cast<std::size_t>(lines), '\n'));
    }
  }
  return text;
}

}  // namespace warpgauge::emulator
